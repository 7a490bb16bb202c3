// One message of the log as entries: what was said, what was called, and the results, which the CLI keeps twice
// and which count once.
import type { Entry, Part, ToolCall, ToolResult, Usage } from "../../session/session.ts";
import { hasInstructionsMark, isInstructions } from "../instructions.ts";
import { count, filled, isObject, type Json, objects, text } from "../json.ts";
import { switchIn } from "../switched.ts";
import { type Answer, answerOf, contentOf, thoughtOf } from "./content.ts";
import {
  callIn,
  callsIn,
  contextName,
  isLeftOut,
  isThought,
  type Message,
  NOTES,
  opening,
  piecesOf,
  responseIn,
  SHOWN,
  toolCallsOf,
} from "./native.ts";
import { universalCall } from "./tools.ts";

export interface Place {
  record: number;
  /** The time to take where the message has none. */
  time: string;
  /** The calls of the last model message that have their results; changed in place. */
  answered: string[];
  /** Those that had theirs when a compaction came; changed in place. */
  before: string[];
}

/** None for a message that says nothing new, and for one of a type that the CLI passes over as well. */
export function entriesOf(message: Message, place: Place): Entry[] {
  if (message.type === "user") return userEntries(message, place);
  if (message.type === "gemini") return modelEntries(message, place);
  return NOTES.has(message.type) ? [noteEntry(message, place)] : [];
}

/**
 * The entries of a list that took the place of the history. Where all of it did, only what it answers itself is
 * answered from then on: the CLI may compress between a call and its result, which it then tells again.
 */
export function compactedEntries(messages: readonly Message[], place: Place, isAll: boolean): Entry[] {
  const inside = { ...place, answered: [], before: [] };
  const entries = messages.flatMap((one) => entriesOf(one, inside));
  if (isAll) {
    place.before.splice(0, place.before.length, ...place.answered);
    place.answered.splice(0, place.answered.length, ...inside.answered);
  }
  return entries;
}

/** Whether the CLI passes over a message because it does not know its type. */
export function isUnknown({ type }: Message): boolean {
  return type !== "user" && type !== "gemini" && !NOTES.has(type);
}

function common(message: Message, { record, time }: Place) {
  return { id: message.id, timestamp: timeOf(message) ?? time, records: [record] };
}

export function timeOf({ timestamp }: Json): string | undefined {
  const said = text(timestamp);
  return said !== undefined && Number.isFinite(Date.parse(said)) ? said : undefined;
}

function noteEntry(message: Message, place: Place): Entry {
  const made = switchIn(message);
  if (made) return { ...common(message, place), type: "switch", switch: made };
  const pieces = piecesOf(message.content);
  const { text: content, parts } = contentOf(pieces);
  const subtype = String(message.type);
  return { ...common(message, place), type: "system", subtype, note: true, content, ...(parts && { parts }) };
}

function userEntries(message: Message, place: Place): Entry[] {
  const pieces = piecesOf(message.content);
  const base = common(message, place);
  const subtype = contextName(message.content);
  if (subtype !== undefined)
    return [{ ...base, type: "system", subtype, injected: true, content: contentOf(pieces).text }];
  const results = answersIn(pieces).flatMap((found) => resultEntry(found, message, place));
  const spoken = pieces.filter((piece, at) => !responseIn(piece) && !isBeside(pieces, at));
  const { text: content, parts } = contentOf(spoken);
  if (content === "" && parts === undefined) return results;
  const isNote = results.length === 0 && isLeftOut(message.content);
  const said = { ...base, content, ...(parts && { parts }) };
  if (hasInstructionsMark(message))
    return [...results, { ...said, type: "system", ...(isNote && { note: true }) }];
  const flags = { ...(isNote && { note: true }), ...(message.injected === true && { injected: true }) };
  return [...results, { ...said, type: "user", ...flags }];
}

interface Found {
  response: Json;
  /** Bytes that the tool handed over beside its answer. */
  beside: Json[];
}

/** The results among pieces, each with the bytes that follow it. */
export function answersIn(pieces: readonly Json[]): Found[] {
  const found: Found[] = [];
  for (const piece of pieces) {
    const response = responseIn(piece);
    if (response) found.push({ response, beside: [] });
    else if (text(piece.text) === undefined) found.at(-1)?.beside.push(piece);
  }
  return found;
}

/** Whether a piece is one of the bytes that belong to a result. */
function isBeside(pieces: readonly Json[], at: number): boolean {
  return text(pieces[at]?.text) === undefined && pieces.slice(0, at).some(responseIn);
}

function resultEntry({ response, beside }: Found, message: Message, place: Place): ToolResult[] {
  const callId = filled(response.id) ?? openCall(response, place) ?? namelessId(message, response);
  if (place.answered.includes(callId)) return [];
  remember(place.answered, callId);
  const answer = answerOf(response, beside);
  const kept = objects(message.outcomes).find(({ id }) => id === callId);
  const result = { ...outcome(callId, answer, kept), ...whereOf(message, place) };
  return [place.before.includes(callId) ? { ...result, id: `${result.id}-again` } : result];
}

/** Early versions gave calls no ids: one is made up from the message and the tool, and from a number. */
function namelessId(message: Message, call: Json, made: readonly Json[] = []): string {
  const name = filled(call.name) ?? "call";
  const before = made.filter((one) => filled(one.id) === undefined && one.name === call.name).length;
  return before === 0 ? `${message.id}:${name}` : `${message.id}:${name}-${before + 1}`;
}

/** How a call without an id waits among those that have their results: by its tool, in order. */
const waiting = (name: unknown) => `? ${filled(name) ?? "call"} `;

function openCall({ name }: Json, { answered }: Place): string | undefined {
  const at = answered.findIndex((one) => one.startsWith(waiting(name)));
  return at === -1 ? undefined : answered.splice(at, 1)[0]?.slice(waiting(name).length);
}

const MOST_ANSWERED = 400;

/** Bounded, because a state is: results of more calls at once count twice rather than cost memory. */
export function remember(answered: string[], callId: string): void {
  if (answered.length < MOST_ANSWERED && callId.length < 100) answered.push(callId);
}

function whereOf(message: Json, { record, time }: Place) {
  return { timestamp: timeOf(message) ?? time, records: [record] };
}

function resultOf(callId: string, { text: output, parts }: Answer, success: boolean) {
  return {
    id: `${callId}-result`,
    type: "tool_result" as const,
    callId,
    success,
    output,
    ...(parts && { parts }),
  };
}

/** A model message: its words and thoughts, its calls, and the results that are kept with them. */
function modelEntries(message: Message, place: Place): Entry[] {
  const pieces = piecesOf(message.content);
  const thoughts = pieces.some(isThought)
    ? pieces.filter(isThought).map((piece): Part => ({ type: "thinking", text: text(piece.text) ?? "" }))
    : objects(message.thoughts).map(thoughtOf);
  const said = contentOf(
    pieces.filter((piece) => !isThought(piece) && !callIn(piece) && !responseIn(piece)),
    thoughts,
  );
  const model = filled(message.model);
  const base = { ...common(message, place), turn: message.id, ...(model !== undefined && { model }) };
  const entries: Entry[] = [];
  if (said.text !== "" || said.parts)
    entries.push({
      ...base,
      type: "assistant",
      content: said.text,
      ...(said.parts && { parts: said.parts }),
    });
  const calls = callsOf(message, pieces);
  if (calls.length > 0) place.answered.length = 0;
  for (const { id, name, hasId } of calls) if (!hasId) remember(place.answered, `${waiting(name)}${id}`);
  for (const call of calls) entries.push({ ...base, ...callEntry(call) });
  for (const call of calls) entries.push(...recordedResult(call, base.timestamp, place));
  return entries;
}

interface Call {
  id: string;
  /** It is the vendor's, not made up here. */
  hasId: boolean;
  name: string;
  args: unknown;
  /** What the CLI keeps beside it: status, result, display. */
  kept: Json | undefined;
}

/** After a resume the calls stand among the pieces, before it beside them. */
function callsOf(message: Message, pieces: readonly Json[]): Call[] {
  const kept = toolCallsOf(message);
  const inside = callsIn(pieces);
  const made = inside.length > 0 ? inside : kept;
  return made.map((call, at) => {
    const id = filled(call.id) ?? namelessId(message, call, made.slice(0, at));
    const hasId = filled(call.id) !== undefined;
    const shown = hasId
      ? kept.find(({ id }) => id === call.id || id === `${SHOWN}${String(call.id)}`)
      : undefined;
    const own = shown ?? (made === kept ? kept[at] : undefined);
    return { id, hasId, name: text(call.name) ?? "unknown", args: call.args, kept: own };
  });
}

const STATUS: ReadonlyMap<unknown, NonNullable<ToolCall["status"]>> = new Map([
  ["success", "completed"],
  ["error", "error"],
  ["cancelled", "interrupted"],
]);

function callEntry({ id, name, args, kept }: Call) {
  const status = STATUS.get(kept?.status);
  return {
    id,
    type: "tool_call" as const,
    ...universalCall(name, args),
    originalTool: name,
    originalInput: args ?? {},
    ...(status && { status }),
  };
}

function recordedResult({ id, kept }: Call, time: string, place: Place): ToolResult[] {
  if (!kept?.result) return [];
  remember(place.answered, id);
  const answer = keptAnswer(id, kept.result);
  return [{ ...outcome(id, answer, kept), timestamp: timeOf(kept) ?? time, records: [place.record] }];
}

/** A result with what is on record of it besides its words. */
function outcome(callId: string, answer: Answer, kept: Json = {}) {
  const success = kept.status === undefined ? !answer.failed : kept.status === "success";
  const details = detailsOf(kept);
  return {
    ...resultOf(callId, answer, success),
    ...(details && { details }),
    ...(kept.status === "cancelled" && { interrupted: true }),
  };
}

/** A result is a text, or pieces; once the CLI went over its history, they are those of all calls made together. */
function keptAnswer(id: string, result: unknown): Answer {
  if (typeof result === "string") return { text: result, failed: false };
  const found = answersIn(piecesOf(result));
  const own = found.find(({ response }) => response.id === id) ?? found[0];
  if (own) return answerOf(own.response, own.beside);
  return { ...contentOf(piecesOf(result)), failed: false };
}

/** What an edit changed, as the CLI shows it. */
export function detailsOf({ resultDisplay: display }: Json): Json | undefined {
  const diff = isObject(display) ? text(display.fileDiff) : undefined;
  const at = diff?.search(/^@@/m) ?? -1;
  return diff === undefined || at === -1 ? undefined : { patch: diff.slice(at) };
}

/** The prompt's tokens include cached ones; thoughts are counted apart from the answer. */
export function usageOf({ tokens }: Json): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const number = (field: string) => count(tokens[field]) ?? 0;
  const cached = number("cached");
  const thoughts = number("thoughts");
  return {
    input: Math.max(number("input") - cached, 0) + number("tool"),
    output: number("output") + thoughts,
    ...(cached > 0 && { cacheRead: cached }),
    ...(thoughts > 0 && { reasoning: thoughts }),
  };
}

/** Whether a message is part of what the model is told, rather than a note, context or a result on its own. */
export function isSpoken(message: Message, entries: readonly Entry[]): boolean {
  if (message.type === "gemini") return entries.length > 0;
  return entries.some(isAsked) && opening(message.content) !== "";
}

/** Whether it is nothing that the conversation goes by: a note, a mark, or what the CLI tells of itself. */
export function isAside(entry: Entry): boolean {
  if (entry.type === "system") return !isInstructions(entry);
  return entry.type === "switch" || entry.note === true;
}

function isAsked(entry: Entry): boolean {
  return (entry.type === "user" && !entry.note) || isInstructions(entry);
}
