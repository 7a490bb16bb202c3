// A session that only the archive holds any more, for every command that reads one.
import { adapterNamed } from "../adapters/named.ts";
import { archivedNamed } from "../catalog/archive/find.ts";
import { openArchived } from "../catalog/archive/open.ts";
import { type ArchivedSession, archivedSessions } from "../catalog/archive/read.ts";
import { BatonError } from "../session/error.ts";
import { privateFolder } from "../storage/copy-file.ts";
import type { Context } from "./context.ts";
import type { Opened } from "./session.ts";

/** Undefined where the archive has none of that name. */
export async function openFromArchive(context: Context, name: string): Promise<Opened | undefined> {
  const { batonHome, output } = context;
  const adapters = await context.adapters();
  const all = await archivedSessions(batonHome);
  const session = named(() => archivedNamed(name, all, adapters));
  if (!session) return undefined;
  const adapter = adapterNamed(session.agent, adapters);
  const { source } = await openArchived({ batonHome, adapter, session, all }, privateFolder().folder);
  output.message(
    `${session.path} is gone; this is from the archive. \`baton restore ${session.id}\` writes it back.`,
  );
  return { source, path: session.path, archived: session };
}

function named(find: () => ArchivedSession): ArchivedSession | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof BatonError && (error.code === "not_found" || error.code === "usage"))
      return undefined;
    throw error;
  }
}
