// Writes a session as a paginated rollout, entry by entry: response items for the model, each with the item
// that Codex's own view shows, in turns that begin with a prompt.
import { batched, batchesOf } from "../../session/batches.ts";
import { isMedia } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type {
  AssistantEntry,
  Compaction,
  Entry,
  Part,
  SystemEntry,
  ToolCall,
  ToolResult,
  UserEntry,
} from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { cleanTitle, UNTITLED } from "../../session/title.ts";
import type { Target, Written } from "../adapter.ts";
import type { SwitchEntry } from "../switched.ts";
import { tally } from "../tally.ts";
import { nativeCall, outputAllowance, saidBy } from "./calls.ts";
import { contentOf, outputOf } from "./content.ts";
import { isSurroundings } from "./context.ts";
import { gathered } from "./exchange.ts";
import { type CallIds, callIds, derivedId } from "./ids.ts";
import { type Lines, lines, says, switchLine } from "./lines.ts";
import { isObject, type JsonObject } from "./native.ts";
import { inputContent, joined, outputContent } from "./parts.ts";
import { inOneSeal, isNextModel, reasoningOf } from "./seals.ts";
import { AGENT_ITEM, shownAgent, shownCall, shownContent, textItem } from "./shown.ts";

export interface Thread {
  id: string;
  /** Which file of the bundle. */
  file: string;
  meta: JsonObject;
  /** Threads of subagents by the call that spawned them, or by a name where no call did. */
  agents: ReadonlyMap<string, string>;
}

/** What is under way while a thread is written. */
export interface Writing {
  out: Lines;
  target: Target;
  thread: Thread;
  isOwn: boolean;
  turn: string | undefined;
  turns: number;
  /** How the ids of all turns begin. */
  turnIds: string;
  items: number;
  lastMessage: string | null;
  /** A prompt was shown: without one, Codex does not list the thread. */
  listed: boolean;
  /** The first prompt, which Codex shows as the title. */
  opening: string | undefined;
  /** A turn that is not ours is going on: prompts stand inside it. */
  inside: boolean;
  /** Ids of open calls whose output is of the free-text kind. */
  free: Set<string>;
  /** Subagents that a call has named. */
  named: Set<string>;
  calls: CallIds;
}

export function newWriting(stream: Stream, target: Target, thread: Thread): Writing {
  return {
    out: lines(thread.file, thread.id, target.now),
    target,
    thread,
    isOwn: stream.header.source.cli === "codex",
    turn: undefined,
    turns: 0,
    turnIds: derivedId(thread.id, "turns").slice(0, -12),
    items: 0,
    lastMessage: null,
    listed: false,
    opening: undefined,
    inside: false,
    free: new Set(),
    named: new Set(),
    calls: callIds(),
  };
}

export async function* compose(
  stream: Stream,
  target: Target,
  thread: Thread,
): AsyncGenerator<readonly Written[]> {
  const writing = newWriting(stream, target, thread);
  const losses = tally();
  writing.out.at(stream.header.metadata.created);
  yield [writing.out.line("session_meta", thread.meta)];
  for await (const pieces of batchesOf(writeEntries(stream, writing, stream.header.title)))
    yield pieces.filter((piece) => piece.type === "record" || losses.add(piece.loss));
  yield [...losses.finish(), ...titleLoss(stream, writing)];
}

/** A thread is shown by its first prompt; a name that its user gave stands in a database of Codex's. */
function titleLoss({ header: { title } }: Stream, { thread, opening }: Writing): Written[] {
  const isShown = title === undefined || opening === undefined || cleanTitle(opening) === title;
  if (isShown || thread.file !== "main" || title === UNTITLED) return [];
  return [{ type: "loss", loss: loss("facts_dropped", {}, `the title "${title}"`) }];
}

/** All entries, and the end of the last turn; `title` as for `closeTurn`. */
export function writeEntries(stream: Stream, writing: Writing, title?: string): AsyncIterable<Written> {
  return batched(async function* () {
    for await (const batch of batchesOf(gathered(stream.entries()))) {
      const pieces: Pieces = [];
      for (const { entries, results } of batch)
        for (const entry of entries) {
          writing.out.at(entry.timestamp);
          writeEntry(writing, entry, results, pieces);
        }
      yield pieces;
    }
    const rest: Pieces = [];
    nameAgents(writing, rest);
    closeTurn(writing, rest, title);
    const { replaced } = writing.out;
    if (replaced > 0) lose(rest, [loss("text_replaced", {}, `in ${replaced} item(s)`)]);
    yield rest;
  });
}

/** A subagent that no call spawned, or one in other words, would not be found again if nothing named it. */
function nameAgents(writing: Writing, pieces: Pieces): void {
  const { agents, id: thread } = writing.thread;
  for (const agent of agents.values()) {
    if (writing.named.has(agent)) continue;
    openTurn(writing, pieces);
    pieces.push(writing.out.shown(writing.turn ?? "", shownAgent(thread, agent)));
  }
}

/** What is written, in the order of the file. */
type Pieces = Written[];

function lose(pieces: Pieces, losses: readonly Loss[]): void {
  for (const found of losses) pieces.push({ type: "loss", loss: found });
}

export function writeEntry(
  writing: Writing,
  entry: Entry,
  results: Map<string, ToolResult>,
  pieces: Pieces,
): void {
  if (entry.note) {
    lose(pieces, [loss("system_dropped", { entry: entry.id }, noteOf(entry))]);
    return;
  }
  if (entry.usage && !writing.isOwn)
    lose(pieces, [loss("usage_dropped", { entry: entry.id }, "token counts")]);
  switch (entry.type) {
    case "user":
      writeUser(writing, entry, pieces);
      break;
    case "assistant":
      writeAssistant(writing, entry, pieces);
      writeMade(writing, entry, pieces);
      break;
    case "tool_call":
      writeCall(writing, entry, results.get(entry.id), pieces);
      break;
    case "tool_result":
      writeResult(writing, entry, pieces);
      break;
    case "system":
      writeSystem(writing, entry, pieces);
      break;
    case "compaction":
      writeCompaction(writing, entry, pieces);
      break;
    case "switch":
      writeSwitch(writing, entry, pieces);
      break;
    default:
      entry satisfies never;
  }
}

function noteOf(entry: Entry): string {
  return entry.type === "system" ? (entry.subtype ?? "a note") : entry.type;
}

/** Everything stands in a turn; a prompt begins one. */
function openTurn(writing: Writing, pieces: Pieces): void {
  if (writing.turn !== undefined) return;
  writing.turn = `${writing.turnIds}${(writing.turns++).toString(16).padStart(12, "0")}`;
  writing.lastMessage = null;
  pieces.push(
    writing.out.line("event_msg", {
      type: "task_started",
      turn_id: writing.turn,
      started_at: Math.floor(writing.out.time / 1000),
      model_context_window: null,
      collaboration_mode_kind: "default",
    }),
  );
}

/** `title`: at the end of a thread that shows no prompt of its own, so that it is listed at all. */
export function closeTurn(writing: Writing, pieces: Pieces, title?: string): void {
  if (title !== undefined && !writing.listed) openTurn(writing, pieces);
  const { turn, out } = writing;
  if (turn === undefined) return;
  if (title !== undefined && !writing.listed)
    pieces.push(out.shown(turn, userItem(writing, [textItem(title)])));
  pieces.push(
    out.line("event_msg", {
      type: "task_complete",
      turn_id: turn,
      last_agent_message: writing.lastMessage,
      completed_at: Math.floor(out.time / 1000),
    }),
  );
  writing.turn = undefined;
}

function writeUser(writing: Writing, entry: UserEntry, pieces: Pieces): void {
  const made = inputContent(partsOf(entry, entry.content), placeOf(writing, entry));
  const { content, shown } = made;
  lose(pieces, made.losses);
  pieces.push(...made.files);
  if (content.length === 0) return;
  if (!entry.injected && !writing.inside) closeTurn(writing, pieces);
  openTurn(writing, pieces);
  writeMessage(writing, pieces, "user", content, entry.injected ? INJECTED : undefined);
  if (entry.injected || writing.turn === undefined) return;
  writing.listed = true;
  if (entry.content.trim() !== "") writing.opening ??= entry.content;
  pieces.push(writing.out.shown(writing.turn, userItem(writing, shown.map(shownContent))));
}

/** A mark of ours beside the item, where Codex keeps its own: it is not sent to the model. */
const INJECTED = { injected: true };

function writeMessage(
  writing: Writing,
  pieces: Pieces,
  role: string,
  content: JsonObject[],
  metadata?: JsonObject,
): void {
  const words = contentOf(content).text;
  const isSystem = role === "developer" || (role === "user" && isSurroundings(words));
  const type = isSystem ? "system" : role === "assistant" ? "assistant" : "user";
  pieces.push(
    writing.out.line("response_item", { type: "message", role, content }, says(type, words), metadata),
  );
}

function partsOf(entry: { parts?: Part[] | undefined }, text: string): readonly Part[] {
  return entry.parts ?? [{ type: "text", text }];
}

function placeOf(writing: Writing, entry: Entry) {
  return { entry: entry.id, target: writing.target };
}

function userItem(writing: Writing, content: JsonObject[]): JsonObject {
  return { type: "UserMessage", id: itemId(writing), content };
}

/** Items of the view need an id of their own within the thread, nothing more. */
function itemId(writing: Writing): string {
  return `item-${writing.items++}`;
}

/** A model's message holds text only, so what the model made follows in the user's role. */
function writeMade(writing: Writing, entry: AssistantEntry, pieces: Pieces): void {
  const parts = entry.parts?.filter(isMedia) ?? [];
  if (parts.length === 0) return;
  const what = parts.map(({ type }) => type).join(", ");
  lose(pieces, [loss("role_changed", { entry: entry.id }, `${what} of the model, in a user message`)]);
  const { id, timestamp } = entry;
  writeUser(writing, { id, timestamp, type: "user", content: "", parts, injected: true }, pieces);
}

function writeAssistant(writing: Writing, entry: AssistantEntry, pieces: Pieces): void {
  openTurn(writing, pieces);
  const text: Part[] = [];
  if (entry.thinking !== undefined && !entry.parts)
    writeThinking(writing, entry, entry.thinking, undefined, pieces);
  for (const part of inOneSeal(partsOf(entry, entry.content))) {
    if (part.type === "thinking") writeThinking(writing, entry, part.text, part.signature, pieces);
    else if (!isMedia(part)) text.push(part);
  }
  const { content, losses } = outputContent(text, placeOf(writing, entry));
  lose(pieces, losses);
  if (content.length === 0 || writing.turn === undefined) return;
  const words = joined(content);
  writing.lastMessage = words;
  pieces.push(
    writing.out.shown(writing.turn, {
      type: "AgentMessage",
      id: itemId(writing),
      content: [{ type: "Text", text: words }],
    }),
  );
  writeMessage(writing, pieces, "assistant", content);
}

/** Reasoning is sealed for the model that wrote it: only Codex's own, or that of the model it goes on with. */
function writeThinking(
  writing: Writing,
  entry: Entry,
  thought: string,
  seal: string | undefined,
  pieces: Pieces,
): void {
  const isKept = writing.isOwn || isNextModel(entry.model, writing.target);
  if (!isKept || seal === undefined || writing.turn === undefined) {
    if (thought !== "" || seal !== undefined)
      lose(pieces, [
        loss("thinking_dropped", { entry: entry.id }, "it does not bear the seal of this model"),
      ]);
    return;
  }
  const { item, shown } = reasoningOf(thought, seal, itemId(writing));
  pieces.push(writing.out.shown(writing.turn, shown));
  pieces.push(writing.out.line("response_item", item, says("assistant", "")));
}

function writeCall(writing: Writing, entry: ToolCall, result: ToolResult | undefined, pieces: Pieces): void {
  openTurn(writing, pieces);
  const call = nativeCall(entry, result, writing.calls.of(entry.id), writing.isOwn);
  lose(pieces, call.losses);
  pieces.push(writing.out.line("response_item", call.item, says("tool_call", saidBy(call.item))));
  if (call.item.type === "custom_tool_call") writing.free.add(call.callId);
  if (writing.turn === undefined) return;
  const { cwd } = writing.target;
  const agent = writing.thread.agents.get(entry.id);
  const item = shownCall({ ...call, result, cwd, thread: writing.thread.id, agent });
  if (agent !== undefined && item.type === AGENT_ITEM) writing.named.add(agent);
  pieces.push(writing.out.shown(writing.turn, item));
}

function writeResult(writing: Writing, entry: ToolResult, pieces: Pieces): void {
  openTurn(writing, pieces);
  const given = entry.output === "" && entry.error !== undefined ? entry.error : entry.output;
  const { content, files, losses } = inputContent(partsOf(entry, given), placeOf(writing, entry));
  lose(pieces, losses);
  pieces.push(...files);
  const [only] = content;
  const isText = content.length === 0 || (content.length === 1 && only?.type === "input_text");
  const output = isText ? String(only?.text ?? "") : content;
  const call_id = writing.calls.answered(entry.callId);
  const type = writing.free.delete(call_id) ? "custom_tool_call_output" : "function_call_output";
  const words = outputOf(output).text;
  const item = { type, call_id, output };
  pieces.push(writing.out.line("response_item", item, says("tool_result", words), outputAllowance(words)));
}

/** Codex knows no system role in a thread; what a model was told stands in the developer's. */
function writeSystem(writing: Writing, entry: SystemEntry, pieces: Pieces): void {
  const { content, files, losses } = inputContent(partsOf(entry, entry.content), placeOf(writing, entry));
  lose(pieces, losses);
  pieces.push(...files);
  if (content.length === 0) return;
  openTurn(writing, pieces);
  const role = entry.subtype === "context" ? "user" : "developer";
  if (!writing.isOwn) lose(pieces, [loss("role_changed", { entry: entry.id }, `system → ${role}`)]);
  // Instructions that are not Codex's own: whoever goes on elsewhere needs them too.
  writeMessage(writing, pieces, role, content, entry.injected ? undefined : { injected: false });
}

function writeSwitch(writing: Writing, entry: SwitchEntry, pieces: Pieces): void {
  if (!writing.inside) closeTurn(writing, pieces);
  pieces.push(switchLine(writing.out, entry));
}

/** Only a thread that stays in Codex still has compactions; for others they are already carried out. */
function writeCompaction(writing: Writing, entry: Compaction, pieces: Pieces): void {
  // One that keeps earlier entries by name cannot be written; what it hid is then seen again, nothing is lost.
  if (entry.keeps && entry.keeps.length > 0) return;
  openTurn(writing, pieces);
  const message = entry.summary ?? "";
  const summary = { type: "message", role: "user", content: [{ type: "input_text", text: message }] };
  const members = entry.replacement as Entry[] | undefined;
  // What it hides is out of sight, so its ids are free again.
  writing.calls = callIds();
  const replacement_history = members?.flatMap((member) => replacementItems(writing, member)) ?? [summary];
  pieces.push(writing.out.line("compacted", { message, replacement_history }, says("compaction", message)));
}

/** The items that stand in for what a compaction hid. */
export function replacementItems(writing: Writing, entry: Entry): JsonObject[] {
  const inside: Writing = { ...writing, out: lines("", "", writing.target.now), turn: "replacement" };
  const pieces: Pieces = [];
  writeEntry(inside, entry, new Map(), pieces);
  return pieces.flatMap((written) => {
    if (written.type !== "record") return [];
    const line: unknown = JSON.parse(String(written.bytes));
    return isObject(line) && line.type === "response_item" && isObject(line.payload) ? [line.payload] : [];
  });
}
