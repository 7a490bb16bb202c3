// A home with sessions in it, and what the archive makes of them, for the tests of the archive.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Adapter, Home } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { bytesIn, versionsIn, withIndex } from "../../src/catalog/archive/read.ts";
import type { Found } from "../../src/catalog/scan.ts";

export interface Place {
  home: Home;
  batonHome: string;
}

export function newPlace(): Place {
  const dir = mkdtempSync(join(tmpdir(), "archive-"));
  return { home: { dir, env: {}, projects: [] }, batonHome: join(dir, ".baton") };
}

const SAMPLES = join(import.meta.dirname, "../../samples");

/** The sample sessions of all agents. */
export async function samplePlace(): Promise<Place> {
  const place = newPlace();
  for (const agent of readdirSync(SAMPLES))
    if (statSync(join(SAMPLES, agent)).isDirectory())
      await cp(join(SAMPLES, agent, "native"), place.home.dir, { recursive: true });
  return place;
}

export async function found({ home }: Place, own: readonly Adapter[] = adapters): Promise<Found[]> {
  const all: Found[] = [];
  for (const adapter of own) for await (const ref of adapter.discover(home)) all.push({ adapter, ref });
  return all;
}

export function write(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A session of one file, of which only its lines matter. */
export function logPath(
  { home }: Place,
  name = "00000000-0000-4000-8000-00000000000a",
  project = "-p",
): string {
  return join(home.dir, ".claude", "projects", project, `${name}.jsonl`);
}

/** Lines that hardly compress, so that sizes tell what was written. */
export function lines(count: number, seed: number): string {
  const letters = (at: number) =>
    createHash("shake256", { outputLength: 750 }).update(`${seed}:${at}`).digest("base64");
  return Array.from(
    { length: count },
    (_, at) => `{"type":"user","n":${at},"content":"${letters(at)}"}\n`,
  ).join("");
}

/** What the archive holds under a name; `version` counts from the newest. */
export async function kept({ batonHome }: Place, name: string, version = 0): Promise<string | undefined> {
  return withIndex(batonHome, undefined, async (database) => {
    const wanted = versionsIn(database, name)[version];
    if (!wanted) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of bytesIn(batonHome, database, name, { until: wanted.until })) pieces.push(piece);
    return Buffer.concat(pieces).toString("utf8");
  });
}

/** The hashes of a file's frames, in order. */
export async function frames({ batonHome }: Place, name: string): Promise<string[]> {
  return withIndex(batonHome, [], (database) =>
    database
      .prepare(
        `SELECT hex(frame.hash) AS hash FROM file JOIN part ON part.file = file.key
         JOIN frame ON frame.key = part.frame WHERE file.name = ? AND file.until IS NULL ORDER BY part.position`,
      )
      .all(name)
      .map(({ hash }) => String(hash)),
  );
}

/** The number of frames there are in all, needed or not. */
export async function frameCount({ batonHome }: Place): Promise<number> {
  return withIndex(batonHome, 0, (database) =>
    Number(database.prepare("SELECT count(*) AS n FROM frame").get()?.n),
  );
}
