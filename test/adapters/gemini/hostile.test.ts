// Whatever bytes a file holds, reading it ends and does not throw.
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { fileRef } from "../../../src/adapters/folder.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { fc } from "../../property.ts";
import { damaged, wrongIn } from "../hostile.ts";
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
  return wrongIn(gemini, ref, bytes);
}

it("mutated and truncated files", async () => {
  expect(natives.length).toBeGreaterThan(5);
  await fc.assert(
    fc.asyncProperty(damaged(natives), async ({ bytes, name }) => {
      expect(await wrongWith(bytes, name)).toEqual([]);
    }),
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
