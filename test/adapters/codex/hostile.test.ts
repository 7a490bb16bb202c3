// No input makes the reader throw or hang: damaged files, records of any shape, records out of place.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { fold } from "../../../src/adapters/codex/read.ts";
import { collect } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { fc } from "../../property.ts";
import { fixtureNames, fixtureRefs, privateHome, put } from "./store.ts";

const originals = await Promise.all(
  (await Promise.all(fixtureNames.map(fixtureRefs))).flat().map(async ({ path }) => ({
    name: path.endsWith(".json") ? ".json" : ".jsonl",
    bytes: await readFile(path),
  })),
);

type Damage = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  place.map(
    (at): Damage =>
      (bytes) =>
        bytes.subarray(0, Math.floor(at * bytes.length)),
  ),
  fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(
    ([at, byte]): Damage =>
      (bytes) => {
        const copy = Buffer.from(bytes);
        copy[Math.floor(at * copy.length)] = byte;
        return copy;
      },
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 40 })).map(
    ([at, added]): Damage =>
      (bytes) => {
        const middle = Math.floor(at * bytes.length);
        return Buffer.concat([bytes.subarray(0, middle), added, bytes.subarray(middle)]);
      },
  ),
  fc.tuple(place, place).map(
    ([a, b]): Damage =>
      (bytes) => {
        const lines = bytes.toString("latin1").split("\n");
        const from = Math.floor(a * lines.length);
        const [moved = ""] = lines.splice(from, 1);
        lines.splice(Math.floor(b * lines.length), 0, moved, moved);
        return Buffer.from(lines.join("\n"), "latin1");
      },
  ),
  fc.constant<Damage>((bytes) => Buffer.concat([bytes, Buffer.alloc(100)])),
);

test("damaged files are read as far as they can be", async () => {
  const home = await privateHome();
  let number = 0;
  const run = async (at: number, damages: Damage[]) => {
    const original = originals[at % originals.length]!;
    const bytes = damages.reduce<Buffer>((current, apply) => apply(current), original.bytes);
    const path = await put(home, `${number++}${original.name}`, bytes);
    const ref = { agent: "codex", originalId: "x", path, files: [] };
    await codex.recognise(path);
    const source = await codex.open(ref);
    await collect(visible(source));
    const records = await Array.fromAsync(source.records?.() ?? []);
    const raw = records.map((record) => Buffer.from(record.raw, record.encoding ?? "utf8"));
    expect(Buffer.concat(raw).equals(bytes)).toBe(true);
  };
  const cases = fc.asyncProperty(fc.nat(), fc.array(damage, { minLength: 1, maxLength: 4 }), run);
  await fc.assert(cases, { numRuns: 150 });
}, 60_000);

const types = fc.constantFrom(
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "token_usage_record"],
  ...["inter_agent_communication", "world_state", "anything"],
);
const inner = fc.constantFrom(
  ...["message", "reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"],
  ...["tool_search_call", "function_call_output", "custom_tool_call_output", "tool_search_output"],
  ...["agent_message", "image_generation_call", "compaction", "item_completed", "token_count"],
  ...["thread_rolled_back", "turn_aborted", "error", "task_started", "task_complete", "anything"],
);
const anything = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
const names = fc.constantFrom(
  ...["role", "content", "summary", "arguments", "name", "call_id", "input", "output", "action", "tools"],
  ...[
    "item",
    "info",
    "num_turns",
    "message",
    "replacement_history",
    "id",
    "cwd",
    "model",
    "usage",
    "changes",
  ],
  ...["command", "error", "source", "history_base", "namespace", "__proto__", "constructor", "timestamp"],
);
const payload = fc
  .tuple(inner, fc.dictionary(names, fc.oneof(anything, inner, fc.array(anything))))
  .map(([type, fields]) => ({ ...fields, type }));
const shape = fc.oneof(
  fc
    .tuple(types, payload)
    .map(([type, given]) => ({ timestamp: "2026-01-01T00:00:00Z", type, payload: given })),
  payload,
  anything,
);

test("records of any shape are folded or reported", () => {
  const cases = fc.property(fc.array(shape, { maxLength: 30 }), (values) => {
    const state = fold.initial({ path: "", originalId: "x" });
    for (const [index, value] of values.entries()) {
      const folded = fold.step(state, {
        ...{ index, line: index + 1, offset: 0, length: 0, value: JSON.parse(JSON.stringify(value)) },
        ...{ whole: true, terminated: true, losses: [], bytes: Buffer.alloc(0) },
      });
      for (const found of folded) if (found.type === "entry") expect(typeof found.entry.id).toBe("string");
    }
    expect(JSON.stringify(state).length).toBeLessThan(64 * 1024);
  });
  fc.assert(cases, { numRuns: 500 });
});

test("the state stays small however long a session grows", () => {
  const state = fold.initial({ path: "", originalId: "x" });
  for (let index = 0; index < 5000; index++) {
    const step = (value: object) =>
      fold.step(state, {
        ...{ index, line: index, offset: 0, length: 0, value: { timestamp: "2026", ...value } },
        ...{ whole: true, terminated: true, losses: [], bytes: Buffer.alloc(0) },
      });
    const long = `${index}`.repeat(100);
    step({ type: `type ${long}`, payload: {} });
    step({ type: "response_item", payload: { type: "message", role: "user", content: "q" } });
    step({
      type: "response_item",
      payload: { type: "function_call", name: "shell", call_id: long, arguments: "{}" },
    });
    step({
      type: "event_msg",
      payload: {
        type: "item_completed",
        item: { id: `c${index}`, exit_code: 1, kind: "started", agent_thread_id: `t${index}` },
      },
    });
    step({ type: "session_meta", payload: { id: long } });
  }
  expect(JSON.stringify(state).length).toBeLessThan(64 * 1024);
});

test("a thread that builds on itself, or on files that are gone, is read", async () => {
  const home = await privateHome();
  const id = (n: number) => `01a1e000-0000-7000-8000-00000000000${n}`;
  const write = (n: number, base: number, end: number) =>
    put(
      home,
      `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id(n)}.jsonl`,
      `${JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", ordinal: 0, type: "session_meta", payload: { id: id(n), history_base: { thread_id: id(base), end_byte_offset: end } } })}\n`,
    );
  await write(1, 1, 50);
  await write(2, 3, 1e9);
  await write(3, 2, -5);
  await write(4, 5, 10);
  const losses: string[] = [];
  for await (const ref of codex.discover(home))
    for (const { kind } of (await codex.open(ref)).losses) losses.push(kind);
  expect(losses.filter((kind) => kind === "file_missing").length).toBe(2);
});
