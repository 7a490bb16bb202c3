// Where Gemini CLI keeps sessions, how their files are named, and which project a folder stands for.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { beginningOf } from "../../storage/beginning.ts";
import type { FileRef, Home, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef, headOf, knownOf, storeEntries, textOf } from "../folder.ts";
import { filled, isObject } from "../json.ts";

export const MARKER = ".project_root";
const CHATS = "chats";
const MAIN = /^session-.*\.jsonl?$/;

export function geminiHome(home: Home): string {
  return join(home.env.GEMINI_CLI_HOME || home.dir, ".gemini");
}

export function stores(home: Home): string[] {
  return [join(geminiHome(home), "tmp")];
}

export function watched(home: Home): StoreFolder[] {
  return stores(home).flatMap((path) => [
    { path, below: [/./, /^chats$/], files: MAIN },
    { path, below: [/./, /^chats$/, /./], files: /\.jsonl$/ },
  ]);
}

interface Candidate {
  file: FileRef;
  id: string;
  /** For a subagent: the folder it lies in bears its parent's id. */
  parent?: string;
}

export function* discover(home: Home, looking?: Looking): Generator<SessionRef> {
  const sessions = new Map<string, Candidate[]>();
  const agents = new Map<string, FileRef[]>();
  for (const store of stores(home))
    for (const candidate of candidates(store, looking)) {
      const { file, id, parent } = candidate;
      add(sessions, parent === undefined ? id : `${parent}\0${id}`, candidate);
      if (parent !== undefined) add(agents, dirname(file.path), { ...file, role: "subagent" });
    }
  for (const versions of sessions.values()) {
    const { file, id: originalId, parent } = newest(versions);
    const ref = { agent: "gemini", originalId, path: file.path, files: [file] };
    if (parent !== undefined) yield { ...ref, parent };
    else {
      if (agents.size > 0)
        for (const folder of agentFolders(file.path, originalId))
          ref.files.push(...(agents.get(folder) ?? []));
      yield ref;
    }
  }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function* candidates(store: string, looking?: Looking): Generator<Candidate> {
  for (const project of storeEntries(store, looking)) {
    const chats = join(store, project.name, CHATS);
    for (const entry of entriesOf(chats, looking)) {
      const path = `${chats}${sep}${entry.name}`;
      if (MAIN.test(entry.name)) {
        const found = candidate(path, looking);
        if (found && !isUnused(found.file, looking)) yield found;
      } else if (!entry.isFile()) yield* subagents(path, entry.name.replace(AGENTS, ""), looking);
    }
  }
}

function candidate(path: string, looking?: Looking): Candidate | undefined {
  const file = fileRef(path, "main", looking);
  if (!file) return undefined;
  const id = knownOf(file, BEGINNING, looking)?.originalId ?? idIn(path);
  return id === undefined ? undefined : { file, id };
}

function* subagents(folder: string, parent: string, looking?: Looking): Generator<Candidate> {
  for (const { name } of entriesOf(folder, looking)) {
    const found = name.endsWith(".jsonl") ? candidate(join(folder, name), looking) : undefined;
    if (found) yield { ...found, parent };
  }
}

const AGENTS = /\.agents$/;

/** Where Baton puts subagents: the CLI deletes the folder that bears the id itself together with a ghost. */
export const agentsFolder = (id: string): string => `${id}.agents`;

function agentFolders(path: string, id: string): string[] {
  return [id, agentsFolder(id)].map((name) => `${dirname(path)}${sep}${name}`);
}

/** The files of a session's subagents. */
export function agentsOf(path: string, id: string): FileRef[] {
  const found: FileRef[] = [];
  for (const folder of agentFolders(path, id))
    for (const { file } of subagents(folder, id)) found.push({ ...file, role: "subagent" });
  return found;
}

/**
 * One session may have several files: resuming leaves one that holds nothing but context, and a session of the
 * first generation goes on in a file beside its own, in a folder of another name.
 */
function newest(versions: readonly Candidate[]): Candidate {
  if (versions.length === 1 && versions[0]) return versions[0];
  const byTime = [...versions].sort((a, b) => b.file.mtimeMs - a.file.mtimeMs || b.file.size - a.file.size);
  return byTime.find(({ file }) => hasReply(file.path)) ?? (byTime[0] as Candidate);
}

/** What it holds before anything was said, which is a list of the project's files and what the CLI was told to remember. */
const LONGEST_CONTEXT = 1 << 17;
const METADATA = /^\{"sessionId":"[^"]*","projectHash":"[^"]*",(?!.*"messages":)/;
const CONTEXT =
  /^\{"\$set":\{"messages":\[\{"id":"[^"]*","timestamp":"[^"]*","type":"user","content":\[\{"text":"<session_context>/;

/**
 * Begun, and never used: every `gemini --acp` leaves one, and each `session/load` another. The CLI does not list them
 * either, and its next start removes them. A file that the catalog knows held more when it was read.
 */
function isUnused(file: FileRef, looking?: Looking): boolean {
  if (file.size > LONGEST_CONTEXT || knownOf(file, BEGINNING, looking)) return false;
  if (!METADATA.test(headOf(file.path, BEGINNING))) return false;
  const lines = textOf(file.path).split("\n");
  // Quotation marks in a text are escaped, so this is a field: the list holds one message.
  const isContext = (line: string) => CONTEXT.test(line) && line.split('"type":').length === 2;
  return lines.every((line) => line === "" || METADATA.test(line) || isContext(line));
}

const REPLY = /"type":\s*"gemini"/;

function hasReply(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(1 << 16);
    for (let rest = "", length = -1; length !== 0; ) {
      length = readSync(file, buffer, 0, buffer.length, null);
      const text = rest + buffer.toString("latin1", 0, length);
      if (REPLY.test(text)) return true;
      rest = text.slice(-40);
    }
    return false;
  } finally {
    closeSync(file);
  }
}

const BEGINNING = 4096;

/** The session that a file is about, from its beginning; names hold but the first letters of it. */
export function idIn(path: string): string | undefined {
  return /"sessionId"\s*:\s*"([^"\\]{1,200})"/.exec(headOf(path, BEGINNING))?.[1] ?? nameId(path);
}

/** A damaged file still has a name. */
function nameId(path: string): string | undefined {
  return /([0-9a-f-]{8,36})\.jsonl?$/.exec(basename(path))?.[1];
}

export async function recognise(path: string): Promise<SessionRef | undefined> {
  const file = fileRef(path, "main");
  if (!file) return undefined;
  const start = beginningOf(path, BEGINNING);
  const isSession = /^\s*\{\s*"sessionId"\s*:/.test(start) && /"projectHash"\s*:/.test(start);
  const id = isSession ? idIn(path) : undefined;
  return id === undefined
    ? undefined
    : { agent: "gemini", originalId: id, path, files: [file, ...agentsOf(path, id)] };
}

/** The project that a session's file belongs to, as far as the store says so. */
export function projectOf(path: string): string | undefined {
  const folder = projectFolder(path);
  if (folder === undefined) return undefined;
  const marked = textOf(join(folder, MARKER)).trim();
  if (marked !== "") return marked;
  const name = basename(folder);
  for (const [project, slug] of registered(dirname(dirname(folder))))
    if (slug === name || hashOf(project) === name) return project;
  return undefined;
}

/** Where everything of a project lies. */
export function projectFolder(path: string): string | undefined {
  const at = path.lastIndexOf(`/${CHATS}/`);
  return at === -1 ? undefined : path.slice(0, at);
}

/** Folders that were projects, each with the name of its folder in the store. */
function registered(root: string): (readonly [project: string, slug: string])[] {
  return projectsIn(textOf(join(root, "projects.json")));
}

/** A broken registry counts as an empty one, as in the CLI itself. */
export function projectsIn(source: string): (readonly [project: string, slug: string])[] {
  try {
    const value: unknown = JSON.parse(source);
    const projects = isObject(value) && isObject(value.projects) ? Object.entries(value.projects) : [];
    return projects.flatMap(([project, slug]) => {
      const name = filled(slug);
      return name === undefined ? [] : [[project, name] as const];
    });
  } catch {
    return [];
  }
}

export async function projects(home: Home): Promise<string[]> {
  return registered(geminiHome(home)).map(([project]) => project);
}

/** How the first generation named a project's folder, and what every session still says of its project. */
export function hashOf(project: string): string {
  return createHash("sha256").update(project).digest("hex");
}
