// Where the picker's sessions come from: what the catalog knows is there at once. A thread brings it up to date and
// reads previews, so that typing never waits for a disk.
import { getCompileCacheDir } from "node:module";
import { dirname, extname } from "node:path";
import { Worker } from "node:worker_threads";
import { openCatalog } from "../../catalog/catalog.ts";
import { listSessions } from "../../catalog/query.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import type { Context } from "../context.ts";
import { redaction } from "../redaction.ts";
import type { Preview } from "./preview.ts";

export interface Update {
  /** All that are known so far, newest first; absent = as before. */
  sessions?: readonly SessionSummary[];
  /** How far it has come; absent when all are there. */
  progress?: string;
  /** What went wrong on the way, in a sentence each. */
  problems: readonly string[];
}

export type Request = { type: "load" } | { type: "preview"; session: SessionSummary };

export type Answer =
  | ({ type: "update" } & Update)
  | { type: "preview"; session: SessionSummary; preview: Preview };

export interface ThreadTask {
  /** The home that was named. */
  home: string | undefined;
  /** Whether secrets are hidden. */
  redact: boolean;
  /** Whether the sessions that the catalog knows are shown already. */
  isShown: boolean;
  /** Where the program keeps what it has compiled: a thread does not know by itself, and starts slowly without. */
  compiled: string | undefined;
}

export interface Rows {
  /** Brings them up to date, again. */
  load(): void;
  /** Asks for a preview; of several, only the last one is sure to be answered. */
  preview(session: SessionSummary): void;
  close(): void;
}

/** Begins with what is known; everything else is told as it comes. */
export function rows(
  context: Context,
  onAnswer: (answer: Answer) => void,
  onError: (error: unknown) => void,
): Rows {
  const known = knownSessions(context);
  if (known.length > 0) onAnswer({ type: "update", sessions: known, progress: "", problems: [] });
  const compiled = getCompileCacheDir();
  const workerData: ThreadTask = {
    home: context.environment.HOME,
    redact: redaction() !== undefined,
    isShown: known.length > 0,
    compiled: compiled === undefined ? undefined : dirname(compiled),
  };
  // The sources in a clone, the compiled program elsewhere.
  const file = new URL(`./rows-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData });
  worker.on("message", onAnswer);
  worker.on("error", onError);
  const ask = (request: Request) => worker.postMessage(request);
  return {
    load: () => ask({ type: "load" }),
    preview: (session) => ask({ type: "preview", session }),
    close: () => void worker.terminate(),
  };
}

function knownSessions({ batonHome }: Context): SessionSummary[] {
  try {
    const catalog = openCatalog(batonHome);
    try {
      return listSessions(catalog, {}).sessions;
    } finally {
      catalog.close();
    }
  } catch {
    // What is wrong with it is dealt with when it is brought up to date.
    return [];
  }
}
