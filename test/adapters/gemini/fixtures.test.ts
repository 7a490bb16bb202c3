// Golden fixtures: recorded and scrubbed sessions of the real CLI, and hand-made ones for what it no longer writes
// and for damage. UPDATE_FIXTURES=1 renews what they are expected to read as.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { cases, laidOut } from "../../conformance/fixtures.ts";
import { FIXTURES } from "./store.ts";

const own = cases.filter(({ adapter }) => adapter === gemini).map((one) => [one.fixture, one] as const);

describe.each(own)("fixture %s", (name, one) => {
  test("reads as expected", async () => {
    const sessions: Record<string, unknown> = {};
    const losses: Record<string, unknown> = {};
    for (const ref of await laidOut(one)) {
      const source = await gemini.open(ref);
      const session = await collect(source);
      expect(sessionSchema.safeParse(session).error).toBeUndefined();
      sessions[ref.originalId] = session;
      losses[ref.originalId] = source.losses;
    }
    expect(Object.keys(sessions).length).toBeGreaterThan(0);
    await golden(join(FIXTURES, name, "session.json"), sessions);
    await golden(join(FIXTURES, name, "losses.json"), losses);
  });

  test("is recognised file by file", async () => {
    for (const { originalId, path, parent } of await laidOut(one)) {
      if (parent !== undefined) continue;
      expect(await gemini.recognise(path)).toMatchObject({ agent: "gemini", originalId, path });
    }
  });
});

async function golden(path: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) await writeFile(path, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(await readFile(path, "utf8")));
}
