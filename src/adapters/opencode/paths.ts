// Where OpenCode keeps sessions: a database, a tree of JSON files before it, and a database inside the project before
// that. Several of them can be there at once; a session is listed from the newest that holds it.
import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BatonError } from "../../session/error.ts";
import type { FileRef, Home, KnownDatabase, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef, knownOf, statIfAny } from "../folder.ts";
import { generationOf, reading, type SessionRow, sessionRows } from "./database.ts";
import { headOf, ROWS, SQLITE } from "./head.ts";
import { isObject, objectOf, word } from "./native.ts";
import { exportOf, foldersOf, namesIn, parsed, storageOf } from "./tree.ts";

export function dataFolder(home: Home): string {
  return join(home.env.XDG_DATA_HOME || join(home.dir, ".local", "share"), "opencode");
}

/** The one that the CLI of the npm package uses. */
export const DATABASE = "opencode.db";

export function databasePath(home: Home): string {
  return join(dataFolder(home), DATABASE);
}

export function stores(home: Home): string[] {
  return [dataFolder(home)];
}

/** The databases and their logs; the trees are of versions that are gone. */
export function watched(home: Home): StoreFolder[] {
  return [{ path: dataFolder(home), below: [], files: /^opencode(?:-[\w.-]+)?\.db(?:-wal)?$/ }];
}

/** Builds of another channel have a database of their own. */
const ANY_DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;

export function* discover(home: Home, looking?: Looking): Generator<SessionRef> {
  const listed = new Set<string>();
  for (const refs of found(home, looking)) {
    const shown = refs.sessions.filter(({ originalId }) => !listed.has(originalId));
    // A row without messages must not hide what another store has.
    for (const { originalId, files } of shown) if (files.some(({ size }) => size > 0)) listed.add(originalId);
    // A session that is hidden today has to be found when it no longer is.
    if (refs.stamp !== undefined && shown.length === refs.sessions.length)
      looking?.onDatabase?.(refs.path, refs.stamp);
    yield* shown;
  }
}

/** The sessions of a database, or of a folder in a tree. */
interface Found {
  sessions: readonly SessionRef[];
  path: string;
  /** Of a database. */
  stamp?: string | undefined;
}

function* found(home: Home, looking?: Looking): Generator<Found> {
  const data = dataFolder(home);
  const names = entriesOf(data, looking).flatMap(({ name }) => (ANY_DATABASE.test(name) ? [name] : []));
  // The plain name sorts first, and is the one in use.
  for (const name of names.sort((a, b) => a.length - b.length)) yield inDatabase(join(data, name), looking);
  yield* inTree(join(data, "storage"), looking);
  for (const { name } of entriesOf(join(data, "project"), looking))
    yield* inTree(join(data, "project", name, "storage"), looking);
  for (const project of new Set([home.dir, ...(home.projects ?? [])]))
    yield inDatabase(join(project, ".opencode", DATABASE), looking);
}

function inDatabase(path: string, looking?: Looking): Found {
  const file = fileRef(path, "main", looking);
  if (!file || file.size === 0) return { path, sessions: [] };
  const stamp = stampOf(file, looking);
  const known = looking?.database?.(path);
  try {
    const isSame = known !== undefined && known.stamp === stamp;
    return { path, stamp, sessions: isSame ? [...known.sessions()] : refsIn(file, known) };
  } catch (error) {
    looking?.onProblem?.(path, error as Error);
    return { path, sessions: [] };
  }
}

/** Longer than the clock of any disk needs to go on. */
const SETTLED_MS = 2000;

/**
 * Whoever writes to a database changes it or its log. Undefined right after that: the next change might have the
 * same time. An empty log is what looking into the database leaves behind.
 */
function stampOf(file: FileRef, looking?: Looking): string | undefined {
  const log = fileRef(`${file.path}-wal`, "main", looking);
  const files = log && log.size > 0 ? [file, log] : [file];
  if (files.some(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs) < SETTLED_MS)) return undefined;
  return files.map(({ size, mtimeMs, inode }) => `${size} ${mtimeMs} ${inode}`).join(";");
}

function refsIn(file: FileRef, known?: KnownDatabase): SessionRef[] {
  const before = new Map<string, { updated: number; size: number }>();
  for (const { originalId, files } of known?.sessions() ?? [])
    if (files[0]?.inode === file.inode)
      before.set(originalId, { updated: files[0].mtimeMs, size: files[0].size });
  return reading(file.path, (database) => {
    const generation = generationOf(database);
    const rows = generation ? sessionRows(database, generation, before) : [];
    const ids = new Set(rows.map(({ id }) => id));
    return rows.map((row) => refOf(file, row, ids));
  });
}

/** Size and time are the session's own: other sessions change the file as well. */
function refOf(
  file: FileRef,
  { id, parent, updated, size }: SessionRow,
  ids: ReadonlySet<string>,
): SessionRef {
  const main: FileRef = { ...file, size, mtimeMs: updated };
  const ref = { agent: "opencode", originalId: id, path: file.path, files: [main] };
  return parent !== undefined && ids.has(parent) ? { ...ref, parent } : ref;
}

function* inTree(storage: string, looking?: Looking): Generator<Found> {
  const sessions = join(storage, "session");
  for (const project of entriesOf(sessions, looking)) {
    if (!project.isDirectory()) continue;
    const path = join(sessions, project.name);
    const names = entriesOf(path, looking).flatMap(({ name }) => (name.endsWith(".json") ? [name] : []));
    yield { path, sessions: names.flatMap((name) => treeRefIfReadable(join(path, name), looking) ?? []) };
  }
}

/** The sessions of the same tree that this one has spawned. */
export function discoverBeside(ref: SessionRef): SessionRef[] {
  return [...inTree(storageOf(ref.path))]
    .flatMap(({ sessions }) => sessions)
    .filter(({ parent }) => parent === ref.originalId)
    .sort((a, b) => (a.originalId < b.originalId ? 1 : -1));
}

/** One session that cannot be looked at must not keep anybody from the others. */
function treeRefIfReadable(path: string, looking?: Looking): SessionRef | undefined {
  try {
    return treeRef(path, looking);
  } catch (error) {
    looking?.onProblem?.(path, error as Error);
    return undefined;
  }
}

function treeRef(path: string, looking?: Looking): SessionRef | undefined {
  const file = fileRef(path, "main", looking);
  if (!file) return undefined;
  const known = knownOf(file, 0, looking);
  const { messages } = foldersOf(path);
  statIfAny(messages, looking);
  // A session without a message is none.
  if (!known && namesIn(messages).length === 0) return undefined;
  const { mtimeMs } = statSync(messages);
  const main = { ...file, mtimeMs: Math.max(file.mtimeMs, mtimeMs) };
  const { parent } = known ?? { parent: word(objectOf(parsed(readFileSync(path, "utf8"))).parentID) };
  const ref = { agent: "opencode", originalId: basename(path, ".json"), path, files: [main] };
  return parent === undefined ? ref : { ...ref, parent };
}

/** The folders that sessions were started in. */
export async function projects(home: Home): Promise<readonly string[]> {
  const path = databasePath(home);
  if (!fileRef(path, "main")) return [];
  return reading(path, (database) => {
    if (generationOf(database) !== "rows") return [];
    const rows = database.prepare("SELECT DISTINCT directory FROM session").all();
    return rows.flatMap(({ directory }) =>
      typeof directory === "string" && directory !== "" ? [directory] : [],
    );
  });
}

const LARGEST_JSON = 1 << 29;

export async function recognise(path: string): Promise<SessionRef | undefined> {
  const file = fileRef(path, "main");
  if (!file || file.size === 0) return undefined;
  const head = headOf(path);
  if (head.startsWith(SQLITE)) return onlyIn(file);
  if (ROWS.test(head)) return linesRef(file, head);
  const mayBe = /^\s*\{\s*"info"\s*:/.test(head) || (/^\s*\{/.test(head) && path.endsWith(".json"));
  if (!mayBe || file.size > LARGEST_JSON) return undefined;
  const value = parsed(await readFile(path, "utf8"));
  const exported = exportOf(value);
  if (exported) return { agent: "opencode", originalId: exported.info.id, path, files: [file] };
  const isTree =
    isObject(value) && word(value.id)?.startsWith("ses_") && basename(dirname(dirname(path))) === "session";
  return isTree ? treeRef(path) : undefined;
}

function linesRef(file: FileRef, head: string): SessionRef | undefined {
  const originalId = /"id":"([^"]+)"/.exec(head)?.[1];
  return originalId === undefined
    ? undefined
    : { agent: "opencode", originalId, path: file.path, files: [file] };
}

/** A database that holds several sessions names none. */
function onlyIn(file: FileRef): SessionRef | undefined {
  const refs = refsIn(file);
  const own = refs.filter(({ parent }) => parent === undefined);
  const [first, ...others] = own;
  if (others.length === 0) return first;
  const listed = own.slice(0, 10).map(({ originalId }) => `  opencode:${originalId}`);
  throw new BatonError(
    "ambiguous",
    `${file.path} holds ${own.length} sessions:\n${listed.join("\n")}`,
    "Name the one you mean by its id.",
  );
}
