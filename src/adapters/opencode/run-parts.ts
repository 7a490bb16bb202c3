// What a reply consists of: texts and thinking in pieces, calls when their arguments are whole, results, tokens. Parts
// are told of once, however often they are updated.
import type { Output } from "../driver.ts";
import { count, type JsonObject, objectOf, text, word } from "./native.ts";
import { askedOf } from "./run-asking.ts";
import { find, keep, type Message, type State, said } from "./run-state.ts";
import { universalCall } from "./tools.ts";
import { usageOf } from "./usage.ts";

export function partUpdated(state: State, part: JsonObject): Output[] {
  const [id, at] = [word(part.id), word(part.messageID)];
  const message = find(state.messages, at);
  if (part.type === "compaction") return compactionPart(state, part);
  if (id === undefined || at === undefined || !message) return [];
  switch (part.type) {
    case "text":
    case "reasoning":
      return message.isSummary
        ? summaryPart(state, message, part)
        : spokenPart(state, message, { id, at, part });
    case "tool":
      return toolPart(state, message, { id, at, part });
    case "step-finish":
      return stepPart(state, { id, at, part });
    default:
      return [];
  }
}

interface Placed {
  id: string;
  /** The message that it belongs to. */
  at: string;
  part: JsonObject;
}

const LONGEST_SUMMARY = 20_000;

/** The user's message that a compaction begins with. */
function compactionPart(state: State, { sessionID, auto }: JsonObject): Output[] {
  const session = word(sessionID);
  if (session !== undefined && isFollowed(state, session))
    keep(state.compactions, session, { trigger: auto === false ? "manual" : "auto", summary: null });
  return [];
}

function summaryPart(state: State, { session }: Message, part: JsonObject): Output[] {
  const compaction = find(state.compactions, session);
  if (compaction && part.type === "text")
    compaction.summary = (text(part.text) ?? "").slice(0, LONGEST_SUMMARY);
  return [];
}

/** The end of the text that no piece has told. */
function spokenPart(state: State, message: Message, { id, at, part }: Placed): Output[] {
  const type = part.type === "text" ? "text" : "thinking";
  if (part.synthetic === true || part.ignored === true) return [];
  const known = find(state.parts, id) ?? keep(state.parts, id, { message: at, type, told: 0 });
  const rest = (text(part.text) ?? "").slice(known.told);
  known.told += rest.length;
  return rest === "" ? [] : [spoken(state, message, type, id, rest)];
}

export function partDelta(state: State, { partID, messageID, field, delta }: JsonObject): Output[] {
  const [id, piece] = [word(partID), word(delta)];
  const part = find(state.parts, id);
  const message = find(state.messages, word(messageID));
  if (id === undefined || piece === undefined || field !== "text" || !part || !message) return [];
  if (part.type === "step" || message.isSummary) return [];
  part.told += piece.length;
  return [spoken(state, message, part.type, id, piece)];
}

/** Each part is a message of its own: after a broken connection the same reply begins anew in another part (1.18.33). */
function spoken(
  state: State,
  { session }: Message,
  type: "text" | "thinking",
  id: string,
  piece: string,
): Output {
  return said({ type, text: piece, message: id, ...parentOf(state, session) });
}

function parentOf(state: State, session: string): { parent_tool_use_id?: string } {
  const call = find(state.subagents, session)?.call;
  return call ? { parent_tool_use_id: call } : {};
}

function stepPart(state: State, { id, at, part }: Placed): Output[] {
  if (find(state.parts, id)) return [];
  keep(state.parts, id, { message: at, type: "step", told: 0 });
  const usage = usageOf(part);
  if (!usage) return [];
  return [
    said({
      type: "usage",
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
      reasoning_tokens: usage.reasoning ?? 0,
      ...(usage.cost !== undefined && { total_cost_usd: usage.cost }),
    }),
  ];
}

function toolPart(state: State, { session }: Message, { id, at, part }: Placed): Output[] {
  const now = objectOf(part.state);
  const call = word(part.callID) ?? id;
  const isOver = now.status === "completed" || now.status === "error";
  if (!isOver && now.status !== "running") return [];
  linkSubagent(state, call, part, isOver);
  const parent = parentOf(state, session);
  const outputs: Output[] = [];
  let known = find(state.calls, call);
  if (!known) {
    if (isUnfinished(now)) return [];
    const [name, input] = [word(part.tool) ?? "unknown", now.input ?? {}];
    known = keep(state.calls, call, { message: at, name, input, isDone: false });
    const universal = universalCall(name, objectOf(input), true);
    outputs.push(said({ type: "tool_use", id: call, name, input, call: universal, ...parent }));
    outputs.push(...askedOf(state, call));
  }
  const isStopped = state.turn?.isInterrupted === true && known.name === "bash";
  if (isOver && !known.isDone) {
    known.isDone = true;
    outputs.push(said({ type: "tool_result", tool_use_id: call, ...resultOf(now, isStopped), ...parent }));
  }
  return outputs;
}

/** Stopped while the model still wrote its arguments: nobody ever called it. */
function isUnfinished({ status, input, raw }: JsonObject): boolean {
  return status === "error" && raw !== undefined && Object.keys(objectOf(input)).length === 0;
}

/** Measured: a command that was stopped is completed too, but without a status of its own (1.18.33). */
function resultOf(
  { status, output, error, metadata }: JsonObject,
  isStopped: boolean,
): { content: string; is_error: boolean } {
  const { exit, interrupted, output: partial } = objectOf(metadata);
  if (status === "completed") {
    const code = count(exit);
    return { content: text(output) ?? "", is_error: code === undefined ? isStopped : code !== 0 };
  }
  const before = interrupted === true ? (text(partial) ?? "") : "";
  return { content: [before, text(error) ?? ""].filter(Boolean).join("\n"), is_error: true };
}

/** A `task` names the session that works on it before that says anything (1.18.33). */
function linkSubagent(state: State, call: string, part: JsonObject, isOver: boolean): void {
  const { metadata, input } = objectOf(part.state);
  const session = part.tool === "task" ? word(objectOf(metadata).sessionId) : undefined;
  if (session === undefined || session === state.session) return;
  if (isOver) {
    delete state.subagents[session];
    return;
  }
  const agent = word(objectOf(input).subagent_type) ?? null;
  const known = find(state.subagents, session) ?? { agent, rules: [] };
  keep(state.subagents, session, { ...known, call });
}

/** Whether a session is ours, or that of a subagent of ours. */
export function isFollowed(state: State, session: unknown): boolean {
  if (typeof session !== "string") return false;
  return session === state.session || typeof find(state.subagents, session)?.call === "string";
}
