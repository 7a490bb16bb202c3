// Turns that Codex begins by itself, beside those that answer a prompt.
import { describe, expect, it } from "vitest";
import { completed, events, opened, TURN } from "./live.ts";

describe("a turn", () => {
  it("may begin by itself, and ends like any other", () => {
    const one = opened();
    expect(events(one.notice("turn/started", { turn: { id: TURN } }))).toEqual([{ type: "begin" }]);
    expect(events(one.notice("item/agentMessage/delta", { itemId: "m", delta: "More." }))).toHaveLength(1);
    expect(events(one.notice("turn/completed", completed()))).toMatchObject([{ type: "result" }]);
  });

  it("is never taken for another that Codex has begun", () => {
    const one = opened();
    one.notice("turn/started", { turn: { id: "own" } });
    one.step({ type: "prompt", text: "Go" });
    expect(events(one.notice("turn/completed", { turn: { id: "own", status: "completed" } }))).toEqual([]);
    one.answer(3, { turn: { id: TURN } });
    expect(events(one.notice("item/agentMessage/delta", { itemId: "m", delta: "Yes." }))).toHaveLength(1);
    expect(events(one.notice("turn/completed", completed()))).toMatchObject([{ type: "result" }]);
  });
});
