// Content of the wrong shape: what is text stays text, the rest is reported, nothing throws.
import { describe, expect, it } from "vitest";
import { collect, sourceOf } from "../../../src/session/source.ts";
import { openLines } from "./open.ts";
import { writtenAndRead } from "./written.ts";

const line = (uuid: string, type: string, content: unknown) => ({
  type,
  uuid,
  timestamp: "2026-01-02T03:04:05.000Z",
  cwd: "/project",
  message: { role: type, id: `m-${uuid}`, model: "claude-x", content },
});

async function read(...lines: unknown[]) {
  const source = await openLines(lines);
  const { timeline } = await collect(source);
  return { source, timeline, losses: source.losses.map(({ kind, at, detail }) => [kind, at.record, detail]) };
}

describe("content", () => {
  it.each([
    ["null", null],
    ["an object", { type: "text", text: "not a list" }],
    ["a number", 42],
    ["a boolean", true],
  ])("that is %s is reported", async (what, content) => {
    const detail = `content that is ${what} instead of a list`;
    const { losses } = await read(line("1", "user", content), line("2", "assistant", content));
    expect(losses).toEqual([
      ["record_malformed", 0, detail],
      ["record_malformed", 1, detail],
    ]);
  });

  it("keeps bare strings in a list and reports what else stands there", async () => {
    const { timeline, losses } = await read(
      line("1", "user", ["bare", 5, null]),
      line("2", "assistant", [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }]),
      line("3", "user", [{ type: "tool_result", tool_use_id: "t", content: ["out", ["in"]] }]),
      line("4", "assistant", ["said", { type: "text", text: 5 }]),
    );
    expect(timeline).toMatchObject([
      { type: "user", content: "bare" },
      { type: "tool_call" },
      { type: "tool_result", output: "out" },
      { type: "assistant", content: "said" },
    ]);
    expect(losses).toEqual([
      ["record_malformed", 0, "content with a number in it"],
      ["record_malformed", 0, "content with null in it"],
      ["record_malformed", 2, "content with a list in it"],
      ["record_malformed", 3, "a block of text without text"],
    ]);
  });

  it("of a result may be missing", async () => {
    const { losses } = await read(
      line("1", "assistant", [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }]),
      line("2", "user", [{ type: "tool_result", tool_use_id: "t" }]),
    );
    expect(losses).toEqual([]);
  });
});

it("what is nested without end is replaced by a note, and the record comes back as it was", async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const at = (index: number, type: string, content: string) =>
    JSON.stringify(line(String(index), type, "CONTENT")).replace('"CONTENT"', content);
  const lines = [
    at(1, "user", `[{"type":"new","x":${deep}},{"type":"text","text":${deep}}]`),
    at(
      2,
      "assistant",
      `[{"type":"new","x":${deep}},{"type":"tool_use","id":"t","name":"mcp__a","input":${deep}}]`,
    ),
    at(3, "user", `[{"type":"tool_result","tool_use_id":"t","content":[{"type":"new","x":${deep}}]}]`),
  ];
  const { source, losses } = await read(...lines);
  expect(losses.filter(([kind]) => kind === "record_malformed").map(([, record]) => record)).toEqual([
    0, 0, 0, 1, 1, 2,
  ]);
  const session = JSON.parse(JSON.stringify(await collect(source, { records: true })));
  const { files } = await writtenAndRead(sourceOf(session), { title: session.title });
  expect(String([...files.values()][0])).toBe(`${lines.join("\n")}\n`);
});

it("a call in mid-session that was never answered is said to be left out", async () => {
  const call = (id: string) => [{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }];
  const { source } = await read(
    line("1", "user", "go"),
    line("2", "assistant", call("early")),
    line("3", "user", "on"),
    line("4", "assistant", call("late")),
  );
  const told = source.losses.map(({ at, detail }) => [at.entry, detail.includes("no longer sends")]);
  expect(told).toEqual([
    ["early", true],
    ["late", false],
  ]);
});
