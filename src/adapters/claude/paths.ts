// Where Claude Code keeps sessions, how it names their folders, and how they are found again.
import type { Dirent } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileRef, Home, SessionRef } from "../adapter.ts";
import { entriesOf, fileRef, type OnProblem, storeEntries } from "../folder.ts";
import { filled, isObject } from "./native.ts";

/** The folder that holds everything: `~/.claude`, unless the user moved it. */
export function configDir(home: Home): string {
  return home.env.CLAUDE_CONFIG_DIR || join(home.dir, ".claude");
}

export function projectsDir(home: Home): string {
  return join(configDir(home), "projects");
}

const LONGEST_NAME = 200;

/** The name of a project's folder. Several paths can share one, so it cannot be turned back for sure. */
export function encodeProject(path: string): string {
  const name = path.replace(/[^A-Za-z0-9]/g, "-");
  if (name.length <= LONGEST_NAME) return name;
  let hash = 0;
  for (let at = 0; at < path.length; at++) hash = ((hash << 5) - hash + path.charCodeAt(at)) | 0;
  return `${name.slice(0, LONGEST_NAME)}-${Math.abs(hash).toString(36)}`;
}

/** Every session in the JSONL store with its subagents. */
export async function* discoverFiles(home: Home, onProblem?: OnProblem): AsyncGenerator<SessionRef> {
  const projects = projectsDir(home);
  for (const project of (await storeEntries(projects, onProblem)).sort(byName)) {
    if (project.isFile()) continue;
    yield* discoverProject(join(projects, project.name), onProblem);
  }
}

async function* discoverProject(dir: string, onProblem?: OnProblem): AsyncGenerator<SessionRef> {
  const entries = await list(dir, onProblem);
  const names = entries.flatMap((entry) => (entry.name.endsWith(".jsonl") ? [entry.name] : []));
  const folders = new Set(
    entries.flatMap((entry) => (entry.isFile() || entry.name.endsWith(JSONL) ? [] : [entry.name])),
  );
  const flat = await flatAgents(dir, names.filter(isAgent), onProblem);
  const ids = names.filter((name) => !isAgent(name)).map((name) => name.slice(0, -JSONL.length));
  for (const id of [...new Set([...ids, ...flat.keys(), ...folders])].sort()) {
    const nested = folders.has(id) ? await bundle(join(dir, id), onProblem) : { agents: [], outputs: [] };
    const agents = [...(flat.get(id) ?? []), ...nested.agents];
    const main = await fileRef(join(dir, `${id}${JSONL}`), "main", onProblem);
    if (main) {
      const files = [main, ...agents, ...nested.outputs];
      yield { agent: "claude", originalId: id, path: main.path, files };
    }
    for (const agent of agents) yield agentRef(agent, id);
  }
}

const JSONL = ".jsonl";

function isAgent(name: string): boolean {
  return name.startsWith("agent-") && name.endsWith(JSONL);
}

function agentRef(file: FileRef, parent: string): SessionRef {
  const originalId = `${parent}/${basename(file.path, JSONL)}`;
  return { agent: "claude", originalId, path: file.path, files: [{ ...file, role: "main" }], parent };
}

/** Up to 2.0 the files of subagents lie beside the session; only their content says whose they are. */
async function flatAgents(
  dir: string,
  names: readonly string[],
  onProblem?: OnProblem,
): Promise<Map<string, FileRef[]>> {
  const found = new Map<string, FileRef[]>();
  for (const name of names) {
    const file = await fileRef(join(dir, name), "subagent", onProblem);
    if (!file) continue;
    const parent = (await sessionIn(file.path)) ?? "unknown";
    found.set(parent, [...(found.get(parent) ?? []), file]);
  }
  return found;
}

/** Enough for most first records; a long prompt comes before the name of the session. */
const LOOKED_AT = [16 << 10, 4 << 20];
const SESSION_ID = /"sessionId"\s*:\s*"([^"\\]+)"/;

async function sessionIn(path: string): Promise<string | undefined> {
  for (const length of LOOKED_AT) {
    const named = namedIn(await beginning(path, length));
    if (named !== undefined) return named;
  }
  return undefined;
}

function namedIn(head: string): string | undefined {
  const lines = head.split("\n");
  const cut = lines.pop() ?? "";
  for (const line of lines) {
    const named = sessionOf(line);
    if (named !== undefined) return named;
  }
  // A first record longer than what was read, or a file without an end of line.
  return sessionOf(cut) ?? SESSION_ID.exec(cut)?.[1];
}

function sessionOf(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? filled(value.sessionId) : undefined;
  } catch {
    // A damaged line, or the end of what was read.
    return undefined;
  }
}

/** What lies in a session's own folder: subagents, also those of workflows, and long outputs. */
async function bundle(
  dir: string,
  onProblem?: OnProblem,
): Promise<{ agents: FileRef[]; outputs: FileRef[] }> {
  const agents = await files(join(dir, "subagents"), isAgent, "subagent", 3, onProblem);
  const outputs = await files(join(dir, "tool-results"), () => true, "tool_result", 0, onProblem);
  return { agents, outputs };
}

async function files(
  dir: string,
  wanted: (name: string) => boolean,
  role: FileRef["role"],
  depth: number,
  onProblem?: OnProblem,
): Promise<FileRef[]> {
  const found: FileRef[] = [];
  for (const entry of await list(dir, onProblem)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (depth > 0) found.push(...(await files(path, wanted, role, depth - 1, onProblem)));
    } else if (wanted(entry.name)) {
      const file = await fileRef(path, role, onProblem);
      if (file) found.push(file);
    }
  }
  return found;
}

/** The entries of a folder by name; none when it is not there or is no folder. */
async function list(dir: string, onProblem?: OnProblem): Promise<Dirent[]> {
  return (await entriesOf(dir, onProblem)).sort(byName);
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

/** The first bytes of a file as text; empty when it cannot be read. */
export async function beginning(path: string, length: number): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

/** A ref for one file, wherever it lies, with what lies beside it. */
export async function refOf(path: string): Promise<SessionRef | undefined> {
  const main = await fileRef(path, "main");
  if (!main) return undefined;
  if (isAgent(basename(path))) {
    const at = path.lastIndexOf("/subagents/");
    const parent = at === -1 ? await sessionIn(path) : basename(path.slice(0, at));
    return agentRef(main, parent ?? "unknown");
  }
  const originalId = basename(path).replace(/\.jsonl?$/, "");
  const { agents, outputs } = await bundle(join(dirname(path), originalId));
  return { agent: "claude", originalId, path, files: [main, ...agents, ...outputs] };
}
