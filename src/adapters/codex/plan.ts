// Where written records go on disk, and how the written session is resumed.
import { dirname, join } from "node:path";
import type { Header } from "../../session/session.ts";
import type { Change } from "../../storage/changes.ts";
import type { Command, ResumeOptions, Target, WrittenRecord } from "../adapter.ts";
import { changesOf } from "../onto.ts";
import { storeVariable } from "../store-variable.ts";
import { codexHome } from "./paths.ts";

const THREAD = "thread:";
const BASE = "base:";
const DOCUMENT = "document:";

/** Names of the files of a bundle, besides "main". */
export const threadFile = (id: string) => `${THREAD}${id}`;
/** A file that a thread goes on from keeps its name, by which the thread finds it. */
export const baseFile = (name: string) => `${BASE}${name}`;
export const baseOf = (file: string) => (file.startsWith(BASE) ? file.slice(BASE.length) : undefined);
export const documentFile = (name: string) => `${DOCUMENT}${name}`;

export function pathOf(target: Target, file = "main"): string {
  if (file.startsWith(THREAD)) return rolloutPath(target, file.slice(THREAD.length));
  const base = baseOf(file);
  if (base !== undefined) return join(dirname(rolloutPath(target, target.originalId)), base);
  if (file.startsWith(DOCUMENT)) return documentPath(target, file.slice(DOCUMENT.length));
  return target.onto?.ref.path ?? rolloutPath(target, target.originalId);
}

/** The day's folder of today: a session that is written now is one of today's in Codex's own lists. */
function rolloutPath(target: Target, id: string): string {
  const [day = "", time = ""] = target.now.toISOString().slice(0, 19).split("T");
  const name = `rollout-${day}T${time.replaceAll(":", "-")}-${id}.jsonl`;
  return join(codexHome(target.home), "sessions", ...day.split("-"), name);
}

/** Outside `sessions`, because Codex finds a rollout by any path below it that holds the id. */
export function documentPath(target: Target, name: string): string {
  const folder = target.documents ?? join(codexHome(target.home), "baton-documents", target.originalId);
  return join(folder, name);
}

export function plan(records: AsyncIterable<WrittenRecord>, target: Target): AsyncIterable<Change> {
  return changesOf(records, target, pathOf);
}

export function resumeCommand(
  originalId: string,
  header: Pick<Header, "project">,
  options: ResumeOptions,
): Command {
  const model = options.model === undefined ? [] : ["-m", options.model];
  const env = storeVariable("CODEX_HOME", codexHome(options.home));
  return { argv: ["codex", "resume", originalId, ...model], cwd: header.project.path, env };
}
