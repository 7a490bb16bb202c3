// Where Codex keeps sessions, and how their files are named.
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { jsonIn } from "../../session/json.ts";
import type { FileRef, Home, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef, headOf, knownOf } from "../folder.ts";
import { namesIn } from "./names.ts";
import { isObject, type JsonObject, recordOf, word } from "./native.ts";

const FOLDERS = ["sessions", "archived_sessions"];
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** A reverted thread goes on in a file whose name has a rollout id of its own behind the thread's. */
const NAME = new RegExp(`^rollout-.*?(${UUID})(?:_(${UUID}))?\\.jsonl?$`);
const DEEPEST = 6;

export function isUuid(id: string): boolean {
  return new RegExp(`^${UUID}$`).test(id);
}

export function codexHome(home: Home): string {
  return home.env.CODEX_HOME || join(home.dir, ".codex");
}

export function stores(home: Home): string[] {
  return FOLDERS.map((folder) => join(codexHome(home), folder));
}

/** A folder for each day, and the index, in which a thread's name changes alone. */
export function watched(home: Home): StoreFolder[] {
  const days = [/^\d+$/, /^\d+$/, /^\d+$/];
  return [
    ...stores(home).map((path) => ({ path, below: days, files: NAME })),
    { path: codexHome(home), below: [], files: /^session_index\.jsonl$/ },
  ];
}

export interface RolloutFile {
  path: string;
  /** The session it belongs to. */
  thread: string;
  /** What other files know it by. */
  rollout: string;
}

/** Every rollout below a Codex home, by name alone. */
export function rollouts(root: string, looking?: Looking): RolloutFile[] {
  const found: RolloutFile[] = [];
  for (const folder of FOLDERS) walk(join(root, folder), DEEPEST, found, looking);
  return found;
}

function walk(folder: string, depth: number, found: RolloutFile[], looking?: Looking): void {
  for (const entry of entriesOf(folder, looking)) {
    const path = `${folder}${sep}${entry.name}`;
    const named = idsOf(entry.name);
    // A folder may be a link to another disk; one that leads back up would lead round in circles.
    const isLink = entry.isSymbolicLink() && !named;
    if (isLink && leadsBack(folder, path)) looking?.onUnsure?.();
    else if (entry.isDirectory() || isLink) {
      if (depth > 0) walk(path, depth - 1, found, looking);
    } else if (named) found.push({ path, thread: named.thread, rollout: named.rollout });
  }
}

function leadsBack(folder: string, link: string): boolean {
  try {
    const target = realpathSync(link);
    return `${realpathSync(folder)}/`.startsWith(target === "/" ? target : `${target}/`);
  } catch {
    // A link to nowhere, or one that cannot be followed: listing it says which.
    return false;
  }
}

/** The thread and the rollout that a file's name tells. */
export function idsOf(name: string): { thread: string; rollout: string } | undefined {
  const found = NAME.exec(name);
  const thread = found?.[1];
  return thread === undefined ? undefined : { thread, rollout: found?.[2] ?? thread };
}

export function* discover(home: Home, looking?: Looking): Generator<SessionRef> {
  const threads = new Map<string, RolloutFile>();
  // Most threads have one file, and a list for each would cost as much as finding it.
  const more = new Map<string, RolloutFile[]>();
  for (const file of rollouts(codexHome(home), looking)) {
    if (!threads.has(file.thread)) threads.set(file.thread, file);
    else more.set(file.thread, [...(more.get(file.thread) ?? []), file]);
  }
  const names = namesIn(codexHome(home), looking);
  for (const file of threads.values()) {
    const others = more.size > 0 ? more.get(file.thread) : undefined;
    const main = others ? undefined : fileRef(file.path, "main", looking);
    const files = others ? filesOf([file, ...others], looking) : main ? [main] : [];
    const ref = refOf(file.thread, files, looking);
    if (ref) yield withName(ref, names.get(file.thread));
  }
}

function withName(ref: SessionRef, name: string | undefined): SessionRef {
  return name === undefined ? ref : { ...ref, name };
}

/** Its files are those that it had; a subagent's is one of its parent's as well. */
export function renewed(known: SessionRef): SessionRef[] | undefined {
  const { name: _, ...ref } = known;
  const files = ref.files.map(({ path, role }) => fileRef(path, role));
  if (ref.parent !== undefined || !files.every((file) => file !== undefined)) return undefined;
  return [withName({ ...ref, files }, namesIn(rootOf(ref.path)).get(ref.originalId))];
}

/** Rollout ids begin with their time, so the greatest is the one the thread goes on in. */
function filesOf(files: RolloutFile[], looking?: Looking): FileRef[] {
  const found: FileRef[] = [];
  for (const { path } of files.sort((a, b) => (a.rollout < b.rollout ? 1 : -1))) {
    const file = fileRef(path, found.length === 0 ? "main" : "parent", looking);
    // Two ways to one file, by a link, are one.
    if (file && !found.some(({ inode }) => inode === file.inode)) found.push(file);
  }
  return found;
}

function refOf(originalId: string, files: FileRef[], looking?: Looking): SessionRef | undefined {
  const [main] = files;
  if (!main) return undefined;
  const known = knownOf(main, PEEK, looking);
  const parent = known ? known.parent : spawnerOf(main.path);
  const ref = { agent: "codex", originalId, path: main.path, files };
  return parent === undefined ? ref : { ...ref, parent };
}

const PEEK = 2048;
const SPAWNER = new RegExp(`"parent_thread_id":\\s*"(${UUID})"`);

/** The thread that spawned this one, from the beginning of its first line; its name does not tell. */
function spawnerOf(path: string): string | undefined {
  const [line = ""] = headOf(path, PEEK).split("\n", 1);
  return line.includes('"session_meta"') ? SPAWNER.exec(line)?.[1] : undefined;
}

/** The Codex home that a rollout lies in; a file elsewhere has its own folder for company. */
export function rootOf(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if (FOLDERS.includes(basename(folder))) return dirname(folder);
  return dirname(path);
}

/** Finds a rollout by id: in the store it lies in, or beside the file that names it. */
export function findRollout(near: string, id: string): RolloutFile | undefined {
  const root = rootOf(near);
  for (const file of rollouts(root)) if (file.rollout === id) return file;
  if (root !== dirname(near)) return undefined;
  for (const { name } of entriesOf(root)) {
    const named = idsOf(name);
    if (named?.rollout === id) return { path: join(root, name), ...named };
  }
  return undefined;
}

/** Enough for most first lines, and for a session_meta line with its base instructions. */
const BEGINNING = 1 << 14;
const HEAD = 1 << 18;

/** What of a rollout tells whose it is and how it is stored. */
export function beginningIn(path: string): string {
  return headOf(path, BEGINNING);
}

const LARGEST_JSON = 1 << 28;

export async function recognise(path: string): Promise<SessionRef | undefined> {
  const file = fileRef(path, "main");
  if (!file || file.size === 0) return undefined;
  const meta = await metaOf(path, file.size);
  if (!meta) return undefined;
  const originalId = word(meta.id) ?? idsOf(basename(path))?.thread ?? basename(path);
  return { agent: "codex", originalId, path, files: [file] };
}

/** The payload of a rollout's first line that says whose it is, or undefined when it is not a rollout. */
export async function metaOf(
  path: string,
  size: number,
  head = beginningIn(path),
): Promise<JsonObject | undefined> {
  if (isOneFile(path, head)) return oneFileMeta(path, size);
  const first = firstRecord(head) ?? firstRecord(headOf(path, HEAD));
  if (first?.type === "session_meta") return first.payload;
  const isItem = ["response_item", "event_msg", "turn_context"].includes(first?.type ?? "");
  return isItem && first && isRollout(first.payload) ? {} : undefined;
}

/** Among the first lines, as far as they are whole. */
function firstRecord(head: string): ReturnType<typeof recordOf> {
  for (const line of head.split("\n", 5)) {
    const record = recordOf(jsonIn(line));
    if (record) return record;
  }
  return undefined;
}

/** By its content, because a copy may have any name; where the first line cannot be read, the name decides. */
export function isOneFile(path: string, beginning = beginningIn(path)): boolean {
  const isNamedSo = path.endsWith(".json");
  const head = (isNamedSo ? headOf(path, HEAD) : beginning).replace(/^\uFEFF/, "").trimStart();
  if (/^\{\s*"(?:session|items)"\s*:/.test(head)) return true;
  return isNamedSo && jsonIn(head.split("\n", 1)[0] ?? "") === undefined;
}

/** Other agents' lines have a `type` too; a rollout's first lines have one inside as well, or a turn. */
function isRollout(payload: JsonObject): boolean {
  const isItem = payload.type === "message" && Array.isArray(payload.content);
  return isItem || typeof payload.turn_id === "string" || typeof payload.call_id === "string";
}

async function oneFileMeta(path: string, size: number): Promise<JsonObject | undefined> {
  if (size > LARGEST_JSON) return undefined;
  const value = jsonIn(await readFile(path, "utf8").catch(() => ""));
  return isObject(value) && isObject(value.session) && Array.isArray(value.items) ? value.session : undefined;
}
