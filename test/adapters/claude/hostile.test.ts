// Whatever bytes a file holds, reading it ends and does not throw.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import { refOf } from "../../../src/adapters/claude/paths.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { FIXTURES, pathOf } from "./open.ts";

let folder: string;
const natives: Buffer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-claude-"));
  for (const name of readdirSync(FIXTURES)) natives.push(readFileSync(await pathOf(name)));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is wrong with how these bytes are read; throwing is worst. */
async function wrongWith(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, "session.jsonl");
  await writeFile(path, bytes);
  const ref = await refOf(path);
  if (!ref) return ["the file is not found"];
  const source = await claude.open(ref);
  const session = await collect(source, { records: true });
  const wrong: string[] = [];
  if (session.timeline.length !== source.skeleton.length) wrong.push("two passes differ");
  if (!sessionSchema.safeParse(session).success) wrong.push("the session is not valid");
  const raw = (session.records ?? []).map((record) => Buffer.from(record.raw, record.encoding ?? "utf8"));
  if (!Buffer.concat(raw).equals(bytes)) wrong.push("bytes are lost");
  for await (const entry of visible(source).entries()) if (entry.note) wrong.push("a note is visible");
  await claude.recognise(path);
  return wrong;
}

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  byte: fc.integer({ min: 0, max: 255 }),
});

it("mutated and truncated files", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(change, { maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (which, changes, end) => {
        const native = Buffer.from(natives[which % natives.length] ?? Buffer.alloc(0));
        for (const { at, byte } of changes) native[Math.floor(at * native.length)] = byte;
        const cut = native.subarray(0, Math.ceil(native.length * (end > 0.7 ? 1 : end)));
        expect(await wrongWith(cut)).toEqual([]);
      },
    ),
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
    { numRuns: 400 },
  );
});
