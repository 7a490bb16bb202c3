// Copies a session into a private store, for the agent it already belongs to, and gathers what its model must
// not see. Reads the user's store, never writes to it.
import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Adapter, FileRef, Home, SessionRef } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { copyPrivately } from "../storage/copy-file.ts";
import { visiblePositions } from "../transform/visible.ts";

/** Every file of the session, at the same place of the other home's store. */
export async function copyBundle(
  adapter: Pick<Adapter, "stores" | "label" | "bundle" | "copy">,
  ref: SessionRef,
  from: Home,
  to: Home,
  cwd: string,
): Promise<SessionRef> {
  if (adapter.copy) return adapter.copy(ref, to, cwd);
  const place = (path: string) => placeIn(adapter, path, from, to);
  const whole = adapter.bundle ? await adapter.bundle(ref) : ref;
  const files: FileRef[] = [];
  for (const file of whole.files) {
    const path = place(file.path);
    await copyPrivately(file.path, path);
    const { size, mtimeMs, ino } = await stat(path);
    files.push({ ...file, path, size, mtimeMs, inode: ino });
  }
  return { ...ref, path: place(ref.path), files };
}

function placeIn(adapter: Pick<Adapter, "stores" | "label">, path: string, from: Home, to: Home): string {
  const targets = adapter.stores(to);
  for (const [index, store] of adapter.stores(from).entries()) {
    const inside = relative(store, path);
    const target = targets[index];
    if (target !== undefined && inside !== "" && !inside.startsWith("..")) return join(target, inside);
  }
  throw new BatonError(
    "unsupported",
    `${path} does not lie in a store of ${adapter.label}.`,
    "Verify a session that `baton list` shows.",
  );
}

/** More of a text than this is not needed to recognise it. */
const PROBE = 200;

/** What the model does not see: rewound and compacted history, and the turns of subagents. */
export async function hiddenTexts(source: Source): Promise<string[]> {
  const shown = new Set(visiblePositions(source.skeleton));
  const texts: string[] = [];
  let position = 0;
  for await (const entry of source.entries()) {
    if (!shown.has(position++)) texts.push(...textOf(entry));
  }
  for await (const child of source.children()) texts.push(...(await allTexts(child)));
  return texts;
}

async function allTexts(stream: Stream): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of stream.entries()) texts.push(...textOf(entry));
  for await (const child of stream.children()) texts.push(...(await allTexts(child)));
  return texts;
}

/** Context is left out: the CLI tells it to every model anew. */
function textOf(entry: Entry): string[] {
  if (entry.injected) return [];
  if (entry.type === "user" || entry.type === "assistant") return [entry.content.slice(0, PROBE)];
  return entry.type === "tool_result" ? [entry.output.slice(0, PROBE)] : [];
}
