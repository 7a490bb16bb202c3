// Opens the session of a row without looking through the stores.
import { locate } from "../../catalog/locate.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import type { Source } from "../../session/source.ts";
import type { Context } from "../context.ts";
import { shownSource } from "../session.ts";

export async function openRow(context: Context, session: SessionSummary): Promise<Source> {
  return shownSource(await sourceOf(context, session));
}

/** Its file is enough, unless it holds several sessions. */
async function sourceOf(context: Context, session: SessionSummary): Promise<Source> {
  const adapters = await context.adapters();
  const own = adapters.filter(({ id }) => id === session.agent);
  const ref = await own[0]?.recognise(session.path);
  if (own[0] && ref && ref.originalId === session.originalId) return own[0].open(ref);
  const found = await locate(`${session.agent}:${session.originalId}`, context.home, own);
  return found.adapter.open(found.ref);
}
