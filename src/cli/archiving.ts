// Archives every session that a store holds, with progress and warnings: `archive` and `sync` do it alike.
import type { SessionRef } from "../adapters/adapter.ts";
import type { OnProblem } from "../adapters/folder.ts";
import { adapterNamed } from "../adapters/named.ts";
import { adoptGone } from "../catalog/archive/adopt.ts";
import { type Archived, archiveSessions } from "../catalog/archive/archive.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { walk } from "../catalog/scan.ts";
import type { Context } from "./context.ts";
import { bytes } from "./text.ts";

/** Puts the sessions that only the archive holds into a catalog that does not know them, behind a whole sync. */
export async function addGone({ home, batonHome, adapters }: Context, catalog: Catalog): Promise<void> {
  const all = await adapters();
  await adoptGone(catalog, batonHome, all, walk(home, all));
}

/** Somebody else's archiving of a large store. */
const PATIENCE_MS = 600_000;

interface ArchivingOptions {
  /** No others have changed. */
  only?: readonly SessionRef[] | undefined;
  /** Somebody else shows how far they are: bytes, and of how many. */
  onProgress?(done: number, ofBytes: number): void;
  /** A part of a store that could not be looked at. */
  onProblem?: OnProblem;
}

export async function archiveAll(
  context: Context,
  { only, onProgress, onProblem }: ArchivingOptions = {},
): Promise<Archived> {
  const { output, batonHome, home } = context;
  const adapters = await context.adapters();
  const found = only
    ? only.map((ref) => ({ ref, adapter: adapterNamed(ref.agent, adapters) }))
    : walk(home, adapters, onProblem && { onProblem });
  const progress = onProgress ? undefined : output.progress("Archiving");
  const archived = await archiveSessions(batonHome, found, {
    onProgress: ({ bytes: done, ofBytes }) =>
      progress ? progress.at(done, ofBytes, bytes) : onProgress?.(done, ofBytes),
    onRebuild: output.warn,
    patience: PATIENCE_MS,
  });
  progress?.end();
  for (const { agent, originalId, problem } of archived.problems)
    output.warn(`${agent}:${originalId} is not archived: ${problem}`);
  return archived;
}
