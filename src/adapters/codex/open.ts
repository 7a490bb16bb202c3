// Opens a session: its own file, the files it goes on from, the name it was given, and its subagents.
import type { Header } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import { readPlain } from "../../storage/plain.ts";
import type { SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { openSource, type Reading } from "../open.ts";
import { lineageOf, readLineage } from "./lineage.ts";
import { namesIn } from "./names.ts";
import { word } from "./native.ts";
import { beginningIn, findRollout, metaOf, rootOf } from "./paths.ts";
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
  const main = fileRef(ref.path, "main");
  const beginning = main && beginningIn(main.path);
  const meta = main && (await metaOf(main.path, main.size, beginning));
  const lineage = main
    ? await lineageOf(main, meta, beginning)
    : { segments: [{ path: ref.path, size: 0 }], files: [], losses: [] };
  // A file that does not build on another is about the thread it names, whatever its own name says.
  const [own, ...others] = lineage.segments;
  const isAlone = others.length === 0;
  const originalId = (isAlone ? word(meta?.id) : undefined) ?? ref.originalId;
  const title = namesIn(rootOf(ref.path)).get(originalId);
  return {
    ref: { ...ref, originalId, files: main ? [main, ...lineage.files] : ref.files },
    fold,
    provider: "openai",
    orphaned: "hidden",
    read: (options) => readLineage(lineage.segments, options),
    children: (header) => children(header, ref, new Set([...seen, originalId])),
    extra: { losses: lineage.losses, ...(title !== undefined && { title }) },
    ...(isAlone &&
      main &&
      !own?.isOneFile && { goesOn: true, glance: (take, options) => readPlain(main.path, take, options) }),
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
