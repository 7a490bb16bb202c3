// What every writer says about the session as a whole.
import { type Loss, loss } from "../session/losses.ts";
import type { Stream } from "../session/source.ts";
import type { Written } from "./adapter.ts";

/** `model`: the one that the agent goes on with. */
export function* headerLosses({ header, records }: Stream, agent: string, model: string): Generator<Written> {
  const lost = (found: Loss): Written => ({ type: "loss", loss: found });
  if (header.model.model !== model) yield lost(loss("model_changed", {}, `${header.model.model} → ${model}`));
  const others = header.links?.filter(({ type }) => type !== "subagent") ?? [];
  if (others.length > 0)
    yield lost(loss("links_dropped", {}, others.map(({ type, session }) => `${type} ${session}`).join(", ")));
  if (records && header.source.cli !== agent)
    yield lost(loss("records_dropped", {}, `native records of ${header.source.cli}`));
}
