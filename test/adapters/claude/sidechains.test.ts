// Subagents inside the main file: every one of their records is in some session, whatever it follows.

import { describe, expect, it } from "vitest";
import { collect } from "../../../src/session/source.ts";
import { fc } from "../../property.ts";
import { openLines } from "./open.ts";

type Line = Record<string, unknown>;

const time = { timestamp: "2026-01-02T03:04:05.000Z", sessionId: "session", cwd: "/project" };
const said = (uuid: string, parentUuid: string | null, content: string, more: Line = {}): Line => ({
  type: "user",
  uuid,
  parentUuid,
  ...time,
  message: { role: "user", content },
  ...more,
});
const replied = (uuid: string, parentUuid: string | null, content: unknown, more: Line = {}): Line => ({
  type: "assistant",
  uuid,
  parentUuid,
  ...time,
  message: { role: "assistant", id: `m-${uuid}`, model: "claude-x", content },
  ...more,
});
const words = (text: string) => [{ type: "text", text }];
const task = (id: string, prompt: string) => ({
  type: "tool_use",
  id,
  name: "Task",
  input: { description: `do ${id}`, prompt, subagent_type: "any" },
});
const SIDE = { isSidechain: true };

async function told(lines: Line[]) {
  const source = await openLines(lines);
  const { timeline, children = [], links } = await collect(source);
  const texts = (entries: typeof timeline) =>
    entries.flatMap((entry) => ("content" in entry ? [entry.content] : []));
  const threads = (children as { timeline: typeof timeline }[]).map((child) => texts(child.timeline));
  const childLosses: string[] = [];
  for await (const child of source.children()) childLosses.push(...child.losses.map(({ kind }) => kind));
  return { main: texts(timeline), threads, links: links ?? [], childLosses };
}

describe("a sidechain", () => {
  it("that hangs on the conversation is a child of its call", async () => {
    const { main, threads, links, childLosses } = await told([
      said("1", null, "start"),
      replied("2", "1", [task("t", "look")]),
      said("3", "2", "look", SIDE),
      replied("4", "3", words("seen"), SIDE),
      replied("5", "2", words("done")),
    ]);
    expect(main).toEqual(["start", "done"]);
    expect(threads).toEqual([["look", "seen"]]);
    expect(links).toMatchObject([{ type: "subagent", entry: "t", label: "do t" }]);
    expect(childLosses).toEqual([]);
  });

  it("whose beginning is missing says so", async () => {
    const { main, threads, childLosses } = await told([
      said("1", null, "start"),
      replied("4", "gone", words("seen"), SIDE),
      said("5", "4", "more", SIDE),
      replied("6", "1", words("done")),
    ]);
    expect(main).toEqual(["start", "done"]);
    expect(threads).toEqual([["seen", "more"]]);
    expect(childLosses).toEqual(["parent_missing"]);
  });

  it("without ids goes on until the conversation does", async () => {
    const bare = (type: string, content: string, more: Line = {}): Line => ({
      type,
      ...time,
      message: { role: type, content },
      ...more,
    });
    const { main, threads } = await told([
      bare("user", "start"),
      bare("user", "look", SIDE),
      bare("assistant", "seen", SIDE),
      bare("assistant", "done"),
      bare("user", "look again", SIDE),
    ]);
    expect(main).toEqual(["start", "done"]);
    expect(threads).toEqual([["look", "seen"], ["look again"]]);
  });

  it("is told from another by the agent it names, where it does", async () => {
    const { threads } = await told([
      said("1", null, "a", { ...SIDE, agentId: "one" }),
      said("2", null, "b", { ...SIDE, agentId: "two" }),
      said("3", null, "c", { ...SIDE, agentId: "one" }),
    ]);
    expect(threads).toEqual([["a", "c"], ["b"]]);
  });
});

it("a saved stream has one child for each call that its lines name", async () => {
  const line = (type: string, uuid: string, content: unknown, call: string | null): Line => ({
    type,
    uuid,
    session_id: "session",
    parent_tool_use_id: call,
    message: { role: type, id: `m-${uuid}`, model: "claude-x", content },
  });
  const { main, threads, links, childLosses } = await told([
    { type: "system", subtype: "init", session_id: "session", cwd: "/project", model: "claude-x" },
    line("user", "1", words("start"), null),
    line("assistant", "2", [task("one", "a"), task("two", "b")], null),
    line("user", "3", words("a"), "one"),
    line("user", "4", words("b"), "two"),
    line("assistant", "5", words("seen a"), "one"),
    line("assistant", "6", words("seen b"), "two"),
    line("assistant", "7", words("done"), null),
  ]);
  expect(main).toEqual(["start", "done"]);
  expect(threads).toEqual([
    ["a", "seen a"],
    ["b", "seen b"],
  ]);
  expect(links).toMatchObject([
    { entry: "one", label: "do one" },
    { entry: "two", label: "do two" },
  ]);
  // Only the first line names the folder, for all of them.
  expect(childLosses).not.toContain("project_guessed");
});

it("no record falls between the sessions", async () => {
  const id = fc.option(fc.constantFrom("a", "b", "c", "d", "e"));
  const record = fc.record(
    {
      type: fc.constantFrom("user", "assistant"),
      uuid: id,
      parentUuid: id,
      isSidechain: fc.boolean(),
      agentId: fc.constantFrom(undefined, undefined, "x", "y"),
      parent_tool_use_id: fc.constantFrom(null, null, "call_1", "call_2"),
    },
    { requiredKeys: ["type"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
      const lines = records.map((one, at) => ({
        ...one,
        ...time,
        message: { content: words(`text ${at}`) },
      }));
      const { main, threads } = await told(lines);
      const found = [...main, ...threads.flat()].sort();
      expect(found).toEqual(lines.map((_, at) => `text ${at}`).sort());
    }),
    { numRuns: 150 },
  );
});
