// Opens a session: its main file, its subagents as sessions of their own, its project even where no record
// names it.
import { basename, dirname } from "node:path";
import { type Loss, loss } from "../../session/losses.ts";
import type { Header } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import { readPlain } from "../../storage/plain.ts";
import { readRecords } from "../../storage/records.ts";
import type { SessionRef } from "../adapter.ts";
import { openSource, type Reading } from "../open.ts";
import { readJson } from "./installed.ts";
import { isStore, readStore } from "./legacy-store.ts";
import { filled } from "./native.ts";
import { guessProject } from "./project.ts";
import { fold } from "./read.ts";
import type { ClaudeState } from "./state.ts";

export async function open(ref: SessionRef, folder?: string): Promise<Source> {
  return openSource(await reading(ref, folder));
}

/** `folder`: where the session is that a subagent belongs to. */
export async function reading(ref: SessionRef, folder?: string): Promise<Reading<ClaudeState>> {
  const title = taskOf(ref);
  const isInStore = isStore(ref.path);
  return {
    // In the old database `thread` names the session, unless it is a subagent's.
    ref: isInStore && ref.parent === undefined ? { ...ref, thread: undefined } : ref,
    extra: { ...(title !== undefined && { title }), ...(folder && { cwd: folder }) },
    fold,
    provider: "anthropic",
    unanswered: "hidden",
    read: (options) => (isInStore ? readStore(ref, options) : readRecords(ref.path, options)),
    check: (header) => missingFiles(ref, header),
    children: (header) => children(ref, header),
    ...(!isInStore && {
      goesOn: true,
      glance: (take, options) => readPlain(ref.path, take, options),
      guessProject: () => guessProject(basename(projectFolder(ref.path))),
    }),
  };
}

/** What a subagent was started for, from the file beside its own. */
function taskOf({ path, parent, thread }: SessionRef): string | undefined {
  if (parent === undefined || thread !== undefined) return undefined;
  const { description } = readJson(path.replace(/\.jsonl$/, ".meta.json"));
  return filled(description);
}

/** The folder named after the project; subagents lie further down. */
function projectFolder(path: string): string {
  const at = path.lastIndexOf("/subagents/");
  return dirname(at === -1 ? path : path.slice(0, at));
}

async function* children(ref: SessionRef, header: Header): AsyncGenerator<Source> {
  const { originalId: parent } = ref;
  for (const thread of threadsIn(ref, header))
    yield open({ ...ref, originalId: `${parent}/thread-${thread}`, thread, parent }, header.project.path);
  for (const file of ref.files) {
    if (file.role !== "subagent") continue;
    const originalId = `${parent}/${basename(file.path, ".jsonl")}`;
    const files = [{ ...file, role: "main" as const }];
    yield open({ agent: ref.agent, originalId, path: file.path, files, parent });
  }
}

/** Subagents inside the main file; a very long one may be linked twice. */
function threadsIn(ref: SessionRef, header: Header): ReadonlySet<string> {
  const prefix = `claude:${ref.originalId}/thread-`;
  const links = (header.links ?? []).filter(({ type }) => type === "subagent");
  return new Set(
    links.flatMap(({ session }) => (session.startsWith(prefix) ? [session.slice(prefix.length)] : [])),
  );
}

/** Subagents that a result names but whose file is gone. */
function missingFiles(ref: SessionRef, header: Header): Loss[] {
  if (ref.parent !== undefined) return [];
  const prefix = `claude:${ref.originalId}/`;
  const there = new Set(ref.files.map(({ path }) => basename(path, ".jsonl")));
  return (header.links ?? []).flatMap((link) => {
    const name = link.session.slice(prefix.length);
    if (!link.session.startsWith(prefix) || !name.startsWith("agent-") || there.has(name)) return [];
    return [
      loss("file_missing", { ...(link.entry !== undefined && { entry: link.entry }) }, `${name}.jsonl`),
    ];
  });
}
