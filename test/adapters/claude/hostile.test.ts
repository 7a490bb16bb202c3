// Whatever bytes a file holds, reading it ends and does not throw.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import { refOf } from "../../../src/adapters/claude/paths.ts";
import { fc } from "../../property.ts";
import { damaged, wrongIn } from "../hostile.ts";
import { FIXTURES, pathOf } from "./open.ts";

let folder: string;
const natives: { bytes: Buffer }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-claude-"));
  for (const name of readdirSync(FIXTURES)) natives.push({ bytes: readFileSync(await pathOf(name)) });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is wrong with how these bytes are read; throwing is worst. */
async function wrongWith(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, "session.jsonl");
  await writeFile(path, bytes);
  const ref = await refOf(path);
  if (!ref) return ["the file is not found"];
  return wrongIn(claude, ref, bytes);
}

it("mutated and truncated files", async () => {
  expect(natives.length).toBeGreaterThan(5);
  await fc.assert(
    fc.asyncProperty(damaged(natives), async ({ bytes }) => {
      expect(await wrongWith(bytes)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it("records of any shape", async () => {
  const odd = fc.jsonValue({ maxDepth: 3 });
  const field = fc.oneof(odd, fc.constantFrom("u1", "u2", "msg", "toolu", "text", "tool_use", "tool_result"));
  const block = fc.dictionary(
    fc.constantFrom("type", "text", "id", "name", "input", "tool_use_id", "content", "source"),
    field,
  );
  const message = fc.oneof(
    odd,
    fc.dictionary(fc.constantFrom("id", "model", "content", "usage"), fc.oneof(field, fc.array(block))),
  );
  const type = fc.constantFrom(
    "user",
    "assistant",
    "system",
    "attachment",
    "summary",
    "last-prompt",
    "tool_result",
    "progress",
    "x",
  );
  const record = fc.record(
    {
      type: fc.oneof(type, odd),
      uuid: field,
      parentUuid: field,
      message,
      subtype: fc.constantFrom("compact_boundary", "init", "local_command", null),
      attachment: fc.dictionary(
        fc.constantFrom("type", "content", "prompt", "files"),
        fc.oneof(field, fc.constantFrom("file", "queued_command", "diagnostics")),
      ),
      compactMetadata: fc.dictionary(fc.constantFrom("preservedSegment", "preservedMessages"), odd),
      isSidechain: fc.oneof(fc.boolean(), odd),
      isCompactSummary: fc.boolean(),
      toolUseResult: odd,
      leafUuid: field,
      timestamp: odd,
    },
    { requiredKeys: ["type"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
      const lines = records.map((one) => `${JSON.stringify(one)}\n`).join("");
      expect(await wrongWith(Buffer.from(lines))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
