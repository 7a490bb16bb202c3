// Opens a session: its own file, the files it goes on from, the name it was given, and its subagents.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Header } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import type { SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { openSource, type Reading } from "../open.ts";
import { lineageOf, readLineage } from "./lineage.ts";
import { isObject, word } from "./native.ts";
import { findRollout, metaOf, rootOf } from "./paths.ts";
import { fold } from "./read.ts";
import type { CodexState } from "./state.ts";

export function open(ref: SessionRef): Promise<Source> {
  return openThread(ref, new Set());
}

/** A fork does not say in its name whose file it goes on from. */
export async function bundle(ref: SessionRef): Promise<SessionRef> {
  const main = await fileRef(ref.path, "main");
  if (!main) return ref;
  const lineage = await lineageOf(main, await metaOf(main.path, main.size));
  const known = new Set(ref.files.map(({ path }) => path));
  return { ...ref, files: [...ref.files, ...lineage.files.filter(({ path }) => !known.has(path))] };
}

async function openThread(ref: SessionRef, seen: ReadonlySet<string>): Promise<Source> {
  return openSource(await reading(ref, seen));
}

/** `seen`: the threads above this one, because a damaged store may name a thread as its own child. */
export async function reading(
  given: SessionRef,
  seen: ReadonlySet<string> = new Set(),
): Promise<Reading<CodexState>> {
  // The records name the parent themselves.
  const { parent: _, ...ref } = given;
  const main = await fileRef(ref.path, "main");
  const meta = main && (await metaOf(main.path, main.size));
  const lineage = main
    ? await lineageOf(main, meta)
    : { segments: [{ path: ref.path, size: 0 }], files: [], losses: [] };
  // A file that does not build on another is about the thread it names, whatever its own name says.
  const [own, ...others] = lineage.segments;
  const isAlone = others.length === 0;
  const originalId = (isAlone ? word(meta?.id) : undefined) ?? ref.originalId;
  const title = await nameOf(rootOf(ref.path), originalId);
  return {
    ref: { ...ref, originalId, files: main ? [main, ...lineage.files] : ref.files },
    fold,
    provider: "openai",
    orphaned: "hidden",
    read: (options) => readLineage(lineage.segments, options),
    children: (header) => children(header, ref, new Set([...seen, originalId])),
    extra: { losses: lineage.losses, ...(title !== undefined && { title }) },
    ...(isAlone && main && !own?.isOneFile && { goesOn: true }),
  };
}

async function* children(header: Header, ref: SessionRef, seen: ReadonlySet<string>): AsyncGenerator<Source> {
  for (const { type, session } of header.links ?? []) {
    const thread = session.slice("codex:".length);
    if (type !== "subagent" || seen.has(thread)) continue;
    const found = await findRollout(ref.path, thread);
    const file = found && (await fileRef(found.path, "main"));
    if (!file) continue;
    yield openThread({ agent: "codex", originalId: thread, path: file.path, files: [file] }, seen);
  }
}

const LONGEST_INDEX = 1 << 26;

/** The name the user gave; the newest line for a thread counts. */
export async function nameOf(root: string, thread: string): Promise<string | undefined> {
  const path = join(root, "session_index.jsonl");
  const file = fileRef(path, "index");
  if (!file || file.size > LONGEST_INDEX) return undefined;
  const stamp = [path, file.size, file.mtimeMs, file.inode].join(" ");
  if (known?.stamp !== stamp) known = { stamp, names: namesIn(await readFile(path, "utf8")) };
  return known.names.get(thread);
}

/** The index that was read last: whoever goes through a store asks it for every session. */
let known: { stamp: string; names: ReadonlyMap<string, string | undefined> } | undefined;

function namesIn(index: string): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const line of index.split("\n")) {
    const value = line === "" ? undefined : parsed(line);
    if (isObject(value) && typeof value.id === "string") names.set(value.id, word(value.thread_name));
  }
  return names;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A cut line names nobody.
    return undefined;
  }
}
