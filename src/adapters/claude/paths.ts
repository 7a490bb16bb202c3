// Where Claude Code keeps sessions, how it names their folders, and how they are found again.
import type { Dirent } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { FileRef, Home, Looking, SessionRef } from "../adapter.ts";
import { entriesOf, fileRef, headOf, knownOf, storeEntries } from "../folder.ts";
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
export function* discoverFiles(home: Home, looking?: Looking): Generator<SessionRef> {
  const projects = projectsDir(home);
  for (const project of storeEntries(projects, looking).sort(byName)) {
    if (!project.isFile()) yield* discoverProject(join(projects, project.name), looking);
  }
}

function* discoverProject(dir: string, looking?: Looking): Generator<SessionRef> {
  const [ids, folders, beside] = [new Set<string>(), new Set<string>(), [] as string[]];
  for (const entry of entriesOf(dir, looking)) {
    const { name } = entry;
    if (isAgent(name)) beside.push(name);
    else if (name.endsWith(JSONL)) ids.add(name.slice(0, -JSONL.length));
    else if (!entry.isFile()) folders.add(name);
  }
  const flat = flatAgents(dir, beside.sort(), looking);
  for (const id of [...new Set([...ids, ...folders, ...flat.keys()])].sort()) {
    const nested = folders.has(id) ? bundle(join(dir, id), looking) : { agents: [], outputs: [] };
    const agents = [...(flat.get(id) ?? []), ...nested.agents];
    const main = ids.has(id) ? fileRef(`${dir}${sep}${id}${JSONL}`, "main", looking) : undefined;
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

/** What lies in a session's own folder: subagents, also those of workflows, and long outputs. */
function bundle(dir: string, looking?: Looking): { agents: FileRef[]; outputs: FileRef[] } {
  const inside = new Set(entriesOf(dir, looking).map(({ name }) => name));
  const [subagents, results] = ["subagents", "tool-results"];
  return {
    agents: inside.has(subagents) ? files(join(dir, subagents), isAgent, "subagent", 3, looking) : [],
    outputs: inside.has(results) ? files(join(dir, results), () => true, "tool_result", 0, looking) : [],
  };
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
