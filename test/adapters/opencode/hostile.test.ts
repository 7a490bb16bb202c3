// Whatever a store holds, reading it ends and does not throw, and a copy of it can be written.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Home } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { storedLine } from "../../../src/storage/rows.ts";
import { thread, visible } from "../../../src/transform/visible.ts";
import { fc } from "../../property.ts";
import { emptyStore } from "./database.ts";

let folder: string;
let number = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-test-opencode-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is wrong with how the sessions of a home are read; throwing is worst. */
async function wrongWith(home: Home): Promise<string[]> {
  const wrong: string[] = [];
  const onProblem = (path: string, error: Error) => wrong.push(`${path}: ${error.message}`);
  for (const ref of opencode.discover(home, { onProblem })) {
    const source = await opencode.open(ref);
    const session = await collect(source, { records: true });
    if (session.timeline.length !== source.skeleton.length) wrong.push("two passes differ");
    const { error } = sessionSchema.safeParse(JSON.parse(JSON.stringify(session)));
    if (error) wrong.push(error.message);
    for await (const entry of visible(source).entries()) if (entry.note) wrong.push("a note is visible");
    const rest = { cwd: "/home/dev", version: "1.18.33", now: new Date(), configuration: { mcpServers: [] } };
    const target = { home, originalId: "ses_copy", ...rest };
    for await (const one of opencode.write!(thread(source), target))
      if (one.type === "record") storedLine(String(one.bytes));
  }
  return wrong;
}

function newHome(): Home {
  const dir = join(folder, String(number++));
  mkdirSync(dir);
  return { dir, env: {} };
}

const odd = fc.jsonValue({ maxDepth: 3 });
const id = fc.constantFrom("msg_1", "msg_2", "msg_3", "prt_1", "prt_2", "ses_1", "ses_2", "call_1");
const time = fc.oneof(fc.record({ created: odd, completed: odd, start: odd, end: odd, compacted: odd }), odd);
const state = fc.record(
  {
    status: fc.oneof(fc.constantFrom("completed", "error", "running", "pending"), odd),
    input: odd,
    output: odd,
    error: odd,
    title: odd,
    metadata: fc.oneof(
      fc.record({ sessionId: fc.oneof(id, odd), exit: odd, interrupted: odd, output: odd }),
      odd,
    ),
    attachments: odd,
    time,
  },
  { requiredKeys: [] },
);
const type = fc.constantFrom(
  ...[
    "text",
    "reasoning",
    "tool",
    "file",
    "step-start",
    "step-finish",
    "compaction",
    "subtask",
    "patch",
    "x",
  ],
);
const part = fc.record(
  {
    type: fc.oneof(type, odd),
    id: odd,
    text: fc.oneof(fc.string(), odd),
    tool: fc.oneof(fc.constantFrom("read", "edit", "apply_patch", "bash", "todowrite", "task"), odd),
    callID: fc.oneof(id, odd),
    state: fc.oneof(state, odd),
    mime: fc.oneof(fc.constantFrom("image/png", "text/plain"), odd),
    url: odd,
    synthetic: odd,
    tail_start_id: fc.oneof(id, odd),
    tokens: odd,
    cost: odd,
  },
  { requiredKeys: ["type"] },
);
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom("user", "assistant"), odd),
    time,
    parentID: fc.oneof(id, odd),
    summary: fc.oneof(fc.constant(true), odd),
    finish: odd,
    error: fc.oneof(fc.record({ name: fc.oneof(fc.constant("MessageAbortedError"), odd), data: odd }), odd),
    modelID: odd,
    providerID: odd,
    model: odd,
    path: odd,
    parts: fc.oneof(fc.array(part, { maxLength: 2 }), odd),
  },
  { requiredKeys: ["role"] },
);
/** As JSON, cut short, or no text at all. */
const written = (value: fc.Arbitrary<unknown>): fc.Arbitrary<SQLInputValue> =>
  fc.tuple(value, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(9)).map(([content, end, kind]) => {
    const json = JSON.stringify(content);
    if (kind === 0) return json.slice(0, Math.floor(json.length * end));
    if (kind === 1) return Buffer.from(json);
    return kind === 2 ? 12n ** 17n : json;
  });
const number64 = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.string());
const row = fc.record({
  id,
  data: written(message),
  time: number64,
  parts: fc.array(written(part), { maxLength: 4 }),
});

it("rows of any content", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 5 }),
      written(fc.record({ messageID: fc.oneof(id, odd), partID: fc.oneof(id, odd) }, { requiredKeys: [] })),
      fc.oneof(id, fc.string()),
      number64,
      async (rows, revert, parent, updated) => {
        const home = newHome();
        const database = new DatabaseSync(emptyStore(home.dir));
        const run = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).run(...values);
        database.exec("PRAGMA foreign_keys = OFF");
        run(
          "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated, parent_id, revert) VALUES ('ses_1', 'global', 's', '/x', 't', '1', 1, ?, ?, ?)",
          ...[updated, parent, revert],
        );
        let count = 0;
        for (const { id: name, data, time: at, parts } of rows) {
          run("INSERT OR IGNORE INTO message VALUES (?, 'ses_1', ?, ?, ?)", name, at, at, data);
          for (const one of parts)
            run("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?, ?)", `prt_${count++}`, name, at, at, one);
        }
        database.close();
        expect(await wrongWith(home)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

it("files of any content, in either tree", async () => {
  const file = fc
    .tuple(fc.oneof(message, part, odd), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([content, end]) => {
      const json = JSON.stringify(content, null, 2);
      return end > 0.8 ? json.slice(0, Math.floor((json.length * (end - 0.8)) / 0.2)) : json;
    });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(file, fc.array(file, { maxLength: 3 })), { minLength: 1, maxLength: 4 }),
      file,
      fc.boolean(),
      async (messages, info, isOlder) => {
        const home = newHome();
        const data = join(home.dir, ".local/share/opencode");
        const base = isOlder ? join(data, "project/x/storage/session") : join(data, "storage");
        const put = (path: string, content: string) => {
          mkdirSync(join(base, path, ".."), { recursive: true });
          writeFileSync(join(base, path), content);
        };
        put(isOlder ? "info/ses_1.json" : "session/global/ses_1.json", info);
        for (const [at, [content, parts]] of messages.entries()) {
          put(`message/ses_1/msg_${at}.json`, content);
          const below = isOlder ? `part/ses_1/msg_${at}` : `part/msg_${at}`;
          for (const [place, one] of parts.entries()) put(`${below}/prt_${place}.json`, one);
        }
        expect(await wrongWith(home)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

it("lines and exported files that are mutated or cut", async () => {
  const lines = readFileSync(join(import.meta.dirname, "fixtures/parts/native/opencode.db.jsonl"));
  const exported = Buffer.from(
    JSON.stringify({
      info: { id: "ses_1", title: "t" },
      messages: [{ info: { id: "m", role: "user" }, parts: [{ id: "p", type: "text", text: "x" }] }, 7, null],
    }),
  );
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(change, { maxLength: 10 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (isLines, changes, end) => {
        const native = Buffer.from(isLines ? lines : exported);
        for (const [at, byte] of changes) native[Math.floor(at * native.length)] = byte;
        const path = join(folder, isLines ? "session.jsonl" : "session.json");
        writeFileSync(path, native.subarray(0, Math.ceil(native.length * (end > 0.5 ? 1 : end))));
        const ref = await opencode.recognise(path);
        const found = ref ?? { agent: "opencode", originalId: "x", path, files: [] };
        const source = await opencode.open(found);
        const session = await collect(source);
        expect(session.timeline.length).toBe(source.skeleton.length);
        expect(sessionSchema.safeParse(JSON.parse(JSON.stringify(session))).error).toBeUndefined();
      },
    ),
    { numRuns: 60 },
  );
});
