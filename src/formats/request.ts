// Writes a session as the history of an API request, message by message. What differs between the APIs is their
// dialect; what they share stands here: the instructions come first, every call is answered, nothing is empty.
import type { Header, SystemEntry, ToolResult, UserEntry } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { batches } from "./batches.ts";
import type { Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import { type Accepts, newOutgoing, type Outgoing, reportHeader } from "./outgoing.ts";
import { partsOf } from "./parts.ts";
import { type Pair, standIn, type Turn, turnsOf } from "./turns.ts";

type Reply = Extract<Turn, { type: "reply" }>;

export interface Answered extends Pair {
  id: string;
  name: string;
  result: ToolResult;
}

export interface Dialect {
  /** The format's own id: what it read itself it also writes back. */
  id: string;
  accepts: Accepts;
  /** The vendor's provider name: only its own models are named, and only their thinking is kept. */
  isOwn(model: string | undefined): boolean;
  /** The name of the list of messages. */
  list: string;
  /** What stands before the messages. */
  opening(system: readonly string[], model: string | undefined): Json;
  /** The instructions as messages, where they do not stand apart. */
  instructions?(system: readonly string[]): Json[];
  user(entry: UserEntry, out: Outgoing): Json | undefined;
  /** Instructions in the middle of the history. */
  system(entry: SystemEntry, out: Outgoing): Json | undefined;
  reply(turn: Reply, calls: readonly Answered[], out: Outgoing, keepsThinking: boolean): Json[];
  /** What has to stand before a history that a model opens; absent where it may. */
  before?: Json;
}

export function writeRequest(stream: Stream, options: WriteOptions, dialect: Dialect): AsyncIterable<string> {
  return batches(document(stream, options, dialect));
}

async function* document(stream: Stream, options: WriteOptions, dialect: Dialect): AsyncGenerator<string> {
  const { header } = stream;
  const out = newOutgoing(dialect.accepts, options);
  const isSame = header.source.cli === dialect.id;
  await reportHeader(stream, isSame ? ["config"] : [], options);
  const model = dialect.isOwn(header.model.model) ? header.model.model : undefined;
  if (model === undefined && header.model.model !== UNKNOWN)
    out.lost("model_changed", undefined, `${header.model.model} is no model of this API`);
  const turns = turnsOf(stream.entries());
  const { system, rest } = await leading(turns, out);
  yield "{\n";
  const opening = { ...dialect.opening(system, model), ...(isSame && header.model.config) };
  for (const [name, value] of Object.entries(opening))
    yield `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`;
  yield `  ${JSON.stringify(dialect.list)}: [`;
  let separator = "";
  for (const message of system.length > 0 ? (dialect.instructions?.(system) ?? []) : []) {
    yield `${separator}\n    ${JSON.stringify(message)}`;
    separator = ",";
  }
  for await (const message of messages(rest, header, dialect, out)) {
    yield `${separator}\n    ${JSON.stringify(message)}`;
    separator = ",";
  }
  yield separator === "" ? "]\n}\n" : "\n  ]\n}\n";
}

const UNKNOWN = "unknown";

/** The instructions before the first message, and everything from there on. */
async function leading(
  turns: AsyncGenerator<Turn>,
  out: Outgoing,
): Promise<{ system: string[]; rest: AsyncIterable<Turn> }> {
  const system: string[] = [];
  for (;;) {
    const { value, done } = await turns.next();
    if (done || value.type === "reply" || value.entry.type !== "system")
      return { system, rest: after(done ? undefined : value, turns) };
    const text = systemText(value.entry, out);
    if (text !== "") system.push(text);
  }
}

async function* after(first: Turn | undefined, rest: AsyncIterable<Turn>): AsyncGenerator<Turn> {
  if (first) yield first;
  yield* rest;
}

export function systemText(entry: SystemEntry, out: Outgoing): string {
  const others = partsOf(entry).filter(({ type }) => type !== "text").length;
  if (others > 0) out.lost("part_converted", entry.id, `${others} part(s) of a system message left out`);
  return entry.content.trim() === "" ? "" : entry.content;
}

async function* messages(
  turns: AsyncIterable<Turn>,
  header: Header,
  dialect: Dialect,
  out: Outgoing,
): AsyncGenerator<Json> {
  let isFirst = true;
  let usages = 0;
  for await (const turn of turns) {
    const made = messagesOf(turn, header, dialect, out);
    if (made.length > 0 && isFirst) {
      if (turn.type === "reply" && dialect.before) {
        out.lost("message_added", undefined, "a prompt before the first reply");
        yield dialect.before;
      }
      isFirst = false;
    }
    yield* made;
    usages += usagesIn(turn);
  }
  if (usages > 0) out.lost("usage_dropped", undefined, `of ${usages} message(s)`);
}

function messagesOf(turn: Turn, header: Header, dialect: Dialect, out: Outgoing): Json[] {
  if (turn.type === "reply") {
    const model = turn.said[0]?.model ?? header.model.model;
    const keeps = dialect.isOwn(model) && model === header.model.model;
    return dialect.reply(turn, answered(turn.pairs, out), out, keeps);
  }
  const { entry } = turn;
  switch (entry.type) {
    case "user":
      return [dialect.user(entry, out) ?? []].flat();
    case "system":
      if (entry.injected) {
        // Tools, skills, environment of the agent, which whoever sends the request tells anew.
        out.lost("context_dropped", entry.id, entry.subtype ?? "context of the agent");
        return [];
      }
      return [dialect.system(entry, out) ?? []].flat();
    case "tool_result":
      out.lost("result_dropped", entry.id, `its call ${entry.callId} is not there`);
      return [];
    case "switch":
    case "compaction":
      // What a model sees of a compaction is a message by now.
      out.lost("system_dropped", entry.id, entry.type);
      return [];
  }
}

function answered(pairs: readonly Pair[], out: Outgoing): Answered[] {
  return pairs.map((pair) => {
    const { call } = pair;
    const found = { ...pair, id: out.callId(call), name: out.toolName(call) };
    if (pair.result) return { ...found, result: pair.result };
    out.lost("call_completed", call.id, found.name);
    const { id, timestamp } = call;
    const result = { id: `${id}-result`, timestamp, type: "tool_result" as const, callId: id };
    return { ...found, result: { ...result, ...standIn(pair) } };
  });
}

function usagesIn(turn: Turn): number {
  const entries =
    turn.type === "reply" ? [...turn.said, ...turn.pairs.map(({ call }) => call)] : [turn.entry];
  return entries.filter(({ usage }) => usage !== undefined).length;
}

/** Reports what an API that has no mark for it does not tell. */
export function reportFailure({ call, result }: Answered, out: Outgoing): void {
  if (!result.success) out.lost("outcome_dropped", call.id, "that the call failed shows in its output only");
}
