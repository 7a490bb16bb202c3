// Opens the session of a row without looking through the stores.
import { locate } from "../../catalog/locate.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import type { Context } from "../context.ts";
import { shownSource } from "../session.ts";

export async function openRow(context: Context, session: SessionSummary): Promise<Source> {
  return shownSource(await sourceOf(context, session));
}

/** Its file is enough, unless it holds several sessions. */
async function sourceOf(context: Context, session: SessionSummary): Promise<Source> {
  const own = (await context.adapters()).find(({ id }) => id === session.agent);
  const ref = await own?.recognise(session.path).catch(severalSessions);
  if (own && ref?.originalId === session.originalId) return own.open(ref);
  const found = await locate(`${session.agent}:${session.originalId}`, context.home, own ? [own] : []);
  return found.adapter.open(found.ref);
}

function severalSessions(error: unknown): undefined {
  if (!(error instanceof BatonError) || error.code !== "ambiguous") throw error;
}
