// Lines of any shape: messages are read, everything else is reported, and nothing throws.
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { conversation } from "../../../src/adapters/conversation/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect, type Source } from "../../../src/session/source.ts";
import { fc } from "../../property.ts";

let files = 0;
async function opened(lines: readonly string[]): Promise<Source> {
  const project = join(homedir(), `project-${files++}`);
  await mkdir(join(project, ".conversations"), { recursive: true });
  await writeFile(join(project, ".conversations", "c.jsonl"), lines.map((line) => `${line}\n`).join(""));
  const [ref] = await Array.fromAsync(
    conversation.discover({ dir: homedir(), env: {}, projects: [project] }),
  );
  if (!ref) throw new Error("not found");
  return conversation.open(ref);
}

const anything = fc.jsonValue({ maxDepth: 2 });
const line = fc.oneof(
  fc
    .record(
      {
        id: anything,
        ts: fc.oneof(fc.double(), anything),
        role: fc.oneof(fc.constantFrom("user", "assistant", "system"), anything),
        model: anything,
        content: fc.oneof(fc.string(), anything),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  anything.map((value) => JSON.stringify(value)),
  fc.string().map((text) => text.replaceAll("\n", "")),
);

it("any lines are a valid session", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
      const source = await opened(lines);
      const session = JSON.parse(JSON.stringify(await collect(source, { records: true })));
      expect(sessionSchema.safeParse(session).error).toBeUndefined();
    }),
    { numRuns: 80 },
  );
});

it("every message is an entry, and every other line a loss", async () => {
  const source = await opened([
    '{"id":"a","ts":1,"role":"user","content":"hi"}',
    '{"id":"b","ts":2,"role":"robot","content":"?"}',
    '{"id":"c","ts":3,"role":"user","content":7}',
    "[]",
    '{"id":"d","ts":1e300,"role":"assistant","content":"late"}',
  ]);
  expect((await Array.fromAsync(source.entries())).map(({ id }) => id)).toEqual(["a", "d"]);
  expect(source.losses.map(({ kind, at }) => [kind, at.line])).toEqual([
    ["record_unknown", 2],
    ["record_malformed", 3],
    ["record_unknown", 4],
    ["timestamp_missing", 5],
  ]);
});

it("only its own lines are recognised", async () => {
  const path = join(homedir(), "some.jsonl");
  const recognised = async (text: string) => {
    await writeFile(path, text);
    return (await conversation.recognise(path))?.originalId;
  };
  expect(await recognised('\n{"id":"a","ts":1,"role":"user","content":"hi"}\n')).toBe("some");
  expect(await recognised('{"type":"user","ts":1,"role":"user","content":"hi"}\n')).toBeUndefined();
  expect(await recognised('{"role":"user","content":"hi"}\n')).toBeUndefined();
  expect(await recognised("")).toBeUndefined();
  expect(await conversation.recognise(homedir())).toBeUndefined();
});
