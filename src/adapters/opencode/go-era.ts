// The database of 2025's OpenCode, written in Go: `.opencode/opencode.db` in the project's folder, with the tables
// sessions, messages and files. A message's parts stand in one column; results are messages of their own role.
import { loss } from "../../session/losses.ts";
import type { Compaction, Entry, Part } from "../../session/session.ts";
import type { Folded } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { RowLine } from "../../storage/rows.ts";
import { count, isObject, isoTime, type JsonObject, objectOf, objects, text, word } from "./native.ts";
import { isNew, type OpenCodeState } from "./state.ts";
import { universalCall } from "./tools.ts";

export function foldOldSession(state: OpenCodeState, row: JsonObject, out: Folded[]): void {
  const title = word(row.title);
  const created = timeOf(row.created_at);
  const cost = count(row.cost);
  const cwd = word(row.directory);
  out.push({
    type: "header",
    patch: {
      ...(title !== undefined && { title, titleRank: 2 }),
      ...(created !== undefined && { timestamp: created }),
      ...(cost !== undefined && cost > 0 && { cost }),
      ...(cwd !== undefined && { cwd }),
    },
  });
  const parent = word(row.parent_session_id);
  if (parent !== undefined)
    out.push({ type: "header", patch: { link: { type: "parent", session: `opencode:${parent}` } } });
  const summary = word(row.summary_message_id);
  if (summary !== undefined) state.summary = summary.slice(0, 200);
  foldTokens(row, out);
}

/** Of the last request only, and what came from a cache is counted in: each request wrote over the one before. */
function foldTokens(row: JsonObject, out: Folded[]): void {
  const turn = word(row.last_reply);
  const input = count(row.prompt_tokens) ?? 0;
  const output = count(row.completion_tokens) ?? 0;
  if (turn !== undefined && input + output > 0)
    out.push({ type: "usage", turn, usage: { input, output, estimated: true } });
}

/** Seconds in some versions, milliseconds in others. */
function timeOf(value: unknown): string | undefined {
  const time = count(value);
  return time === undefined ? undefined : isoTime(time < 1e11 ? time * 1000 : time);
}

export function foldOldMessage(
  state: OpenCodeState,
  record: NativeRecord,
  line: RowLine,
  out: Folded[],
): void {
  const id = word(line.row.id);
  const parts = objectOf(line.data).parts;
  if (id === undefined || !Array.isArray(parts)) {
    out.push({
      type: "loss",
      loss: loss("record_malformed", { record: record.index }, "a message lacks its parts"),
    });
    return;
  }
  for (const { type } of objects(parts)) {
    const name = String(type).slice(0, 80);
    if (!KNOWN.has(name) && isNew(state, name))
      out.push({
        type: "loss",
        loss: loss(
          "record_unknown",
          { record: record.index, line: record.line },
          `a part of the type ${name}`,
        ),
      });
  }
  const damaged = parts.length - objects(parts).length;
  if (damaged > 0)
    out.push({
      type: "loss",
      loss: loss("record_malformed", { record: record.index }, `${damaged} part(s) of ${id} are no objects`),
    });
  state.time = timeOf(line.row.created_at) ?? state.time;
  const model = word(line.row.model);
  if (model !== undefined) out.push({ type: "header", patch: { model } });
  const common = {
    timestamp: state.time,
    records: [record.index],
    ...(line.row.role === "assistant" && { turn: id, ...(model !== undefined && { model }) }),
  };
  const entries =
    state.summary === id
      ? [summaryEntry(id, objects(parts), common)]
      : entriesOf(id, line.row.role, objects(parts), common, record.whole);
  for (const entry of entries) {
    out.push({ type: "entry", entry });
    state.last = entry.id;
  }
}

const KNOWN = new Set(["text", "reasoning", "image_url", "binary", "tool_call", "tool_result", "finish"]);

/** The model is sent this message, as the user's, in the place of all before it. */
function summaryEntry(id: string, parts: readonly JsonObject[], { timestamp, records }: Common): Compaction {
  const spoken = parts.flatMap((part) => spokenPart(part) ?? []);
  const summary = spoken.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return { timestamp, records, id, type: "compaction", summary };
}

type Common = Pick<Entry, "timestamp" | "records" | "turn" | "model">;

function* entriesOf(
  id: string,
  role: unknown,
  parts: readonly JsonObject[],
  common: Common,
  whole: boolean,
): Generator<Entry> {
  const spoken = parts.flatMap((part) => spokenPart(part) ?? []);
  const content = spoken.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const isPlain = spoken.length === 1 && spoken[0]?.type === "text";
  if (spoken.length > 0)
    yield {
      ...common,
      id,
      type: role === "user" ? "user" : "assistant",
      content,
      ...(!isPlain && { parts: spoken }),
    };
  for (const { type, data } of parts) {
    if (!isObject(data)) continue;
    if (type === "tool_call") yield callEntry(data, common, whole);
    else if (type === "tool_result") yield resultEntry(data, common);
  }
}

function spokenPart({ type, data }: JsonObject): Part | undefined {
  const inside = objectOf(data);
  if (type === "text")
    return word(inside.text) === undefined ? undefined : { type: "text", text: String(inside.text) };
  if (type === "reasoning")
    return word(inside.thinking) === undefined
      ? undefined
      : { type: "thinking", text: String(inside.thinking) };
  if (type === "image_url") return { type: "image", url: text(inside.url) ?? "" };
  if (type !== "binary") return undefined;
  const mimeType = text(inside.MIMEType) ?? "application/octet-stream";
  const kind = mimeType.startsWith("image/") ? "image" : "document";
  return { type: kind, mimeType, data: text(inside.Data) ?? "", name: text(inside.Path) ?? "" };
}

function callEntry(data: JsonObject, common: Common, whole: boolean): Entry {
  const name = text(data.name) ?? "unknown";
  const input = parsed(text(data.input) ?? "", whole);
  const call = universalCall(name, input, whole);
  return {
    ...common,
    id: text(data.id) ?? "",
    type: "tool_call",
    ...call,
    originalTool: name,
    originalInput: input,
  };
}

/** Arguments are JSON inside a string, which a pass over structure may have cut. */
function parsed(input: string, whole: boolean): JsonObject {
  if (!whole) return {};
  try {
    return objectOf(JSON.parse(input));
  } catch {
    return { arguments: input };
  }
}

function resultEntry(data: JsonObject, { turn: _, ...common }: Common): Entry {
  const callId = text(data.tool_call_id) ?? "";
  const output = text(data.content) ?? "";
  return {
    ...common,
    id: `${callId}-result`,
    type: "tool_result",
    callId,
    output,
    success: data.is_error !== true,
  };
}
