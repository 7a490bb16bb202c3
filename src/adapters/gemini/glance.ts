// A log in which nothing was taken back or replaced, but that a model's message may come again as it grows. For a list
// no more is made of messages that are as today's CLI writes them than it needs; all others are folded.
import { readPlain } from "../../storage/plain.ts";
import { type GlanceOptions, type Listing, type Take, UNREAD } from "../glance.ts";
import { filled, isObject, type Json, objects } from "../json.ts";
import { strangeIn } from "./content.ts";
import { remember, timeOf, usageOf } from "./entries.ts";
import {
  contextName,
  listIn,
  type Message,
  membersOf,
  recordOf,
  responseIn,
  SHOWN,
  toolCallsOf,
} from "./native.ts";
import { Ruled } from "./rulings.ts";
import { EPOCH, type State } from "./state.ts";

type Line = [value: unknown, index: number, offset: number, length: number];

/** The lines that count, as `Reading.glance` hands them out. */
export function glanceLog(path: string, take: Take, options: GlanceOptions): boolean {
  if (!path.endsWith(".jsonl")) return false;
  const done = new Set<string>();
  /** The last message, of which a later version may come, and what came behind it. */
  let last: { message: Message; line: Line } | undefined;
  let behind: Line[] = [];
  const settle = (): boolean => {
    const lines = last ? [last.line, ...behind] : behind;
    if (last) done.add(last.message.id);
    last = undefined;
    behind = [];
    return lines.every((line) => take(...line));
  };
  return readPlain(path, (...line) => visit(line), options) && settle();

  function visit(line: Line): boolean {
    const record = recordOf(line[0]);
    if (!record || record.type === "rewind") return false;
    const held = listIn(record);
    if (held) return done.size === 0 && !last && begin(held.list, line);
    if (record.type !== "message") return behind.push(line) < MOST_BEHIND;
    const { message } = record;
    if (done.has(message.id) || timeOf(message) === undefined) return false;
    if (last?.message.id === message.id) {
      if (!isGrown(last.message, message)) return false;
      // The earlier version counts no more.
      last = undefined;
    }
    if (!settle()) return false;
    last = { message, line };
    return true;
  }

  /** The CLI begins a log with a list of what it tells the model of its surroundings. */
  function begin(list: unknown[], [value, ...at]: Line): boolean {
    const members = membersOf(list);
    if (members.length < list.length || !members.every(([, one]) => isContext(one)) || !settle())
      return false;
    for (const [, { id }] of members) done.add(id);
    return take(new Ruled(value, { members: new Map(members.map(([place]) => [place, {}])) }), ...at);
  }
}

const MOST_BEHIND = 1000;

/** Whether the later version of a model's message has all calls of the earlier one, with their results. */
function isGrown(before: Message, now: Message): boolean {
  if (before.type !== "gemini" || now.type !== "gemini") return false;
  const results = new Map(toolCallsOf(now).map(({ id, result }) => [id, result]));
  return toolCallsOf(before).every(({ id, result }) => results.has(id) && (!result || results.get(id)));
}

export function glance(state: State, value: unknown, _: number, listing: Listing): boolean {
  const record = recordOf(value);
  if (record?.type === "set") return state.time !== EPOCH && isTime(record.set);
  if (record?.type !== "message") return false;
  const { message } = record;
  if (listing.isWhole) return false;
  if (message.type === "gemini") return said(state, message, listing);
  return message.type === "user" && isAnswered(state, message);
}

function isContext({ type, content }: Message): boolean {
  return type === "user" && contextName(content) !== undefined;
}

/** When the log was last written to; when it began is known. */
function isTime(set: Json): boolean {
  return Object.keys(set).every((name) => name === "lastUpdated");
}

/** Results that stand with their calls as well: they say nothing new. */
function isAnswered(state: State, { content }: Message): boolean {
  if (!Array.isArray(content)) return false;
  return content.every((piece) => {
    const id = isObject(piece) ? filled(responseIn(piece)?.id) : undefined;
    return id !== undefined && state.answered.includes(id);
  });
}

function said(state: State, message: Message, listing: Listing): boolean {
  const { id, content } = message;
  const timestamp = timeOf(message);
  const calls = toolCallsOf(message);
  if (timestamp === undefined || typeof content !== "string" || !calls.every(isPlainCall)) return false;
  const model = filled(message.model);
  const own = { timestamp, turn: id, ...(model !== undefined && { model }) };
  const isSaid = content !== "" || objects(message.thoughts).length > 0;
  if (!isSaid && calls.length === 0) return true;
  if (isSaid) listing.entry({ ...own, id, type: "assistant", content: "" });
  for (const call of calls) listing.entry({ ...own, ...UNREAD, id: String(call.id), type: "tool_call" });
  if (calls.length > 0) state.answered.length = 0;
  for (const call of calls) if (call.result) answer(state, call, timestamp, listing);
  state.time = timestamp;
  count(message, model, listing);
  if (model !== undefined && model !== state.model) {
    state.model = model.slice(0, 200);
    listing.patch({ model });
  }
  return true;
}

function answer(state: State, call: Json, time: string, listing: Listing): void {
  const callId = String(call.id);
  remember(state.answered, callId);
  listing.entry({
    id: `${callId}-result`,
    type: "tool_result",
    timestamp: timeOf(call) ?? time,
    callId,
    success: true,
    output: "",
  });
}

function count(message: Message, model: string | undefined, listing: Listing): void {
  const usage = usageOf(message);
  const { id } = message;
  if (usage) listing.usage({ turn: id, usage, message: id, ...(model && { model }) });
}

/** Not one that started a subagent, which is linked with it. */
function isPlainCall({ id, agentId, result }: Json): boolean {
  const known = filled(id);
  return (
    known !== undefined &&
    !known.startsWith(SHOWN) &&
    agentId === undefined &&
    (typeof result === "string" || strangeIn(result).length === 0)
  );
}
