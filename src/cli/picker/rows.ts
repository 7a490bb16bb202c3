// Where the picker's sessions come from: the newest are shown at once, the others as they are read.
import { locate } from "../../catalog/locate.ts";
import { query } from "../../catalog/query.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import type { Source } from "../../session/source.ts";
import type { Context } from "../context.ts";
import type { Progress } from "./state.ts";

export interface Update {
  /** All that are known so far, newest first; absent = as before. */
  sessions?: readonly SessionSummary[];
  /** Absent when all are there. */
  progress?: Progress;
  /** Places that could not be looked at. */
  problems: readonly string[];
}

const AT_ONCE = 50;
const SHOWN_EVERY_MS = 100;

/** Until all are there, or nobody wants them any more. */
export async function rows(
  context: Context,
  show: (update: Update) => void,
  signal: AbortSignal,
): Promise<void> {
  const { home } = context;
  const adapters = await context.adapters();
  const newest = await query(home, adapters, { limit: AT_ONCE });
  const progress = { done: newest.sessions.length, total: newest.total };
  signal.throwIfAborted();
  if (newest.hasMore) show({ sessions: newest.sessions, progress, problems: [] });
  let shownAt = 0;
  const problems: string[] = [];
  const all = await query(
    home,
    adapters,
    {},
    {
      onRead(done, total) {
        signal.throwIfAborted();
        if (Date.now() - shownAt < SHOWN_EVERY_MS) return;
        shownAt = Date.now();
        show({ progress: { done, total }, problems });
      },
      onProblem: (path, error) => problems.push(`${path}: ${error.message}`),
    },
  );
  show({ sessions: all.sessions, problems });
}

/** The session of a row. Its file is enough, unless it holds several sessions. */
export async function openRow(context: Context, session: SessionSummary): Promise<Source> {
  const adapters = await context.adapters();
  const own = adapters.filter(({ id }) => id === session.agent);
  const ref = await own[0]?.recognise(session.path);
  if (own[0] && ref && ref.originalId === session.originalId) return own[0].open(ref);
  const found = await locate(`${session.agent}:${session.originalId}`, context.home, own);
  return found.adapter.open(found.ref);
}
