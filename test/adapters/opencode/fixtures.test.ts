// Golden fixtures: a recorded session of the real CLI, and hand-made ones for what it no longer or seldom writes.
// UPDATE_FIXTURES=1 renews what they are expected to read as.
import { cpSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { sessionSchema } from "../../../src/session/schema.ts";
import { collect } from "../../../src/session/source.ts";
import { buildDatabases } from "./database.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

describe.each(readdirSync(FIXTURES))("fixture %s", (name) => {
  test("reads as expected", async () => {
    const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const store = join(dir, ".local", "share", "opencode");
    cpSync(join(FIXTURES, name, "native"), store, { recursive: true });
    buildDatabases(store);
    const sessions: Record<string, unknown> = {};
    const losses: Record<string, unknown> = {};
    for await (const ref of opencode.discover({ dir, env: {} })) {
      const source = await opencode.open(ref);
      const session = await collect(source);
      expect(sessionSchema.safeParse(JSON.parse(JSON.stringify(session))).error).toBeUndefined();
      sessions[ref.originalId] = session;
      losses[ref.originalId] = source.losses;
    }
    expect(Object.keys(sessions).length).toBeGreaterThan(0);
    await golden(join(FIXTURES, name, "session.json"), sessions);
    await golden(join(FIXTURES, name, "losses.json"), losses);
  });
});

async function golden(path: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_FIXTURES) await writeFile(path, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(await readFile(path, "utf8")));
}
