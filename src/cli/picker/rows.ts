// Where the picker's sessions come from: what the catalog knows is there at once, then it is brought up to date.
import { type Catalog, openCatalog } from "../../catalog/catalog.ts";
import { locate } from "../../catalog/locate.ts";
import { listSessions } from "../../catalog/query.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import type { Source } from "../../session/source.ts";
import { update, withCatalog } from "../catalog.ts";
import type { Context } from "../context.ts";
import type { Progress } from "../output.ts";

export interface Update {
  /** All that are known so far, newest first; absent = as before. */
  sessions?: readonly SessionSummary[];
  /** How far it has come; absent when all are there. */
  progress?: string;
  /** What went wrong on the way, in a sentence each. */
  problems: readonly string[];
}

/** As many as a large screen shows. */
const AT_ONCE = 60;
const LISTED_EVERY_MS = 1000;

export async function rows(context: Context, show: (update: Update) => void): Promise<void> {
  const problems: string[] = [];
  const known = knownSessions(context, problems);
  if (known.length > 0) show({ sessions: known, progress: "", problems });
  let listedAt = Date.now();
  const at: Progress["at"] = (done, total, shown = String) => {
    const progress = `Reading sessions: ${shown(done)} of ${shown(total)}`;
    const isDue = catalog !== undefined && Date.now() - listedAt > LISTED_EVERY_MS;
    if (isDue) listedAt = Date.now();
    show({ ...(isDue && { sessions: listed(catalog as Catalog) }), progress, problems });
  };
  const quiet = quietly(context, problems, at);
  let catalog: Catalog | undefined;
  await withCatalog(quiet, { words: false, newest: AT_ONCE }, async (opened, { sessions }) => {
    catalog = opened;
    if (sessions > AT_ONCE) {
      show({ sessions: listed(opened), progress: "", problems });
      await update(quiet, opened, { words: false });
    }
    show({ sessions: listed(opened), problems });
  });
}

function listed(catalog: Catalog): SessionSummary[] {
  return listSessions(catalog, {}).sessions;
}

function knownSessions({ batonHome }: Context, problems: string[]): SessionSummary[] {
  try {
    const catalog = openCatalog(batonHome);
    problems.push(...catalog.rebuilt);
    try {
      return listed(catalog);
    } finally {
      catalog.close();
    }
  } catch {
    // What is wrong with it is dealt with when it is brought up to date.
    return [];
  }
}

/** What would be printed is for the picker to show: the screen is its own. */
function quietly(context: Context, problems: string[], at: Progress["at"]): Context {
  const { output } = context;
  return {
    ...context,
    output: {
      ...output,
      message: () => undefined,
      detail: () => undefined,
      warn: (text) => problems.push(text),
      progress: () => ({ at, end: () => undefined }),
    },
  };
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
