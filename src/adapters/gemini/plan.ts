// Where written records go on disk, and how the written session is resumed.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Header } from "../../session/session.ts";
import type { Change } from "../../storage/changes.ts";
import type { Command, Home, ResumeOptions, Target, WrittenRecord } from "../adapter.ts";
import { changesOf } from "../onto.ts";
import { storeVariable } from "../store-variable.ts";
import { agentsFolder, geminiHome, MARKER, projectsIn } from "./paths.ts";

const AGENT = "agent:";

/** Names of the files of a bundle, besides "main". */
export const agentFile = (id: string) => `${AGENT}${id}`;

export function pathOf(target: Target, file = "main"): string {
  const main = target.onto?.ref.path ?? mainPath(target);
  if (!file.startsWith(AGENT)) return main;
  return join(dirname(main), agentsFolder(target.originalId), `${file.slice(AGENT.length)}.jsonl`);
}

/**
 * The whole id, where the CLI itself puts its first eight letters: resuming leaves a second file with those, and the
 * next start deletes every file whose name ends in them (0.61.0).
 */
function mainPath(target: Target): string {
  const time = target.now.toISOString().slice(0, 16).replaceAll(":", "-");
  const chats = chatsOf(target.home, target.cwd);
  if (target.parent) return join(chats, agentsFolder(target.parent.originalId), `${target.originalId}.jsonl`);
  return join(chats, `session-${time}-${target.originalId}.jsonl`);
}

/** Where the CLI looks for the sessions of a project. */
export function chatsOf(home: Home, cwd: string): string {
  return join(geminiHome(home), "tmp", slugOf(home, folderOf(cwd)), "chats");
}

/** The CLI knows a folder by its real path. */
export function folderOf(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    // It need not exist here.
    return resolve(cwd);
  }
}

/** The name of a project's folder in the store, found or made up as the CLI does it. */
function slugOf(home: Home, project: string): string {
  const root = geminiHome(home);
  const bases = [join(root, "tmp"), join(root, "history")];
  const owner = (base: string, slug: string) => textOf(join(base, slug, MARKER)).trim();
  const isFree = (slug: string) => bases.every((base) => ["", project].includes(owner(base, slug)));
  const registered = projectsIn(textOf(join(root, "projects.json")));
  const named = registered.find(([path]) => path === project)?.[1];
  if (named !== undefined && isFree(named)) return named;
  for (const base of bases) for (const slug of namesIn(base)) if (owner(base, slug) === project) return slug;
  const taken = new Set(registered.map(([, slug]) => slug));
  const name = slugFor(basename(project));
  for (let again = 0; ; again++) {
    const slug = again === 0 ? name : `${name}-${again}`;
    if (!taken.has(slug) && isFree(slug)) return slug;
  }
}

function slugFor(name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "-")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");
  return letters || "project";
}

/** Empty when it is not there. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

export async function* plan(records: AsyncIterable<WrittenRecord>, target: Target): AsyncGenerator<Change> {
  if (!target.onto) yield* marked(target);
  yield* changesOf(records, target, pathOf);
}

/** The file by which the CLI knows whose folder it is. A bundle that goes elsewhere needs none. */
function* marked(target: Target): Generator<Change> {
  const path = join(dirname(chatsOf(target.home, target.cwd)), MARKER);
  if (target.documents !== undefined || existsSync(path)) return;
  yield { type: "create", path, bytes: folderOf(target.cwd) };
}

export function resumeCommand(
  originalId: string,
  header: Pick<Header, "project">,
  options: ResumeOptions,
): Command {
  const model = options.model === undefined ? [] : ["-m", options.model];
  const env = storeVariable("GEMINI_CLI_HOME", dirname(geminiHome(options.home)));
  return { argv: ["gemini", "--resume", originalId, ...model], cwd: header.project.path, env };
}
