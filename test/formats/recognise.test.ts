// Which format a file is in shows in its content: every format is known as itself alone, no agent's file is taken for
// one, and no agent takes one for its own.
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { formats } from "../../src/formats/index.ts";
import type { Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();

const universalSession: Session = session([user("u"), assistant("a"), call("c1"), result("c1")]);

describe("recognising", () => {
  const readable = formats.filter(({ read }) => read);

  it.each(readable.map((format) => [format.id, format] as const))(
    "%s and nothing else",
    async (id, format) => {
      const path = join(folder(), `recognise-${id}`);
      const pieces = await Array.fromAsync(format.write(sourceOf(universalSession)));
      await writeFile(path, pieces.join(""));
      expect(await recognisedAs(path)).toEqual([id]);
      for (const adapter of adapters)
        expect([adapter.id, await adapter.recognise(path)]).toEqual([adapter.id, undefined]);
    },
  );

  it.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))(
    "no file of %s is taken for one",
    async (_, one) => {
      for (const { path, thread } of await laidOut(one))
        if (thread === undefined) expect(await recognisedAs(path)).toEqual([]);
    },
  );

  it.each([
    [
      "an export of another program",
      { info: { id: "s" }, messages: [{ info: { role: "user" }, parts: [] }] },
    ],
    [
      "messages with a type of their own",
      { sessionId: "s", messages: [{ id: "1", type: "user", content: "x" }] },
    ],
    ["a session of a store", { provider: "gemini", model: "m", history: [{ role: "user", content: "x" }] }],
    ["parts that have types", [{ role: "user", parts: [{ type: "text", text: "x" }] }]],
    ["an empty list", []],
    ["a list of numbers", [1, 2]],
    ["an object of no kind", { messages: [] }],
    ["a package", { name: "x", version: "1.0", dependencies: {} }],
  ])("not %s", async (_, value) => {
    const path = join(folder(), "none.json");
    await writeFile(path, JSON.stringify(value));
    expect(await recognisedAs(path)).toEqual([]);
  });

  async function recognisedAs(path: string): Promise<string[]> {
    const found: string[] = [];
    for (const { id, recognise } of formats) if (await recognise?.(path)) found.push(id);
    return found;
  }
});

describe("a file that cannot be one string", () => {
  const documents = formats.filter(({ id, read }) => read && id !== "universal-jsonl");

  it.each(documents.map((format) => [format.id, format] as const))(
    "is refused by %s with advice",
    async (_, format) => {
      const path = join(folder(), "huge.json");
      const file = await open(path, "w");
      await file.truncate(2 ** 29);
      await file.close();
      expect(await format.recognise?.(path)).toBe(false);
      await expect(format.read?.(path)).rejects.toMatchObject({
        code: "unsupported",
        hint: expect.stringContaining("universal-jsonl"),
      });
    },
  );
});
