// Calls whose results come late, never, or for another turn.
import { describe, expect, it } from "vitest";
import type { Said } from "../../src/adapters/driver.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { END, newProtocol, result, said, short, use, wrong } from "./told.ts";

const text = (words: string, parent?: string): Said => ({
  type: "text",
  text: words,
  ...(parent !== undefined && { parent_tool_use_id: parent }),
});
const complaint = (parent: string): Said => ({
  type: "system",
  subtype: "error",
  code: "server_error",
  message: "It broke.",
  parent_tool_use_id: parent,
});
const DONE: Said = { type: "result" };

function contentsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool_result" ? [event.content] : []));
}

describe("an id", () => {
  it("stands for one call of a turn, and for another one in a later turn", () => {
    const events = said([use("1"), result("1"), DONE, use("1"), result("1", { content: "again" })]);
    expect(short(events)).toEqual(["init", "use 1", "result 1", ...END, "use 1", "result 1", ...END]);
    expect(contentsOf(events)).toEqual(["done 1", "again"]);
    expect(wrong(events)).toEqual([]);
  });

  it("whose turn is over takes no second answer", () => {
    const events = said([use("1"), result("1"), DONE, text("By the way."), result("1"), DONE]);
    expect(short(events)).toEqual(["init", "use 1", "result 1", ...END, "text", ...END]);
  });
});

describe("a call without a result", () => {
  it("hides no later ones once the agent has spoken with theirs known, and calls again", () => {
    const events = said([use("1"), use("2"), result("2"), text("On."), use("3"), result("3")]);
    const calls = ["text", "result 1", "use 2", "result 2", "use 3", "result 3"];
    expect(short(events)).toEqual(["init", "use 1", ...calls, ...END]);
    expect(events[3]).toMatchObject({ is_error: true, content: expect.stringContaining("no result") });
    expect(contentsOf(events).slice(1)).toEqual(["done 2", "done 3"]);
    expect(wrong(events)).toEqual([]);
  });

  it("is waited for while nothing of a later one is known, or the agent has not spoken", () => {
    const unknown = said([use("1"), use("2"), text("On."), use("3"), result("1"), result("2"), result("3")]);
    expect(contentsOf(unknown)).toEqual(["done 1", "done 2", "done 3"]);
    const unspoken = said([use("1"), use("2"), result("2"), use("3"), result("1"), result("3")]);
    expect(contentsOf(unspoken)).toEqual(["done 1", "done 2", "done 3"]);
  });

  it("is not given one because a subagent speaks", () => {
    const events = said([
      use("1"),
      use("2"),
      result("2"),
      text("Inside.", "1"),
      use("3"),
      result("1"),
      result("3"),
    ]);
    expect(contentsOf(events)).toEqual(["done 1", "done 2", "done 3"]);
    expect(wrong(events)).toEqual([]);
  });

  it("whose real one comes after one was made up has it told as raw text", () => {
    const events = said([use("1"), use("2"), result("2"), text("On."), use("3"), result("1"), result("3")]);
    const raw = events.filter((event) => event.type === "raw");
    expect(raw).toMatchObject([{ text: "done 1" }]);
    expect(wrong(events)).toEqual([]);
  });
});

describe("a subagent", () => {
  it.each([
    ["speaks", text("Inside.", "2"), "text"],
    ["calls", use("inner", "2"), "use inner"],
    ["thinks", { type: "thinking", text: "Hm.", parent_tool_use_id: "2" } as Said, "thinking"],
    ["fails", complaint("2"), "error"],
  ])("that %s has its call told before, whatever that waits for", (_, event, name) => {
    const events = said([use("1"), use("2"), event, result("1"), result("inner"), result("2")]);
    expect(short(events).slice(0, 4)).toEqual(["init", "use 1", "use 2", name]);
    expect(events[3]).toMatchObject({ parent_tool_use_id: "2" });
    expect(wrong(events)).toEqual([]);
  });

  it.each([
    ["a result of nothing", result("stranger", { parent_tool_use_id: "2" })],
    ["a call that is known", use("1", "2")],
    ["no words", text("", "2")],
  ])("of which %s is told shows nothing before its call's turn has come", (_, event) => {
    const events = said([use("1"), use("2"), event, result("1"), result("2")]);
    expect(short(events).slice(0, 5)).toEqual(["init", "use 1", "result 1", "use 2", "result 2"]);
    expect(wrong(events)).toEqual([]);
  });

  it("that asks has its call told before", () => {
    const protocol = newProtocol();
    const before = [protocol.begin("Go"), protocol.say(use("1")), protocol.say(use("2"))].flat();
    const call = { tool: "bash" as const, input: {} };
    const ask = { type: "ask" as const, id: "a", name: "shell", input: {}, call, parent_tool_use_id: "2" };
    const asked = protocol.asked(ask, 1000);
    expect(short([...before, ...asked])).toEqual(["init", "use 1", "use 2", "approval_request"]);
    expect(wrong([...before, ...asked, ...protocol.finish({})])).toEqual([]);
  });

  it("that calls a tool ends no message of the agent's own", () => {
    const events = said([
      use("1"),
      text("It is "),
      use("inner", "1"),
      text("Inside.", "1"),
      result("inner"),
      text("42."),
      result("1"),
    ]);
    expect(events.at(-2)).toMatchObject({ result: "It is 42." });
  });
});

describe("what an agent may not do without end", () => {
  it("answered calls behind one that is not: after thirty it is given a result, and they are told", () => {
    const pairs = Array.from({ length: 31 }, (_, at) => [use(`later ${at}`), result(`later ${at}`)]);
    const held = newProtocol();
    const before = [held.begin("Go"), held.say(use("1")), ...pairs.flat().map((one) => held.say(one))].flat();
    expect(short(before)).toEqual(["init", "use 1"]);
    const freed = held.say(use("last"));
    expect(short(freed).slice(0, 3)).toEqual(["result 1", "use later 0", "result later 0"]);
    expect(short(freed).at(-1)).toBe("use last");
    expect(wrong([...before, ...freed, ...held.finish({})])).toEqual([]);
  });

  it("calls at once: of more than a thousand the first are given a result", () => {
    const calls = Array.from({ length: 1003 }, (_, at) => use(String(at)));
    const protocol = newProtocol();
    const events = [protocol.begin("Go"), ...calls.map((one) => protocol.say(one))].flat();
    const told = ["use 0", "result 0", "use 1", "result 1", "use 2"];
    expect(short(events)).toEqual(["init", ...told]);
    expect(wrong([...events, ...protocol.finish({})])).toEqual([]);
  });

  it("results that came before their call: a hundred are kept", () => {
    const early = Array.from({ length: 101 }, (_, at) => result(String(at)));
    const events = said(early);
    expect(events.filter(({ type }) => type === "raw")).toHaveLength(100);
  });

  it("calls that were answered: a thousand are known", () => {
    const calls = Array.from({ length: 1001 }, (_, at) => [use(String(at)), result(String(at))]).flat();
    const known = said([...calls, use("1"), DONE]);
    expect(short(known).filter((one) => one === "use 1")).toHaveLength(1);
    const forgotten = said([...calls, use("0"), DONE]);
    expect(short(forgotten).filter((one) => one === "use 0")).toHaveLength(2);
  });
});
