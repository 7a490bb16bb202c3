// Helpers of these tests: fixtures as Codex homes, and sessions written into private ones.
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home, SessionRef, Target, WrittenRecord } from "../../../src/adapters/adapter.ts";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { Loss } from "../../../src/session/losses.ts";
import type { Stream } from "../../../src/session/source.ts";

export const FIXTURES = join(import.meta.dirname, "fixtures");

export const fixtureNames = (await readdir(FIXTURES)).sort();

/** A fixture's `native` folder is laid out as a Codex home. */
function fixtureHome(name: string): Home {
  return { dir: "/nowhere", env: { CODEX_HOME: join(FIXTURES, name, "native") } };
}

export async function fixtureRefs(name: string): Promise<SessionRef[]> {
  const refs = await Array.fromAsync(codex.discover(fixtureHome(name)));
  return refs.sort((a, b) => (a.originalId < b.originalId ? -1 : 1));
}

export async function privateHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-test-codex-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: {} };
}

export async function put(home: Home, path: string, bytes: string | Uint8Array): Promise<string> {
  const file = join(home.dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
}

export const NOW = new Date("2026-11-15T12:00:00.000Z");

export function targetIn(home: Home, fields: Partial<Target> = {}): Target {
  return {
    home,
    originalId: "01a1e000-0000-7000-8000-000000000001",
    cwd: "/home/dev/project",
    version: "0.166.0",
    now: NOW,
    configuration: { mcpServers: [] },
    ...fields,
  };
}

export interface Result {
  records: WrittenRecord[];
  losses: Loss[];
  /** The whole main file. */
  main: string;
  /** Its lines, parsed. */
  lines: Line[];
}

export interface Line {
  timestamp: string;
  ordinal?: number;
  type: string;
  payload: Record<string, unknown> & { item?: Record<string, unknown> };
  metadata?: Record<string, unknown>;
}

export async function writeAll(stream: Stream, target: Target): Promise<Result> {
  const records: WrittenRecord[] = [];
  const losses: Loss[] = [];
  for await (const written of codex.write?.(stream, target) ?? [])
    if (written.type === "record") records.push(written);
    else losses.push(written.loss);
  const main = Buffer.concat(
    records.filter(({ file }) => file === "main").map(({ bytes }) => Buffer.from(bytes as string)),
  ).toString("utf8");
  const lines = main
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  return { records, losses, main, lines };
}

/** Carries out the plan of what was written, and opens the main session again. */
export async function applied({ records }: Result, target: Target) {
  const files = new Map<string, Buffer[]>();
  const given = async function* () {
    yield* records;
  };
  for await (const change of codex.plan?.(given(), target) ?? []) {
    const known = files.get(change.path) ?? [];
    files.set(change.path, [...known, Buffer.from(change.bytes as string)]);
  }
  for (const [path, pieces] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.concat(pieces));
  }
  const path = codex.pathOf?.(target) ?? "";
  const ref = await codex.recognise(path);
  if (!ref) throw new Error(`${path} is not recognised`);
  return { source: await codex.open(ref), files: [...files.keys()] };
}
