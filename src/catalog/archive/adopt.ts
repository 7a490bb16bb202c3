// Sessions that only the archive holds, for a catalog that was made anew from the stores: they are read from the
// archive, and listed and searched as if their files had just gone.
import type { Adapter, SessionRef } from "../../adapters/adapter.ts";
import { withPrivateFolder } from "../../storage/copy-file.ts";
import { type Catalog, shardOf } from "../catalog.ts";
import { jobOf } from "../index/job.ts";
import { runJobs } from "../index/run.ts";
import type { Found } from "../scan.ts";
import { goneAmong } from "./gone.ts";
import { materialise } from "./open.ts";
import { type ArchivedSession, archivedSessions } from "./read.ts";

/** So many are read at once, which bounds what stands in the private folder. */
const AT_ONCE = 20;

/** Behind a sync of everything. `found`: what the stores hold. The number of sessions that were added. */
export async function adoptGone(
  catalog: Catalog,
  batonHome: string,
  adapters: readonly Adapter[],
  found: Iterable<Found>,
): Promise<number> {
  const all = await archivedSessions(batonHome);
  if (all.length === 0) return 0;
  const known = placesIn(catalog);
  const gone = await goneAmong(batonHome, all, found);
  const wanted = gone.filter(
    ({ agent, originalId, thread, path }) => !known.has(placeOf(agent, originalId, thread ?? "", path)),
  );
  let added = 0;
  for (let at = 0; at < wanted.length; at += AT_ONCE)
    added += await adopt(catalog, batonHome, adapters, wanted.slice(at, at + AT_ONCE));
  return added;
}

function placesIn({ shards }: Catalog): ReadonlySet<string> {
  const places = shards.flatMap((shard) =>
    shard
      .prepare("SELECT agent, original_id, thread, path FROM session")
      .all()
      .map((row) => placeOf(row.agent, row.original_id, row.thread, row.path)),
  );
  return new Set(places);
}

function placeOf(...parts: unknown[]): string {
  return parts.join("\0");
}

function adopt(
  catalog: Catalog,
  batonHome: string,
  adapters: readonly Adapter[],
  sessions: readonly ArchivedSession[],
): Promise<number> {
  return withPrivateFolder(async (folder) => {
    const refs = new Map<ArchivedSession, SessionRef>();
    for (const session of sessions) {
      const ref = await materialise(batonHome, session, folder).catch(() => undefined);
      // What is damaged in the archive is named by `baton archive --check`.
      if (ref) refs.set(session, ref);
    }
    const jobs = Array.from(refs, ([session, ref]) => ({ ...jobOf(ref), shard: shardOf(session.id) }));
    await runJobs(jobs, adapters, { folder: catalog.folder, words: true, onDone: () => undefined });
    for (const [session, ref] of refs) place(catalog, session, ref);
    return refs.size;
  });
}

/** Where it was, and that it is not there any more. */
function place(catalog: Catalog, session: ArchivedSession, ref: SessionRef): void {
  const { id, agent, originalId, thread, path, files, archived } = session;
  const were = files.map(({ path: at, role, size, mtimeMs }) => ({
    path: at,
    role,
    size,
    mtimeMs,
    inode: 0,
  }));
  catalog.shards[shardOf(id)]
    ?.prepare(
      `UPDATE session SET path = ?, thread = ?, files = ?, updated = ?, gone = ?, stamp = ''
       WHERE path = ? AND original_id = ? AND agent = ?`,
    )
    .run(path, thread ?? "", JSON.stringify(were), session.updated, archived, ref.path, originalId, agent);
}
