// Files of any shape: read as far as they can be, or refused with a reason; never anything else.
import { mkdir, open as openFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { yume } from "../../../src/adapters/yume/index.ts";
import { BatonError } from "../../../src/session/error.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect, type Source } from "../../../src/session/source.ts";
import { fc } from "../../property.ts";

let files = 0;
async function opened(content: string, provider = "openai"): Promise<Source> {
  const dir = join(homedir(), `hostile-${files++}`);
  const path = join(dir, ".yume/sessions", provider, "s.json");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  const [ref] = await Array.fromAsync(yume.discover({ dir, env: {} }));
  if (!ref) throw new Error("not found");
  return yume.open(ref);
}

const anything = fc.jsonValue({ maxDepth: 3 });
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom("user", "assistant", "tool", "system"), anything),
    content: fc.oneof(fc.string(), anything),
    tool_calls: fc.oneof(
      fc.array(fc.record({ id: anything, name: anything, input: anything }, { requiredKeys: [] })),
      anything,
    ),
    tool_call_id: anything,
  },
  { requiredKeys: [] },
);
const file = fc.record(
  {
    provider: fc.constant("openai"),
    history: fc.array(fc.oneof(message, anything), { maxLength: 6 }),
    id: anything,
    model: anything,
    cwd: anything,
    created: anything,
    updated: anything,
    usage: anything,
    metadata: anything,
  },
  { requiredKeys: ["provider", "history"] },
);

describe("a session file", () => {
  it("of any content is a valid session", async () => {
    await fc.assert(
      fc.asyncProperty(file, async (value) => {
        const source = await opened(JSON.stringify(value));
        const session = JSON.parse(JSON.stringify(await collect(source, { records: true })));
        expect(sessionSchema.safeParse(session).error).toBeUndefined();
        expect(session.records.length).toBe(value.history.length + 1);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["no JSON", "{", "is not JSON"],
    ["no session", "[]", "has no history"],
    ["no history", '{"provider":"openai"}', "has no history"],
    [
      "another provider",
      '{"provider":"gemini","history":[]}',
      'says provider "gemini" in the folder of openai',
    ],
  ])("with %s is refused with the reason", async (_, content, reason) => {
    const attempt = opened(content);
    await expect(attempt).rejects.toBeInstanceOf(BatonError);
    await expect(attempt).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(reason),
    });
  });

  it("that is too large is refused before it is read", async () => {
    const path = join(homedir(), "large.json");
    const handle = await openFile(path, "w");
    await handle.truncate(2 ** 28 + 1);
    const { ino, size, mtimeMs } = await handle.stat();
    await handle.close();
    const files = [{ path, role: "main" as const, inode: ino, size, mtimeMs }];
    await expect(yume.open({ agent: "yume", originalId: "large", path, files })).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining("too much for one JSON document"),
    });
    expect(await yume.recognise(path)).toBeUndefined();
  });
});

describe("recognising", () => {
  it("takes only what has a history and a provider of the store", async () => {
    const path = join(homedir(), "file.json");
    const recognised = async (value: unknown) => {
      await writeFile(path, JSON.stringify(value));
      return (await yume.recognise(path))?.originalId;
    };
    expect(await recognised({ provider: "gemini", history: [] })).toBe("file");
    expect(await recognised({ provider: "other", history: [] })).toBeUndefined();
    expect(await recognised({ provider: "constructor", history: [] })).toBeUndefined();
    expect(await recognised({ provider: "gemini" })).toBeUndefined();
    expect(await yume.recognise(join(homedir(), "nothing.json"))).toBeUndefined();
  });
});
