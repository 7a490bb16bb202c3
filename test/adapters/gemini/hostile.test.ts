// Whatever bytes a file holds, reading it ends and does not throw.
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { fileRef } from "../../../src/adapters/folder.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { FIXTURES, metadata } from "./store.ts";

let folder: string;
const natives = globSync(join(FIXTURES, "*/native/tmp/*/chats/session-*")).map((path) => ({
  bytes: readFileSync(path),
  name: path.endsWith(".json") ? "session.json" : "session.jsonl",
}));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-test-gemini-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is wrong with how these bytes are read; throwing is worst. */
async function wrongWith(bytes: Uint8Array, name: string): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const file = await fileRef(path, "main");
  const ref: SessionRef = { agent: "gemini", originalId: "x", path, files: file ? [file] : [] };
  const source = await gemini.open(ref);
  const session = await collect(source, { records: true });
  const wrong: string[] = [];
  if (session.timeline.length !== source.skeleton.length) wrong.push("two passes differ");
  if (!sessionSchema.safeParse(session).success) wrong.push("the session is not valid");
  const raw = (session.records ?? []).map((record) => Buffer.from(record.raw, record.encoding ?? "utf8"));
  if (!Buffer.concat(raw).equals(bytes)) wrong.push("bytes are lost");
  for await (const entry of visible(source).entries()) if (entry.note) wrong.push("a note is visible");
  await gemini.recognise(path);
  return wrong;
}

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  byte: fc.integer({ min: 0, max: 255 }),
});

it("mutated and truncated files", async () => {
  expect(natives.length).toBeGreaterThan(5);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(change, { maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (which, changes, end) => {
        const { bytes, name } = natives[which % natives.length] as (typeof natives)[number];
        const native = Buffer.from(bytes);
        for (const { at, byte } of changes) native[Math.floor(at * native.length)] = byte;
        const cut = native.subarray(0, Math.ceil(native.length * (end > 0.7 ? 1 : end)));
        expect(await wrongWith(cut, name)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

it("records of any shape", async () => {
  const odd = fc.jsonValue({ maxDepth: 3 });
  const id = fc.constantFrom("m1", "m2", "m3", "c1", "shown-c1", "m1_response");
  const response = fc.record({ id: fc.oneof(id, odd), name: odd, response: odd }, { requiredKeys: [] });
  const call = fc.record({ id: fc.oneof(id, odd), name: odd, args: odd }, { requiredKeys: [] });
  const piece = fc.record(
    {
      text: odd,
      thought: odd,
      functionCall: fc.oneof(call, odd),
      functionResponse: fc.oneof(response, odd),
      inlineData: fc.oneof(odd, fc.record({ mimeType: odd, data: odd })),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(odd, fc.string(), fc.array(piece, { maxLength: 4 }));
  const kept = fc.record(
    { id: fc.oneof(id, odd), name: odd, args: odd, status: odd, result: content, resultDisplay: odd },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      id: fc.oneof(id, odd),
      timestamp: odd,
      type: fc.oneof(fc.constantFrom("user", "gemini", "info", "error", "x"), odd),
      content,
      thoughts: odd,
      tokens: odd,
      toolCalls: fc.oneof(odd, fc.array(kept, { maxLength: 3 })),
    },
    { requiredKeys: ["id", "type"] },
  );
  const set = fc.record(
    {
      messages: fc.oneof(odd, fc.array(fc.oneof(message, odd), { maxLength: 5 })),
      summary: odd,
      sessionId: odd,
    },
    { requiredKeys: [] },
  );
  const record = fc.oneof(
    message,
    fc.record({ $set: fc.oneof(set, odd) }),
    fc.record({ $rewindTo: fc.oneof(id, odd) }),
    fc.constant(metadata),
    odd,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
      const lines = records.map((one) => `${JSON.stringify(one)}\n`).join("");
      expect(await wrongWith(Buffer.from(lines), "session.jsonl")).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
