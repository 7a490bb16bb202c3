// What the picker does while one types: the catalog is brought up to date, and the selected session is read.
import type { Catalog } from "../../catalog/catalog.ts";
import { listSessions } from "../../catalog/query.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import { update, withCatalog } from "../catalog.ts";
import { type Context, newContext } from "../context.ts";
import type { Progress } from "../output.ts";
import { openRow } from "./open-row.ts";
import { emptyPreview, LARGEST_PREVIEW, type Preview, readPreview } from "./preview.ts";
import type { Answer } from "./rows.ts";

type Tell = (answer: Answer) => void;

/** As many as a large screen shows. */
const AT_ONCE = 60;
const TOLD_EVERY_MS = 100;
const LISTED_EVERY_MS = 1000;

/** One after the other: what is asked for while one is going on comes after it. */
export function loading(home: string | undefined, isShown: boolean, tell: Tell): () => Promise<void> {
  const context = contextFor(home);
  let isCurrent = isShown;
  let last = Promise.resolve();
  return () => {
    last = last.then(async () => {
      await load(context, isCurrent, tell);
      isCurrent = true;
    });
    return last;
  };
}

/** `isCurrent`: what the catalog knows is shown already. */
async function load(context: Context, isCurrent: boolean, tell: Tell): Promise<void> {
  const problems: string[] = [];
  let catalog: Catalog | undefined;
  let toldAt = 0;
  let listedAt = Date.now();
  const quiet = quietly(context, problems, (done, total, shown = String) => {
    const now = Date.now();
    if (now - toldAt < TOLD_EVERY_MS) return;
    toldAt = now;
    const sessions = catalog && now - listedAt > LISTED_EVERY_MS ? listed(catalog) : undefined;
    if (sessions) listedAt = now;
    const progress = `Reading sessions: ${shown(done)} of ${shown(total)}`;
    tell({ type: "update", ...(sessions && { sessions }), progress, problems });
  });
  try {
    await withCatalog(quiet, { words: false, newest: AT_ONCE }, async (opened, first) => {
      catalog = opened;
      const hasMore = first.sessions > AT_ONCE;
      if (hasMore) tell({ type: "update", sessions: listed(opened), progress: "", problems });
      const report = hasMore ? await update(quiet, opened, { words: false }) : first;
      const isSame = isCurrent && report.added + report.updated + report.removed === 0;
      tell({ type: "update", ...(!isSame && { sessions: listed(opened) }), problems });
    });
  } catch (error) {
    // What is known can still be chosen from.
    problems.push(error instanceof Error ? error.message : String(error));
    tell({ type: "update", problems });
  }
}

function listed(catalog: Catalog): SessionSummary[] {
  return listSessions(catalog, {}).sessions;
}

function contextFor(home: string | undefined): Context {
  return newContext(home === undefined ? {} : { home });
}

/** What would be printed is for the picker to show: the screen is its own. */
function quietly(context: Context, problems: string[], at: Progress["at"]): Context {
  return {
    ...context,
    output: {
      ...context.output,
      message: () => undefined,
      detail: () => undefined,
      warn: (text) => problems.push(text),
      progress: () => ({ at, end: () => undefined }),
    },
  };
}

/** Only the last one that was asked for is wanted. */
export function previewing(home: string | undefined, tell: Tell): (session: SessionSummary) => Promise<void> {
  const context = contextFor(home);
  let wanted: SessionSummary;
  return async (session) => {
    wanted = session;
    const preview = await previewOf(context, session, () => wanted === session);
    if (preview) tell({ type: "preview", session, preview });
  };
}

/** A session that cannot be read says so in its pane, and nowhere else. */
async function previewOf(
  context: Context,
  session: SessionSummary,
  isWanted: () => boolean,
): Promise<Preview | undefined> {
  const { updated } = session;
  if (session.size > LARGEST_PREVIEW)
    return emptyPreview(updated, "This session is too large to look into from here. v shows it.");
  try {
    return await readPreview(await openRow(context, session), updated, isWanted);
  } catch (error) {
    return emptyPreview(updated, error instanceof Error ? error.message : String(error));
  }
}
