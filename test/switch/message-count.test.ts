// Messages are counted as the Unified Conversation Format has them, so that indices into one list mean the other.
import { describe, expect, it } from "vitest";
import { writeUcf } from "../../src/formats/ucf-write.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { newMessageCounter } from "../../src/switch/message-count.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { NAMES, sample } from "./samples.ts";
import { find } from "./world.ts";

const counted = (entries: readonly Entry[]) => {
  const counter = newMessageCounter();
  return entries.map((entry) => counter.add(entry));
};

describe("messages", () => {
  it("are prompts, replies with what they call, and single results", () => {
    const entries = [
      user("u1"),
      assistant("a1", { turn: "t1" }),
      call("c1", { turn: "t1" }),
      call("c2", { turn: "t1" }),
      result("c1"),
      result("c2"),
      assistant("a2", { turn: "t2" }),
      user("u2"),
    ];
    expect(counted(entries)).toEqual([0, 1, 1, 1, 2, 3, 4, 5]);
  });

  it("without turns: a text and the calls behind it are one", () => {
    expect(counted([assistant("a1"), call("c1"), result("c1"), assistant("a2"), call("c2")])).toEqual([
      0, 0, 1, 2, 2,
    ]);
  });

  it("a switch is none", () => {
    const made = {
      timestamp: "",
      fromProvider: "",
      toProvider: "",
      fromModel: "",
      toModel: "",
      messageIndex: 0,
    };
    const change: Entry = { id: "s", timestamp: "", type: "switch", switch: made };
    expect(counted([user("u1"), change, user("u2")])).toEqual([0, undefined, 1]);
  });

  it.each(NAMES)("are those of the format in the sample of %s", async (name) => {
    const { world, original } = await sample(name);
    const { source } = await find(world, original);
    const entries = await Array.fromAsync(visible(source).entries());
    const indices = counted(entries);
    let text = "";
    for await (const piece of writeUcf(sourceOf(session(entries)))) text += piece;
    const messages: { id: string; toolResults?: unknown[]; toolCalls?: { id: string }[] }[] =
      JSON.parse(text).messages;
    expect(messages.length).toBeGreaterThan(50);
    expect(messages).toHaveLength((indices.findLast((index) => index !== undefined) ?? -1) + 1);
    for (const [at, entry] of entries.entries())
      if (entry.type === "user" || entry.type === "tool_result")
        expect(messages[indices[at] ?? -1]?.id).toBe(entry.id);
      else if (entry.type === "tool_call")
        expect(messages[indices[at] ?? -1]?.toolCalls?.map(({ id }) => id)).toContain(entry.id);
  });
});
