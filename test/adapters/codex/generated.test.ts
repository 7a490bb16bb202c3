// Generated sessions: written for Codex and read back, they are the same except for what the losses announce.

import { expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { Entry, Part, Session } from "../../../src/session/session.ts";
import { collect, sourceOf } from "../../../src/session/source.ts";
import { prepare } from "../../../src/switch/prepare.ts";
import { visible } from "../../../src/transform/visible.ts";
import { fc } from "../../property.ts";
import { sessionOf } from "./carried.ts";
import { applied, privateHome, targetIn, writeAll } from "./store.ts";

const words = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    "<environment_context>x",
    "# AGENTS.md",
    "</image>",
    "Chunk ID: 1",
    "Exit code: 3\n",
    "aborted",
    "\u2028",
  ),
);
/** How a PNG begins, in whole groups of base64. */
const PNG = "iVBORw0K";

const image: fc.Arbitrary<Part> = fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => ({
  type: "image",
  mimeType: "image/png",
  data: PNG + Buffer.from(bytes).toString("base64"),
}));
const parts = fc.array(
  fc.oneof(
    words.map((text): Part => ({ type: "text", text })),
    image,
  ),
  { minLength: 1, maxLength: 3 },
);
const textOf = (all: readonly Part[]) =>
  all.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const tool = fc.oneof(
  fc.record({
    tool: fc.constant("bash"),
    input: fc.record({ command: words }),
    originalTool: fc.constant("Bash"),
  }),
  fc.record({
    tool: fc.constant("write"),
    input: fc.record({ path: fc.constant("/a"), content: words }),
    originalTool: fc.constant("Write"),
  }),
  fc.record({
    tool: fc.constant("edit"),
    input: fc.record({
      path: fc.constant("/a"),
      edits: fc.array(fc.record({ old: words, new: words }), { minLength: 1, maxLength: 3 }),
    }),
    originalTool: fc.constant("Edit"),
  }),
  fc.record({
    tool: fc.constant("unknown"),
    input: fc.dictionary(fc.constantFrom("a", "b"), words),
    originalTool: fc.constantFrom("mcp__s__t", "Todo", "x.y", "exec"),
  }),
);
const exchange = fc
  .tuple(
    tool,
    fc.boolean(),
    fc.oneof(
      words.map((output) => ({ output })),
      parts.map((all) => ({ output: textOf(all), parts: all })),
    ),
  )
  .map(([call, success, answer]) => ({ call, success, answer }));
const step = fc.oneof(
  fc.record({ say: fc.constant("user"), parts, injected: fc.boolean() }),
  fc.record({
    say: fc.constant("assistant"),
    parts: parts.map((all) => all.filter(({ type }) => type === "text")),
  }),
  fc.record({ say: fc.constant("calls"), calls: fc.array(exchange, { minLength: 1, maxLength: 3 }) }),
);

interface Step {
  say: string;
  parts?: Part[];
  injected?: boolean;
  calls?: { call: object; success: boolean; answer: object }[];
}

function timelineOf(steps: readonly Step[]): object[] {
  return steps.flatMap(({ say, parts: all = [], injected, calls = [] }, number): object[] => {
    if (say !== "calls")
      return [
        { type: say, content: textOf(all), parts: all, ...(say === "user" && injected && { injected }) },
      ];
    const id = (at: number) => `call-${number}-${at}`;
    return [
      ...calls.map(({ call }, at) => ({
        type: "tool_call",
        id: id(at),
        turn: `t${number}`,
        originalInput: {},
        ...call,
      })),
      ...calls.map(({ success, answer }, at) => ({
        type: "tool_result",
        callId: id(at),
        success,
        ...answer,
      })),
    ];
  });
}

/** What must come back: who said what, in which order, with which bytes and arguments, and how calls ended. */
function facts(entry: Entry): unknown[] {
  const media = (entry.parts ?? []).flatMap((part) => (part.type === "image" ? [part.data] : []));
  if (entry.type === "tool_call") return [entry.type, entry.id, entry.tool, entry.input];
  const texts = (entry.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  const plain = entry.type === "tool_result" ? entry.output : "content" in entry ? entry.content : "";
  const told = entry.parts ? texts : [plain];
  return [
    ...told.filter((text) => text !== ""),
    ...media,
    ...(entry.type === "tool_result" ? [entry.callId, entry.success] : []),
  ];
}

test("what is written reads back as it was", async () => {
  const home = await privateHome();
  let number = 0;
  const cases = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
    const source = sourceOf(sessionOf(timelineOf(steps as Step[])));
    const stream = prepare(visible(source), { thinking: "drop" });
    const originalId = `01a1e000-0000-7000-8000-${String(number++).padStart(12, "0")}`;
    const target = targetIn(home, { originalId });
    const found = await writeAll(stream, target);
    const { source: copy } = await applied(found, target);
    const before = (await Array.fromAsync(stream.entries()))
      .map((entry) => facts(entry))
      .filter((fact) => fact.length > 0);
    const after = (await Array.fromAsync(copy.entries())).map((entry) => facts(entry));
    expect(after).toEqual(before);
    const said = found.records.flatMap(({ file, says }) => (file === "main" ? says : []));
    expect((await Array.fromAsync(copy.entries())).map(({ type }) => type)).toEqual(
      said.map(([type]) => type),
    );
    expect(found.losses.filter(({ severity }) => severity !== "info")).toEqual([]);
  });
  await fc.assert(cases, { numRuns: 150 });
}, 60_000);

test("writing is the same whenever it is done", async () => {
  const home = await privateHome();
  const cases = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
    const stream = prepare(visible(sourceOf(sessionOf(timelineOf(steps as Step[])))), { thinking: "drop" });
    const twice = await Promise.all([0, 1].map(() => writeAll(stream, targetIn(home))));
    expect(twice[0]?.main).toBe(twice[1]?.main);
  });
  await fc.assert(cases, { numRuns: 30 });
  expect(codex.write).toBeDefined();
});

const isEditable = (entry: Entry) =>
  entry.type === "tool_result" || ((entry.type === "user" || entry.type === "assistant") && !entry.injected);

test("one edit changes one entry, its record and what shows it, and nothing else", async () => {
  const home = await privateHome();
  let number = 0;
  const cases = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 6 }),
    fc.nat(),
    async (steps, pick) => {
      const stream = prepare(visible(sourceOf(sessionOf(timelineOf(steps as Step[])))), { thinking: "drop" });
      const originalId = `01a1e000-0000-7000-8001-${String(number++).padStart(12, "0")}`;
      const target = targetIn(home, { originalId });
      const { main, ...found } = await writeAll(stream, target);
      const { source } = await applied({ main, ...found }, target);
      const session = JSON.parse(JSON.stringify(await collect(source, { records: true }))) as Session;
      const editable = session.timeline.filter(isEditable);
      const edited = editable[pick % Math.max(editable.length, 1)];
      if (!edited) return;
      const record = edited.records?.[0] ?? -1;
      Object.assign(edited, edited.type === "tool_result" ? { output: "EDITED" } : { content: "EDITED" });
      const back = await writeAll(sourceOf(session), target);
      const lines = main.split("\n");
      const now = back.main.split("\n");
      expect(now.length).toBe(lines.length);
      const changed = now.flatMap((line, at) => (line === lines[at] ? [] : [at]));
      expect(changed).toContain(record);
      for (const at of changed.filter((one) => one !== record))
        expect(["item_completed", "task_complete"]).toContain(JSON.parse(now[at] ?? "").payload.type);
      expect(changed.length).toBeLessThanOrEqual(3);
      const { source: copy } = await applied(back, target);
      const after = JSON.parse(JSON.stringify(await Array.fromAsync(copy.entries()))) as Entry[];
      const others = (entries: readonly Entry[]) => entries.filter(({ id }) => id !== edited.id);
      expect(others(after)).toEqual(others(session.timeline));
      const text = after.find(({ id }) => id === edited.id);
      expect(text && ("output" in text ? text.output : "content" in text && text.content)).toBe("EDITED");
    },
  );
  await fc.assert(cases, { numRuns: 100 });
}, 60_000);
