// Brings a universal session of an older version up to the current one. A migration changes the header and
// the entries apart from each other, so that a session of any size can be migrated while it is read.
import { BatonError } from "./error.ts";

const CURRENT_VERSION = "1.0";

type Json = Record<string, unknown>;

export interface Migration {
  /** The version it leads to. */
  to: string;
  header?(header: Json): Json;
  entry?(entry: Json): Json;
}

/** By the version they start from. There is none yet: 1.0 is the first version. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {};

export interface Migrated {
  header(header: Json): Json;
  entry(entry: Json): Json;
}

/** How to read documents of this version; `where` names the document in the error. */
export function migrate(version: unknown, where: string, migrations = MIGRATIONS): Migrated {
  const steps: Migration[] = [];
  for (let at = version; at !== CURRENT_VERSION; ) {
    const step = typeof at === "string" && Object.hasOwn(migrations, at) ? migrations[at] : undefined;
    if (!step || steps.includes(step)) throw unreadable(version, where);
    steps.push(step);
    at = step.to;
  }
  return {
    header(header) {
      if (steps.length === 0) return header;
      const changed = steps.reduce((value, step) => step.header?.(value) ?? value, header);
      return { ...changed, version: CURRENT_VERSION };
    },
    entry: (entry) => steps.reduce((value, step) => step.entry?.(value) ?? value, entry),
  };
}

function unreadable(version: unknown, where: string): BatonError {
  if (typeof version !== "string")
    return new BatonError(
      "damaged",
      `${where}: version: there is none, so this is no universal session.`,
      `A universal session says "version": "${CURRENT_VERSION}".`,
    );
  return new BatonError(
    "unsupported",
    `${where}: version: "${version}" is not one that this Baton reads (it reads ${CURRENT_VERSION}).`,
    "Update Baton, or write the session again as that version.",
  );
}
