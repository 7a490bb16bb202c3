// A session of which only the archive is left, for the texts of a hit.
import type { SessionRef } from "../../adapters/adapter.ts";
import { withPrivateFolder } from "../../storage/copy-file.ts";
import { materialise } from "../archive/open.ts";
import { type ArchivedSession, sessionsIn, withIndex } from "../archive/read.ts";

type Named = Pick<SessionRef, "agent" | "originalId" | "path"> & { thread: string };

/** Whether the session goes on from other files, so that the places of its records count over all of them. */
export function isSpreadInArchive(batonHome: string, { agent, originalId, path }: Named): Promise<boolean> {
  return withIndex(
    batonHome,
    false,
    (database) =>
      database
        .prepare(
          `SELECT 1 FROM session JOIN session_file ON session_file.session = session.key
           WHERE session.path = ? AND session.agent = ? AND session.original_id = ? AND session_file.role = 'parent'`,
        )
        .get(path, agent, originalId) !== undefined,
  );
}

/** No more than this is put on the disk for one line of text. */
const LARGEST = 32 << 20;

/** Lays the session out as files for as long as `use` reads them; undefined when it is not there, or too large. */
export async function withLaidOut<T>(
  batonHome: string,
  named: Named,
  use: (ref: SessionRef) => Promise<T>,
): Promise<T | undefined> {
  const session = await withIndex<ArchivedSession | undefined>(batonHome, undefined, (database) =>
    sessionsIn(database).find((one) => isNamed(one, named)),
  );
  const size = session?.files.reduce((sum, file) => sum + file.size, 0) ?? 0;
  if (!session || size > LARGEST) return undefined;
  return withPrivateFolder(async (folder) => use(await materialise(batonHome, session, folder)));
}

function isNamed({ agent, originalId, path, thread = "" }: ArchivedSession, named: Named): boolean {
  return (
    agent === named.agent && originalId === named.originalId && path === named.path && thread === named.thread
  );
}
