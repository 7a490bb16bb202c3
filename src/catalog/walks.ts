// What was looked at to find the sessions of a place, kept once all of them were in the catalog as they are. While a
// second look at exactly that shows the same, so would the walk, and neither it nor the rows are needed.
import { randomUUID } from "node:crypto";
import { accessSync, constants, type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Home, ListedFolder, Looking, Place } from "../adapters/adapter.ts";
import { statement } from "../storage/statement.ts";
import { type Catalog, isDamage, PATIENCE_MS } from "./catalog.ts";

/** How many sessions there are; `own` without subagents'. */
export interface Count {
  all: number;
  own: number;
}

/** A walk that notes what it looks at. */
export interface Walk {
  place: Place;
  home: Home;
  looking: Pick<Looking, "onFolder" | "onFile" | "onUnsure">;
  notes: Notes;
}

interface Notes {
  folders: [path: string, listed: ListedFolder | undefined][];
  files: [path: string, found: Stats | undefined, at: number][];
  /** Whether the projects that are known made a difference. */
  usesProjects: boolean;
  /** Whether what was looked at is all that counts. */
  isSure: boolean;
}

export function newWalk(place: Place, home: Home): Walk {
  const notes: Notes = { folders: [], files: [], usesProjects: false, isSure: true };
  return {
    place,
    home: {
      ...home,
      get projects() {
        notes.usesProjects = true;
        return home.projects ?? [];
      },
    },
    looking: {
      onFolder: (path, listed) => notes.folders.push([path, listed]),
      onFile: (path, found, at) => notes.files.push([path, found, at]),
      onUnsure() {
        notes.isSure = false;
      },
    },
    notes,
  };
}

/** The places in which nothing has changed since their walk was kept. */
export function unchangedPlaces(
  catalog: Catalog,
  home: Home,
  places: readonly Place[],
  words: boolean,
): Map<string, Count> {
  const unchanged = new Map<string, Count>();
  for (const place of places) {
    // What is searchable is listed as well.
    const kept =
      keptWalk(catalog, place.id, words) ?? (words ? undefined : keptWalk(catalog, place.id, true));
    if (!kept || !isAbout(kept, place, home) || !isSame(kept.lines)) continue;
    unchanged.set(place.id, kept.head.count);
  }
  return unchanged;
}

interface Head {
  /** The same in every shard: whoever changes a row of the agent removes it from that shard (schema.ts). */
  mark: string;
  count: Count;
  stores: readonly string[];
  dir: string;
  projects?: readonly string[];
}

interface Kept {
  head: Head;
  /** From the second on, in pairs: a path, and what was there. */
  lines: readonly string[];
}

const markOf = (agent: string, words: boolean) => `walk ${words ? "words" : "list"} ${agent}`;
const textOf = (agent: string, words: boolean) => `walked ${words ? "words" : "list"} ${agent}`;
const READ = "SELECT stamp FROM store WHERE path = ?";
const WRITE = "INSERT OR REPLACE INTO store (path, stamp) VALUES (?, ?)";

function keptWalk({ shards }: Catalog, agent: string, words: boolean): Kept | undefined {
  const marks = shards.map((shard) => statement(shard, READ).get(markOf(agent, words))?.stamp);
  const [first] = marks;
  if (first === undefined || marks.some((mark) => mark !== first)) return undefined;
  const text = shards[0] && statement(shards[0], READ).get(textOf(agent, words))?.stamp;
  if (typeof text !== "string") return undefined;
  const lines = text.split("\n");
  const head = JSON.parse(lines[0] as string) as Head;
  return head.mark === first ? { head, lines } : undefined;
}

function isAbout({ head }: Kept, place: Place, home: Home): boolean {
  const isSameList = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((path, at) => path === other[at]);
  return (
    head.dir === home.dir &&
    isSameList(head.stores, place.stores(home)) &&
    (head.projects === undefined || isSameList(head.projects, home.projects ?? []))
  );
}

function isSame(lines: readonly string[]): boolean {
  try {
    for (let at = 1; at < lines.length; at += 2)
      if (looked(lines[at] as string, lines[at + 1] as string) !== lines[at + 1]) return false;
    return true;
  } catch {
    // What cannot be looked at any more is told by the walk.
    return false;
  }
}

const QUIETLY = { throwIfNoEntry: false } as const;
const NO_FOLDER = "-";
const TIMES = "@";

function looked(path: string, before: string): string {
  if (before.startsWith("/")) return folderStamp(readdirSync(path, { withFileTypes: true }));
  const found = statSync(path, QUIETLY);
  if (before.startsWith(TIMES)) {
    // Others than who looked last may not list it.
    accessSync(path, constants.R_OK | constants.X_OK);
    return found ? folderTimes(found) : NO_FOLDER;
  }
  if (before === NO_FOLDER) return found?.isDirectory() ? "" : NO_FOLDER;
  return fileStamp(found);
}

function fileStamp(found: Stats | undefined): string {
  return found ? `${found.size} ${found.mtimeMs} ${found.ino}${found.isFile() ? "" : " folder"}` : "";
}

/** Nobody can take a name out of a folder or put one into it without another time of the second kind. */
function folderTimes({ mtimeMs, ctimeMs, ino }: Stats): string {
  return `${TIMES}${mtimeMs} ${ctimeMs} ${ino}`;
}

/** With what they are: a folder in the place of a file is another one. */
function folderStamp(entries: readonly Dirent[]): string {
  let stamp = "/";
  for (const entry of entries)
    stamp += `${entry.name}${entry.isFile() ? "" : entry.isDirectory() ? "//" : "///"}/`;
  return stamp;
}

/** As other connections have left it: another number when one of them has changed something. */
export function versionsOf({ shards }: Catalog): number[] {
  return shards.map(versionOf);
}

function versionOf(shard: DatabaseSync): number {
  return Number(statement(shard, "PRAGMA data_version").get()?.data_version);
}

/**
 * Keeps the walks of places whose sessions are all in the catalog as they are. `versions`: from before their rows were
 * read. Nothing waits for that: what cannot be kept now is kept by the next who finds nothing changed.
 */
export function keepWalks(
  catalog: Catalog,
  walks: readonly (Walk & { count: Count })[],
  words: boolean,
  versions: readonly number[],
): void {
  const texts = new Map<string, string>();
  const mark = randomUUID();
  for (const { place, home, notes, count } of walks) {
    const projects = notes.usesProjects ? { projects: home.projects ?? [] } : {};
    const kept = keptWalk(catalog, place.id, words);
    // One that is about other projects may be what the next one asks for again.
    if (kept && !isAbout(kept, place, home)) continue;
    const head: Head = { mark, count, stores: place.stores(home), dir: home.dir, ...projects };
    const isKept = notes.isSure && areSettled(notes);
    const lines = isKept ? linesOf(notes) : undefined;
    if (lines) texts.set(place.id, [JSON.stringify(head), ...lines].join("\n"));
  }
  if (texts.size > 0) write(catalog, texts, words, mark, versions);
}

/** Longer than the clock of any disk needs to go on: a file that changes again may keep its time until then. */
const SETTLED_MS = 2000;

/** `at`: when it was looked at. */
function isSettled(time: number, at: number): boolean {
  return Math.abs(at - time) >= SETTLED_MS;
}

function areSettled({ files }: Notes): boolean {
  return files.every(([, found, at]) => !found || isSettled(found.mtimeMs, at));
}

/** Looking at its times takes a tenth of what listing it takes; of one that changed just now, or has none, names count. */
function folderLine({ at, found, entries }: ListedFolder): string {
  const isTimed = process.platform !== "win32" && found.mtimeMs > 0;
  const isOld = [found.mtimeMs, found.ctimeMs].every((time) => isSettled(time, at));
  return isTimed && isOld ? folderTimes(found) : folderStamp(entries);
}

/** The newest file first, because it is the most likely one to change. Undefined for names that take several lines. */
function linesOf({ folders, files }: Notes): string[] | undefined {
  const time = ([, found]: Notes["files"][number]) => found?.mtimeMs ?? 0;
  const newest = files.reduce(
    (one, other) => (time(other) > time(one) ? other : one),
    files[0] ?? ["", undefined, 0],
  );
  const lines = newest[0] === "" ? [] : [newest[0], fileStamp(newest[1])];
  for (const [path, listed] of folders) lines.push(path, listed ? folderLine(listed) : NO_FOLDER);
  for (const [path, found] of files) lines.push(path, fileStamp(found));
  return lines.some((line) => line.includes("\n")) ? undefined : lines;
}

function write(
  { shards }: Catalog,
  texts: ReadonlyMap<string, string>,
  words: boolean,
  mark: string,
  versions: readonly number[],
): void {
  try {
    for (const [number, shard] of shards.entries()) {
      shard.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
      const isAsRead = versionOf(shard) === versions[number];
      for (const [agent, text] of isAsRead ? texts : []) {
        if (number === 0) statement(shard, WRITE).run(textOf(agent, words), text);
        statement(shard, WRITE).run(markOf(agent, words), mark);
      }
      shard.exec("COMMIT");
    }
  } catch (error) {
    // Another process writes, or there is no space: then it is not kept.
    if (isDamage(error)) throw error;
  } finally {
    for (const shard of shards) {
      if (shard.isTransaction) shard.exec("ROLLBACK");
      shard.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    }
  }
}
