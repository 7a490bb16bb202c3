// Opens the fixtures of this folder: each is a copy of a `.claude` folder.
import { mkdtemp, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";
import { refOf } from "../../../src/adapters/claude/paths.ts";
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

/** A session of these lines: objects, or text as it should stand in the file. */
export async function openLines(lines: readonly unknown[]): Promise<Source> {
  // The home of the test file, which goes away with it.
  const path = join(await mkdtemp(join(homedir(), "lines-")), "session.jsonl");
  await writeFile(
    path,
    lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
  );
  const ref = await refOf(path);
  if (!ref) throw new Error("the file was not found");
  return claude.open(ref);
}
