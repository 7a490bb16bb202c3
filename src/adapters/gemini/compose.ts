// Writes a session as a log of Gemini CLI's own, message by message: one for each prompt and one for each model
// message with its calls and their results.
import { batchesOf } from "../../session/batches.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { AssistantEntry, Compaction, Entry, ToolCall, ToolResult } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { wholeJson } from "../../session/text.ts";
import { vendorOf } from "../../session/vendor.ts";
import { type Exchange, exchanges } from "../../transform/exchanges.ts";
import type { Target, Written, WrittenRecord } from "../adapter.ts";
import type { Json } from "../json.ts";
import { tally } from "../tally.ts";
import { callIds, derivedId } from "./ids.ts";
import { type Made, modelMessages, type NativePair, switchMessage, userMessage } from "./messages.ts";
import { translate } from "./tools.ts";

export interface Log {
  /** The session's id; ids of messages derive from it. */
  id: string;
  /** Which file of the bundle. */
  file: string;
  /** Subagents by the call that spawned them. */
  agents: ReadonlyMap<string, string>;
  /** Ids of calls that are taken. */
  taken?: Iterable<string>;
  /** Sets the ids of messages apart from those that are there already. */
  salt?: string;
}

/** What is under way while a log is written. */
interface Writing {
  log: Log;
  folders: readonly string[];
  callId(wanted: string): string;
  messages: number;
  replaced: number;
  /** A model message whose calls may still come. */
  said: AssistantEntry | undefined;
  out: Written[];
  /** Messages go here while a list is made. */
  list: Json[] | undefined;
  /** What a compaction left, with results that stand behind it, and calls that still have none. */
  held: { left: Entry[]; open: Set<string> } | undefined;
}

export async function* compose(stream: Stream, target: Target, log: Log): AsyncGenerator<readonly Written[]> {
  const writing: Writing = {
    log,
    folders: [target.cwd, stream.header.project.path].filter((folder) => folder !== ""),
    callId: callIds(log.taken),
    messages: 0,
    replaced: 0,
    said: undefined,
    out: [],
    list: undefined,
    held: undefined,
  };
  const losses = tally();
  const taken = () =>
    writing.out.splice(0).filter((piece) => piece.type === "record" || losses.add(piece.loss));
  for await (const batch of batchesOf(exchanges(stream.entries()))) {
    for (const entry of batch) writeEntry(writing, entry);
    yield taken();
  }
  release(writing);
  flush(writing);
  if (writing.replaced > 0) lose(writing, [loss("text_replaced", {}, `in ${writing.replaced} message(s)`)]);
  yield [...taken(), ...losses.finish()];
}

/** The CLI takes two more characters for the end of a line (0.61.0), and drops what it then cannot parse. */
export function oneLine(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A line that is no message. */
export function line(file: string, value: Json): WrittenRecord {
  return { type: "record", file, bytes: `${oneLine(JSON.stringify(value))}\n`, says: [] };
}

function writeEntry(writing: Writing, entry: Exclude<Entry, ToolCall> | Exchange): void {
  const { held } = writing;
  if (held && entry.type === "tool_result" && held.open.delete(entry.callId)) {
    held.left.push(entry);
    return;
  }
  if (held) release(writing);
  if (entry.type === "exchange") {
    writeExchange(writing, entry);
    return;
  }
  flush(writing);
  if (entry.note) {
    const what = entry.type === "system" ? (entry.subtype ?? "a note") : entry.type;
    lose(writing, [loss("system_dropped", { entry: entry.id }, what)]);
    return;
  }
  switch (entry.type) {
    case "user":
    case "system":
      writeMade(writing, entry, [userMessage(entry, nextId(writing))]);
      break;
    case "assistant":
      writing.said = entry;
      break;
    case "tool_result":
      lose(writing, [loss("result_dropped", { entry: entry.id }, `its call ${entry.callId} is not there`)]);
      break;
    case "compaction":
      writeCompaction(writing, entry);
      break;
    case "switch":
      writeMessage(writing, switchMessage(entry, nextId(writing)));
      break;
    default:
      entry satisfies never;
  }
}

/** Results of calls that it left belong to those, as a call is written together with its result. */
function writeCompaction(writing: Writing, entry: Compaction): void {
  const { id, timestamp, summary, replacement } = entry;
  const left: Entry[] = replacement
    ? [...replacement]
    : summary
      ? [{ id, timestamp, type: "user", content: summary, injected: true }]
      : [];
  const open = new Set(left.flatMap((one) => (one.type === "tool_call" ? [one.id] : [])));
  for (const one of left) if (one.type === "tool_result") open.delete(one.callId);
  writing.held = { left, open };
  if (open.size === 0) release(writing);
}

/** A list that takes the place of the history, as the CLI itself writes it down. */
function release(writing: Writing): void {
  const { held } = writing;
  writing.held = undefined;
  if (!held) return;
  const messages: Json[] = [];
  writing.list = messages;
  for (const one of inExchanges(held.left)) writeEntry(writing, one);
  flush(writing);
  writing.list = undefined;
  writing.out.push(line(writing.log.file, { $set: { messages } }));
}

/** Calls that stand together, with their results. */
function inExchanges(entries: readonly Entry[]): (Exclude<Entry, ToolCall> | Exchange)[] {
  const results = new Map<string, ToolResult>();
  for (const entry of entries) if (entry.type === "tool_result") results.set(entry.callId, entry);
  const found: (Exclude<Entry, ToolCall> | Exchange)[] = [];
  const calls = new Set<string>();
  for (const entry of entries) {
    const last = found.at(-1);
    if (entry.type === "tool_call") {
      const pair = { call: entry, result: results.get(entry.id) };
      calls.add(entry.id);
      if (last?.type === "exchange") last.pairs.push(pair);
      else found.push({ type: "exchange", pairs: [pair] });
    } else if (entry.type !== "tool_result" || !calls.has(entry.callId)) found.push(entry);
  }
  return found;
}

function nextId({ log, messages }: Writing, later = 0): string {
  return derivedId(log.id, `${log.salt ?? ""}message ${messages + later}`);
}

function flush(writing: Writing): void {
  const { said } = writing;
  if (said) writeModel(writing, said, []);
}

/** Calls stand with the words of the same model message. */
function writeExchange(writing: Writing, { pairs }: Exchange): void {
  const [first] = pairs;
  const { said } = writing;
  const isSame = said !== undefined && (said.turn === undefined || said.turn === first?.call.turn);
  if (said && !isSame) flush(writing);
  writeModel(writing, isSame ? said : undefined, pairs);
}

function writeModel(writing: Writing, said: AssistantEntry | undefined, pairs: Exchange["pairs"]): void {
  writing.said = undefined;
  const [first] = pairs;
  const entry = said ?? first?.call;
  if (!entry) return;
  const native = pairs.flatMap(({ call, result }) => pairsFor(writing, call, result));
  const usage = pairs.map(({ call }) => call.usage).findLast(Boolean) ?? said?.usage;
  const model = said?.model ?? first?.call.model;
  // What another vendor's model used was not used here, and would be counted twice.
  const isOwn = vendorOf(model) === "google";
  if (usage && !isOwn) lose(writing, [loss("usage_dropped", { entry: entry.id }, OTHERS_TOKENS)]);
  const facts = {
    timestamp: entry.timestamp,
    ...(usage && isOwn && { usage }),
    ...(model !== undefined && { model }),
  };
  const ids = { message: nextId(writing), results: nextId(writing, 1) };
  writeMade(writing, entry, modelMessages(ids, said, native, facts));
}

const OTHERS_TOKENS = "token counts of other vendors' models";

function pairsFor(writing: Writing, call: ToolCall, result: ToolResult | undefined): NativePair[] {
  const { pairs, losses } = translate(call, result, writing.folders);
  lose(writing, losses);
  const agent = writing.log.agents.get(call.id);
  return pairs.map((pair, at) => {
    const id = writing.callId(at === 0 ? call.id : `${call.id}-${at + 1}`);
    if (at === 0 && id !== call.id) lose(writing, [loss("id_changed", { entry: call.id }, id)]);
    const input = pair.input as Json;
    return { ...pair, input, id, ...(at === 0 && agent !== undefined && { agent }) };
  });
}

function writeMade(writing: Writing, entry: Entry, made: readonly (Made | undefined)[]): void {
  if (made[0] === undefined)
    lose(writing, [loss("text_dropped", { entry: entry.id }, "a message without a word in it", "info")]);
  for (const one of made) if (one) writeMessage(writing, one);
}

function writeMessage(writing: Writing, { message, says, losses }: Made): void {
  lose(writing, losses);
  writing.messages++;
  const { json, isReplaced } = wholeJson(message);
  if (isReplaced) writing.replaced++;
  if (writing.list) {
    writing.list.push(JSON.parse(json));
    return;
  }
  writing.out.push({
    type: "record",
    file: writing.log.file,
    bytes: `${oneLine(json)}\n`,
    says: says.map(([type, text]) => [type, text.toWellFormed()] as const),
  });
}

function lose({ out }: Writing, losses: readonly Loss[]): void {
  for (const found of losses) out.push({ type: "loss", loss: found });
}
