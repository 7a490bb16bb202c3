// Where Claude Code keeps sessions, how it names their folders, and how they are found again.
import type { Dirent } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { FileRef, Home, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef, headOf, knownOf, storeEntries } from "../folder.ts";
import { filled, isObject } from "./native.ts";

/** The folder that holds everything: `~/.claude`, unless the user moved it. */
export function configDir(home: Home): string {
  return home.env.CLAUDE_CONFIG_DIR || join(home.dir, ".claude");
}

export function projectsDir(home: Home): string {
  return join(configDir(home), "projects");
}

/** Subagents run in the background, so their files grow while the session's does not. */
export function watched(home: Home): StoreFolder[] {
  const below = [/./, /^[0-9a-f-]{36}$/, /^subagents$/, /./, /./];
  const outputs = [/./, /^[0-9a-f-]{36}$/, /^tool-results$/];
  return [
    { path: projectsDir(home), below, files: /\.jsonl$/ },
    { path: projectsDir(home), below: outputs, files: /./, of: (folder) => `${dirname(folder)}${JSONL}` },
  ];
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
export function* discoverFiles(home: Home, looking?: Looking): Generator<SessionRef> {
  const projects = projectsDir(home);
  for (const project of storeEntries(projects, looking).sort(byName)) {
    if (!project.isFile()) yield* inProject(join(projects, project.name), looking);
  }
}

function inProject(dir: string, looking?: Looking): SessionRef[] {
  const ids: string[] = [];
  const beside: string[] = [];
  const folders = new Set<string>();
  for (const entry of entriesOf(dir, looking)) {
    const { name } = entry;
    if (isAgent(name)) beside.push(name);
    else if (name.endsWith(JSONL)) ids.push(name.slice(0, -JSONL.length));
    else if (!entry.isFile()) folders.add(name);
  }
  const flat = flatAgents(dir, beside.sort(), looking);
  // What is left of a session without a file of its own are its subagents.
  const left = new Set([...folders, ...flat.keys()]);
  for (const id of ids) left.delete(id);
  const found: SessionRef[] = [];
  for (const id of [...ids, ...left].sort()) {
    const nested = folders.has(id) ? bundle(`${dir}${sep}${id}`, looking) : NOTHING;
    const agents = flat.get(id)?.concat(nested.agents) ?? nested.agents;
    const main = left.has(id) ? undefined : fileRef(`${dir}${sep}${id}${JSONL}`, "main", looking);
    if (main) {
      const files = nested === NOTHING && agents.length === 0 ? [main] : [main, ...agents, ...nested.outputs];
      found.push({ agent: "claude", originalId: id, path: main.path, files });
    }
    for (const agent of agents) found.push(agentRef(agent, id));
  }
  return found;
}

/** By the folder that bears a session's id; not where subagents lie beside it, as up to 2.0. */
export function renewed({ path, parent, files: known }: SessionRef): SessionRef[] | undefined {
  const end = parent === undefined ? path.lastIndexOf(JSONL) : path.lastIndexOf(`${sep}subagents${sep}`);
  const isFlat = known.some(({ role, path: at }) => role === "subagent" && dirname(at) === dirname(path));
  const folder = path.slice(0, Math.max(0, end));
  const main = end === -1 || isFlat ? undefined : fileRef(`${folder}${JSONL}`, "main");
  if (!main) return undefined;
  const { agents, outputs } = bundle(folder);
  const id = basename(folder);
  const session = { agent: "claude", originalId: id, path: main.path, files: [main, ...agents, ...outputs] };
  return [session, ...agents.map((agent) => agentRef(agent, id))];
}

const NOTHING: Bundle = { agents: [], outputs: [] };
const JSONL = ".jsonl";

function isAgent(name: string): boolean {
  return name.startsWith("agent-") && name.endsWith(JSONL);
}

function agentRef(file: FileRef, parent: string): SessionRef {
  const originalId = `${parent}/${basename(file.path, JSONL)}`;
  return { agent: "claude", originalId, path: file.path, files: [{ ...file, role: "main" }], parent };
}

/** Up to 2.0 the files of subagents lie beside the session; only their content says whose they are. */
function flatAgents(dir: string, names: readonly string[], looking?: Looking): Map<string, FileRef[]> {
  const found = new Map<string, FileRef[]>();
  for (const name of names) {
    const file = fileRef(join(dir, name), "subagent", looking);
    if (!file) continue;
    const parent = knownOf(file, LOOKED_AT[1], looking)?.parent ?? sessionIn(file.path) ?? "unknown";
    found.set(parent, [...(found.get(parent) ?? []), file]);
  }
  return found;
}

/** Enough for most first records; a long prompt comes before the name of the session. */
const LOOKED_AT = [16 << 10, 4 << 20] as const;
const SESSION_ID = /"sessionId"\s*:\s*"([^"\\]+)"/;

function sessionIn(path: string): string | undefined {
  for (const length of LOOKED_AT) {
    const named = namedIn(headOf(path, length));
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

interface Bundle {
  agents: FileRef[];
  outputs: FileRef[];
}

/** What lies in a session's own folder: subagents, also those of workflows, and long outputs. */
function bundle(dir: string, looking?: Looking): Bundle {
  const found: Bundle = { agents: [], outputs: [] };
  for (const { name } of entriesOf(dir, looking)) {
    if (name === "subagents") found.agents = files(join(dir, name), isAgent, "subagent", 3, looking);
    if (name === "tool-results")
      found.outputs = files(join(dir, name), () => true, "tool_result", 0, looking);
  }
  return found;
}

function files(
  dir: string,
  wanted: (name: string) => boolean,
  role: FileRef["role"],
  depth: number,
  looking?: Looking,
): FileRef[] {
  return entriesOf(dir, looking)
    .sort(byName)
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return depth > 0 ? files(path, wanted, role, depth - 1, looking) : [];
      return wanted(entry.name) ? (fileRef(path, role, looking) ?? []) : [];
    });
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

/** A ref for one file, wherever it lies, with what lies beside it. */
export function refOf(path: string): SessionRef | undefined {
  const main = fileRef(path, "main");
  if (!main) return undefined;
  if (isAgent(basename(path))) {
    const at = path.lastIndexOf("/subagents/");
    const parent = at === -1 ? sessionIn(path) : basename(path.slice(0, at));
    return agentRef(main, parent ?? "unknown");
  }
  const originalId = basename(path).replace(/\.jsonl?$/, "");
  const { agents, outputs } = bundle(join(dirname(path), originalId));
  return { agent: "claude", originalId, path, files: [main, ...agents, ...outputs] };
}
