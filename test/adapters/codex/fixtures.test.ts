// Golden fixtures: recorded and scrubbed sessions of the real CLI, and hand-made ones for generations that it
// no longer writes. UPDATE_FIXTURES=1 renews what they are expected to read as.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { FIXTURES, fixtureNames, fixtureRefs } from "./store.ts";

describe.each(fixtureNames)("fixture %s", (name) => {
  test("reads as expected", async () => {
    const refs = await fixtureRefs(name);
    expect(refs.length).toBeGreaterThan(0);
    const sessions: Record<string, unknown> = {};
    const losses: Record<string, unknown> = {};
    for (const ref of refs) {
      const source = await codex.open(ref);
      const session = await collect(source);
      expect(sessionSchema.safeParse(session).error).toBeUndefined();
      sessions[ref.originalId] = session;
      losses[ref.originalId] = source.losses;
    }
    await golden(join(FIXTURES, name, "session.json"), sessions);
    await golden(join(FIXTURES, name, "losses.json"), losses);
  });

  test("is recognised file by file", async () => {
    for (const ref of await fixtureRefs(name)) {
      const found = await codex.recognise(ref.path);
      expect(found).toMatchObject({ agent: "codex", originalId: ref.originalId, path: ref.path });
    }
  });

  test("holds no trace of the machine it was recorded on", async () => {
    for (const ref of await fixtureRefs(name)) {
      const text = await readFile(ref.path, "latin1");
      const traces = [process.cwd(), "base_instructions", "You are Codex"];
      expect(traces.filter((trace) => text.includes(trace))).toEqual([]);
    }
  });
});

async function golden(path: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) await writeFile(path, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(await readFile(path, "utf8")));
}
