// Reads a conversation: one message a line.
import { loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Folded } from "../../session/source.ts";
import { vendorOf } from "../../session/vendor.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Fold } from "../adapter.ts";
import { count, filled, isObject, type Json, roleOf, text } from "./native.ts";

export interface State {
  /** The time of the last message, for those without. */
  time: string;
}

export const fold: Fold<State> = {
  initial: () => ({ time: "" }),
  step(state, record) {
    const { value } = record;
    if (value === undefined) return [];
    if (!isObject(value)) return [lost("record_unknown", record, "no object")];
    const role = roleOf(value);
    if (role === undefined)
      return [lost("record_unknown", record, `the role ${String(value.role).slice(0, 40)}`)];
    const content = text(value.content);
    if (content === undefined) return [lost("record_malformed", record, "no content")];
    const found: Folded[] = [];
    const time = timeOf(value.ts);
    if (time === undefined) found.push(lost("timestamp_missing", record, `ts: ${JSON.stringify(value.ts)}`));
    state.time = time ?? state.time;
    const id = filled(value.id) ?? `line-${record.line}`;
    const common = { id, timestamp: state.time, records: [record.index] };
    if (role !== "assistant") return [...found, entry({ ...common, type: role, content })];
    const author = authorOf(value);
    return [
      ...found,
      entry({ ...common, ...author, turn: id, type: "assistant", content }),
      ...(author.model === undefined ? [] : [{ type: "header" as const, patch: author }]),
    ];
  },
};

/** A short name (`gemini`) tells the vendor as well as a full one; any other is its own provider. */
function authorOf(value: Json): { model?: string; provider?: string } {
  const model = filled(value.model);
  return model === undefined ? {} : { model, provider: vendorOf(model) ?? model };
}

function entry(made: Entry): Folded {
  return { type: "entry", entry: made };
}

function lost(
  kind: "record_unknown" | "record_malformed" | "timestamp_missing",
  { index, line }: NativeRecord,
  detail: string,
): Folded {
  // Whatever is in a line of an unknown kind is missing.
  const severity = kind === "timestamp_missing" ? "info" : "warning";
  return { type: "loss", loss: loss(kind, { record: index, line }, detail, severity) };
}

/** Seconds, with or without a fraction. */
function timeOf(value: unknown): string | undefined {
  const time = new Date((count(value) ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
