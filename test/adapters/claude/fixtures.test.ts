// Every generation and every oddity, read as it should be. UPDATE_FIXTURES=1 renews the golden files.
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Loss } from "../../../src/session/losses.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect, type Source } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { FIXTURES, openFixture } from "./open.ts";

const names = readdirSync(FIXTURES);

describe.each(names)("%s", (name) => {
  it("reads as recorded", async () => {
    const source = await openFixture(name);
    const seen = await Array.fromAsync(visible(source).entries());
    const found = {
      session: await collect(source),
      losses: await lossesOf(source),
      visible: seen.map(({ id, type }) => `${type} ${id}`),
    };
    for (const [file, value] of Object.entries(found)) {
      const [read, golden] = await compared(join(FIXTURES, name, `${file}.json`), value);
      expect(read).toBe(golden);
    }
  });

  it("is a valid session", async () => {
    const session = await collect(await openFixture(name), { records: true });
    expect(sessionSchema.safeParse(JSON.parse(JSON.stringify(session))).error).toBeUndefined();
  });
});

async function lossesOf(source: Source): Promise<Loss[]> {
  const losses = [...source.losses];
  for await (const child of source.children()) losses.push(...(await lossesOf(child)));
  return losses;
}

async function compared(path: string, value: unknown): Promise<[string, string]> {
  const found = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) await writeFile(path, found);
  return [found, await readFile(path, "utf8")];
}
