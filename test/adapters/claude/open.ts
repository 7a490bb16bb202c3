// Opens the fixtures of this folder: each is a copy of a `.claude` folder.
import { join } from "node:path";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";
import type { Source } from "../../../src/session/source.ts";

export const FIXTURES = join(import.meta.dirname, "fixtures");

/** Git does not keep times, and records without one are as old as their file. */
const MTIME = Date.parse("2026-11-15T12:00:00Z");

/** The sessions of a fixture, without their subagents. */
async function refsIn(fixture: string): Promise<SessionRef[]> {
  const home = { dir: "/nowhere", env: { CLAUDE_CONFIG_DIR: join(FIXTURES, fixture, "native") } };
  const refs = await Array.fromAsync(claude.discover(home));
  return refs
    .filter(({ parent }) => parent === undefined)
    .map((ref) => ({ ...ref, files: ref.files.map((file) => ({ ...file, mtimeMs: MTIME })) }));
}

export async function openFixture(fixture: string): Promise<Source> {
  const [ref] = await refsIn(fixture);
  if (!ref) throw new Error(`no session in ${fixture}`);
  return claude.open(ref);
}

export async function pathOf(fixture: string): Promise<string> {
  const [ref] = await refsIn(fixture);
  return ref?.path ?? "";
}
