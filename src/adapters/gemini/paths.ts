// Where Gemini CLI keeps sessions, how their files are named, and which project a folder stands for.
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { beginningOf } from "../../storage/beginning.ts";
import type { FileRef, Home, SessionRef } from "../adapter.ts";
import { entriesOf, fileRef, type OnProblem, storeEntries } from "../folder.ts";
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

/** A file that may be a session, by its name alone. */
interface Candidate {
  file: FileRef;
  /** For a subagent: the folder it lies in bears its parent's id. */
  parent?: string;
}

export async function* discover(home: Home, onProblem?: OnProblem): AsyncGenerator<SessionRef> {
  const found = new Map<string, { candidate: Candidate; id: string }[]>();
  for (const store of stores(home))
    for await (const candidate of candidates(store, onProblem)) {
      const id = await idIn(candidate.file.path);
      if (id === undefined) continue;
      const key = `${candidate.parent ?? ""}/${id}`;
      found.set(key, [...(found.get(key) ?? []), { candidate, id }]);
    }
  for (const versions of found.values()) {
    const [first] = versions;
    if (!first) continue;
    const { file, parent } = await newest(versions.map(({ candidate }) => candidate));
    yield {
      agent: "gemini",
      originalId: first.id,
      path: file.path,
      files: [file, ...(parent === undefined ? await agentsOf(file.path, first.id) : [])],
      ...(parent !== undefined && { parent }),
    };
  }
}

async function* candidates(store: string, onProblem?: OnProblem): AsyncGenerator<Candidate> {
  for (const project of await storeEntries(store, onProblem)) {
    const chats = join(store, project.name, CHATS);
    for (const entry of await entriesOf(chats, onProblem)) {
      const path = join(chats, entry.name);
      if (MAIN.test(entry.name)) {
        const file = await fileRef(path, "main", onProblem);
        if (file) yield { file };
      } else if (!entry.isFile()) yield* subagents(path, entry.name.replace(AGENTS, ""), onProblem);
    }
  }
}

async function* subagents(folder: string, parent: string, onProblem?: OnProblem): AsyncGenerator<Candidate> {
  for (const { name } of await entriesOf(folder, onProblem)) {
    const file = name.endsWith(".jsonl") ? await fileRef(join(folder, name), "main", onProblem) : undefined;
    if (file) yield { file, parent };
  }
}

const AGENTS = /\.agents$/;

/** Where Baton puts subagents: the CLI deletes the folder that bears the id itself together with a ghost. */
export const agentsFolder = (id: string): string => `${id}.agents`;

/** The files of a session's subagents. */
export async function agentsOf(path: string, id: string): Promise<FileRef[]> {
  const found: FileRef[] = [];
  for (const name of [id, agentsFolder(id)])
    for await (const { file } of subagents(join(dirname(path), name), id))
      found.push({ ...file, role: "subagent" });
  return found;
}

/**
 * One session may have several files: resuming leaves one that holds nothing but context, and a session of the
 * first generation goes on in a file beside its own, in a folder of another name.
 */
async function newest(versions: readonly Candidate[]): Promise<Candidate> {
  const byTime = [...versions].sort((a, b) => b.file.mtimeMs - a.file.mtimeMs || b.file.size - a.file.size);
  if (byTime.length > 1) for (const one of byTime) if (await hasReply(one.file.path)) return one;
  return byTime[0] as Candidate;
}

const REPLY = /"type":\s*"gemini"/;

async function hasReply(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    let rest = "";
    for await (const chunk of file.createReadStream({ encoding: "utf8", autoClose: false })) {
      if (REPLY.test(rest + chunk)) return true;
      rest = String(chunk).slice(-40);
    }
    return false;
  } finally {
    await file.close();
  }
}

const BEGINNING = 4096;

/** The session that a file is about, from its beginning; names hold but the first letters of it. */
export async function idIn(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
      const start = buffer.toString("utf8", 0, bytesRead);
      return /"sessionId"\s*:\s*"([^"\\]{1,200})"/.exec(start)?.[1] ?? nameId(path);
    } finally {
      await file.close();
    }
  } catch {
    // A file that went away, or that may not be read: opening it says so.
    return nameId(path);
  }
}

/** A damaged file still has a name. */
function nameId(path: string): string | undefined {
  return /([0-9a-f-]{8,36})\.jsonl?$/.exec(basename(path))?.[1];
}

export async function recognise(path: string): Promise<SessionRef | undefined> {
  const file = await fileRef(path, "main");
  if (!file) return undefined;
  const start = await beginningOf(path, BEGINNING);
  const isSession = /^\s*\{\s*"sessionId"\s*:/.test(start) && /"projectHash"\s*:/.test(start);
  const id = isSession ? await idIn(path) : undefined;
  return id === undefined
    ? undefined
    : { agent: "gemini", originalId: id, path, files: [file, ...(await agentsOf(path, id))] };
}

/** The project that a session's file belongs to, as far as the store says so. */
export async function projectOf(path: string): Promise<string | undefined> {
  const folder = projectFolder(path);
  if (folder === undefined) return undefined;
  const marked = await readFile(join(folder, MARKER), "utf8").catch(() => "");
  if (marked.trim() !== "") return marked.trim();
  const name = basename(folder);
  for (const [project, slug] of await registered(dirname(dirname(folder))))
    if (slug === name || hashOf(project) === name) return project;
  return undefined;
}

function projectFolder(path: string): string | undefined {
  const at = path.lastIndexOf(`/${CHATS}/`);
  return at === -1 ? undefined : path.slice(0, at);
}

/** Folders that were projects, each with the name of its folder in the store. */
async function registered(root: string): Promise<(readonly [project: string, slug: string])[]> {
  const source = await readFile(join(root, "projects.json"), "utf8").catch(() => "");
  return projectsIn(source);
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
  return (await registered(geminiHome(home))).map(([project]) => project);
}

/** How the first generation named a project's folder, and what every session still says of its project. */
export function hashOf(project: string): string {
  return createHash("sha256").update(project).digest("hex");
}
