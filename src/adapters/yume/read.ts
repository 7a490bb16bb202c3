// Reads a session file: its facts, then each message of its history. Messages have neither ids nor times.
import { loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Fold } from "../adapter.ts";
import { count, filled, HEADER, isObject, type Json, objects, PROVIDERS, text } from "./native.ts";
import { universalCall } from "./tools.ts";

export interface State {
  /** When the session began, which is all that is known of a message's time. */
  time: string;
  provider: string;
  model: string;
}

export const fold: Fold<State> = {
  initial: () => ({ time: "", provider: "", model: "" }),
  step(state, record) {
    const { value, index } = record;
    if (!isObject(value)) return index === HEADER ? [] : [malformed(record, "a message is no object")];
    return index === HEADER ? header(state, value) : message(state, value, record);
  },
};

function header(state: State, value: Json): Folded[] {
  state.time = timeOf(value.created) ?? timeOf(value.updated) ?? "";
  state.provider = PROVIDERS[String(value.provider)] ?? "";
  state.model = filled(value.model) ?? "";
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const usage = isObject(value.usage) ? value.usage : {};
  const patch: HeaderPatch = { provider: state.provider, timestamp: state.time };
  if (state.model !== "") patch.model = state.model;
  const cwd = filled(value.cwd);
  if (cwd !== undefined) patch.cwd = cwd;
  const title = filled(metadata.title);
  if (title !== undefined) Object.assign(patch, { title, titleRank: 3 });
  const summary = filled(metadata.summary);
  if (summary !== undefined) patch.summary = summary;
  const cost = count(usage.total_cost_usd);
  if (cost !== undefined && cost > 0) patch.cost = cost;
  const updated = timeOf(value.updated);
  return [
    { type: "header", patch },
    ...(updated === undefined ? [] : [{ type: "header" as const, patch: { timestamp: updated } }]),
    ...totals(usage),
  ];
}

/** Known for the session as a whole only, so no message has any. */
function totals(usage: Json): Folded[] {
  const input = count(usage.total_input_tokens) ?? 0;
  const output = count(usage.total_output_tokens) ?? 0;
  return input + output > 0 ? [{ type: "usage", turn: "session", usage: { input, output } }] : [];
}

function message(state: State, value: Json, record: NativeRecord): Folded[] {
  const id = `h${record.index - 1}`;
  const common = { id, timestamp: state.time, records: [record.index] };
  const content = contentOf(value.content);
  if (content === undefined) return [malformed(record, "a message without content")];
  switch (value.role) {
    case "user":
    case "system":
      return [entry({ ...common, type: value.role, content })];
    case "assistant":
      return reply(state, value, content, common);
    case "tool": {
      const callId = text(value.tool_call_id) ?? "";
      return [
        entry({ ...common, type: "tool_result", callId, output: content, success: value.is_error !== true }),
      ];
    }
    default:
      return [malformed(record, `a message of the role ${String(value.role).slice(0, 40)}`)];
  }
}

function reply(
  state: State,
  value: Json,
  content: string,
  common: { id: string; timestamp: string; records: number[] },
): Folded[] {
  const author = { turn: common.id, provider: state.provider, ...(state.model && { model: state.model }) };
  const calls = objects(value.tool_calls).map((call, at) => {
    const name = text(call.name) ?? "unknown";
    const id = filled(call.id) ?? `${common.id}.${at}`;
    const own = { ...universalCall(name, call.input), originalTool: name, originalInput: call.input ?? {} };
    return entry({ ...common, ...author, ...own, id, type: "tool_call" });
  });
  if (content === "" && calls.length > 0) return calls;
  return [entry({ ...common, ...author, type: "assistant", content }), ...calls];
}

function entry(made: Entry): Folded {
  return { type: "entry", entry: made };
}

/** Text, or parts of which some are text. */
function contentOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part) => (isObject(part) && typeof part.text === "string" ? part.text : JSON.stringify(part)))
    .join("\n");
}

function malformed({ index, line }: NativeRecord, detail: string): Folded {
  return { type: "loss", loss: loss("record_malformed", { record: index, line }, detail) };
}

function timeOf(value: unknown): string | undefined {
  const time = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}
