// Entries of another agent as OpenCode's messages: one for each prompt, and one for each message of the model, with
// its calls and their results as parts of it.
import { type Loss, loss } from "../../session/losses.ts";
import type { AssistantEntry, Entry, Header, Part, ToolCall, ToolResult } from "../../session/session.ts";
import { callText, entryText } from "../../session/text.ts";
import type { Target, Written } from "../adapter.ts";
import { INSTRUCTIONS_MARK, isInstructions } from "../instructions.ts";
import type { SwitchEntry } from "../switched.ts";
import type { Clock } from "./ids.ts";
import { type Message, messageRecord, type Says } from "./lines.ts";
import { type JsonObject, QUESTION } from "./native.ts";
import { nativeParts, switchTold, type Thoughts } from "./parts.ts";
import { thoughtsOf } from "./thinking.ts";
import { tools } from "./tools.ts";

export interface Writing {
  target: Target;
  session: string;
  file: string;
  clock: Clock;
  callId(id: string): string;
  /** The prompt that the model's messages answer. */
  prompt: string | undefined;
  /** The model to go on with. */
  model: { providerID: string; modelID: string };
  /** Where the session was made, for messages that do not say which model they are of. */
  header: Header;
  worktree: string;
  /** By the call that spawned it: the session of a subagent. */
  subagents: ReadonlyMap<string, string>;
}

/** A message of the model, or anything else by itself. */
export interface Group {
  entries: Entry[];
  results: Map<string, ToolResult>;
}

export async function* grouped(entries: AsyncIterable<Entry>): AsyncGenerator<Group> {
  let group: Group = { entries: [], results: new Map() };
  for await (const entry of entries) {
    if (entry.type === "tool_result" && group.entries.some(({ id }) => id === entry.callId)) {
      group.results.set(entry.callId, entry);
      continue;
    }
    if (group.entries.length > 0 && !isOneMessage(group, entry)) {
      yield group;
      group = { entries: [], results: new Map() };
    }
    group.entries.push(entry);
  }
  if (group.entries.length > 0) yield group;
}

function isOneMessage({ entries, results }: Group, entry: Entry): boolean {
  const first = entries[0];
  if (!first || !isFromModel(first) || !isFromModel(entry) || results.size > 0) return false;
  if (first.turn !== undefined || entry.turn !== undefined) return first.turn === entry.turn;
  // Without turns, a text and the calls behind it are one message.
  return entry.type === "tool_call";
}

function isFromModel({ type }: Entry): boolean {
  return type === "assistant" || type === "tool_call";
}

export function* writeGroup(writing: Writing, group: Group): Generator<Written> {
  const [first] = group.entries;
  if (!first) return;
  if (isFromModel(first)) yield* writeReply(writing, group);
  else if (first.type === "user" || first.type === "system") yield* writePrompt(writing, first);
  else if (first.type === "compaction") yield* writeCompaction(writing, first);
  else if (first.type === "switch") yield* writeSwitch(writing, first);
  else if (first.type === "tool_result")
    yield { type: "loss", loss: loss("result_dropped", { entry: first.id }, "its call is not there") };
}

function* writePrompt(
  writing: Writing,
  entry: Extract<Entry, { type: "user" | "system" }>,
): Generator<Written> {
  if (entry.note) {
    yield {
      type: "loss",
      loss: loss("system_dropped", { entry: entry.id }, "a note of the agent to its user"),
    };
    return;
  }
  if (entry.type === "system")
    yield { type: "loss", loss: loss("role_changed", { entry: entry.id }, "system → user") };
  const { all, losses } = nativeParts(partsOf(entry), entry.id);
  yield* reported(losses);
  const synthetic = entry.injected || entry.type === "system";
  const isMarked = isInstructions(entry);
  const told = { ...(synthetic && { synthetic: true }), ...(isMarked && { metadata: INSTRUCTIONS_MARK }) };
  const parts = all.map((part) => ({ ...part, ...told }));
  if (parts.length > 0) yield* prompt(writing, entry, parts, [[isMarked ? "system" : "user", joined(all)]]);
  else yield* reported([withoutWords(entry)]);
}

function withoutWords({ id }: Entry): Loss {
  return loss("text_dropped", { entry: id }, "a message without a word in it", "info");
}

function* prompt(
  writing: Writing,
  entry: Entry,
  parts: readonly JsonObject[],
  says: Says,
): Generator<Written> {
  const time = writing.clock.at(entry.timestamp);
  const id = writing.clock.id("msg");
  writing.prompt = id;
  const data = { role: "user", time: { created: time }, agent: AGENT, model: writing.model };
  yield* messageRecord({ ...placeOf(writing), id, time, data, parts, says, entry: entry.id }, writing.clock);
}

/** The agent that everybody has. */
const AGENT = "build";

function placeOf({ session, file }: Writing): Pick<Message, "session" | "file"> {
  return { session, file };
}

function partsOf(entry: Extract<Entry, { type: "user" | "assistant" | "system" }>): readonly Part[] {
  return entry.parts ?? [{ type: "text", text: entry.content }];
}

/** As the reader joins texts. */
function joined(parts: readonly JsonObject[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("\n\n");
}

function* reported(losses: readonly Loss[]): Generator<Written> {
  for (const found of losses) yield { type: "loss", loss: found };
}

interface Reply {
  parts: JsonObject[];
  says: [Entry["type"], string][];
  results: [Entry["type"], string][];
  losses: Loss[];
  /** Files that the model made; no API takes them in its own messages. */
  made: JsonObject[];
}

function* writeReply(writing: Writing, group: Group): Generator<Written> {
  const [first] = group.entries as [Entry];
  const reply: Reply = { parts: [], says: [], results: [], losses: [], made: [] };
  const time = writing.clock.at(first.timestamp);
  for (const entry of group.entries) {
    if (entry.type === "assistant") addWords(reply, entry, thoughtsOf(entry, writing.model, time));
    else if (entry.type === "tool_call") addCall(writing, reply, entry, group.results.get(entry.id), time);
  }
  yield* reported(reply.losses);
  if (reply.parts.length > 0) {
    const id = writing.clock.id("msg");
    const isCalling = reply.results.length > 0;
    const finish = isCalling ? "tool-calls" : "stop";
    const parts = [
      { type: "step-start" },
      ...reply.parts,
      { type: "step-finish", reason: finish, ...UNCOUNTED },
    ];
    // Thinking is sent only to the very model that the message names.
    const author = reply.parts.some(({ type }) => type === "reasoning") ? writing.model : {};
    const data = { ...replyData(writing, first, time), ...author, finish };
    const says: Says = [...reply.says, ...reply.results];
    yield* messageRecord(
      { ...placeOf(writing), id, time, data, parts, says, entry: first.id },
      writing.clock,
    );
  }
  if (reply.made.length > 0) yield* prompt(writing, first, reply.made, [["user", ""]]);
}

/** Counts of another agent would make the CLI compact the session at once, if they were high (1.18.33). */
const UNCOUNTED = {
  cost: 0,
  tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
} as const;

function replyData(writing: Writing, entry: Entry, time: number): JsonObject {
  const { header, target, worktree } = writing;
  return {
    // Always some message: the CLI's format demands one.
    parentID: writing.prompt ?? writing.session.replace(/^ses/, "msg"),
    role: "assistant",
    mode: AGENT,
    agent: AGENT,
    path: { cwd: target.cwd, root: worktree },
    ...UNCOUNTED,
    modelID: entry.model ?? header.model.model,
    providerID: entry.provider ?? header.model.provider,
    time: { created: time, completed: time },
  };
}

function addWords(reply: Reply, entry: AssistantEntry, thoughts: Thoughts): void {
  const { texts, files, losses } = nativeParts(partsOf(entry), entry.id, thoughts);
  reply.losses.push(...losses);
  if (texts.length + files.length + losses.length === 0) reply.losses.push(withoutWords(entry));
  for (const part of texts) reply.parts.push(part);
  const last = reply.says.at(-1);
  const words = joined(texts);
  // Texts that follow each other are read as one.
  if (texts.length > 0 && last?.[0] === "assistant") last[1] = [last[1], words].filter(Boolean).join("\n\n");
  else if (texts.length > 0) reply.says.push(["assistant", words]);
  reply.made.push(...files);
}

function addCall(
  writing: Writing,
  reply: Reply,
  call: ToolCall,
  result: ToolResult | undefined,
  time: number,
): void {
  const callID = writing.callId(call.id);
  if (callID !== call.id) reply.losses.push(loss("id_changed", { entry: call.id }, `${call.id} → ${callID}`));
  const { pairs, losses } = tools(call, result);
  reply.losses.push(...losses);
  for (const { name, input } of pairs) {
    const { state, output, losses: found } = stateOf(writing, call, result, input, time);
    reply.losses.push(...found);
    reply.parts.push({ type: "tool", tool: name, callID, state });
    reply.says.push(["tool_call", callText(name, input)]);
    reply.results.push(["tool_result", output]);
  }
}

interface State {
  state: JsonObject;
  /** As the reader finds it. */
  output: string;
  losses: readonly Loss[];
}

const UNANSWERED = "[Tool call was interrupted; no result was recorded]";

function stateOf(
  writing: Writing,
  call: ToolCall,
  result: ToolResult | undefined,
  input: unknown,
  start: number,
): State {
  const end = result ? writing.clock.at(result.timestamp) : start;
  const time = { start, end };
  const entry = result?.id ?? call.id;
  const parts = result?.parts ? nativeParts(result.parts, entry) : undefined;
  const said = parts ? joined(parts.texts) : result?.output;
  // A failure without an output says what went wrong.
  const output = (said === "" && !result?.success ? result?.error : undefined) ?? said ?? UNANSWERED;
  const losses = parts?.losses ?? [];
  if (!result?.success) {
    const left = (parts?.files ?? []).map((file) => droppedFrom(entry, file));
    return { state: { status: "error", input, error: output, time }, output, losses: [...losses, ...left] };
  }
  const title = typeof result.details?.title === "string" ? result.details.title : titleOf(call);
  const session = writing.subagents.get(call.id);
  const metadata = {
    ...(typeof result.details?.exitCode === "number" && { exit: result.details.exitCode }),
    ...(session !== undefined && { sessionId: session }),
    ...(session !== undefined && { model: writing.model }),
  };
  const attachments = parts?.files.length ? { attachments: attached(writing, parts.files) } : {};
  return {
    state: { status: "completed", input, output, title, metadata, time, ...attachments },
    output,
    losses,
  };
}

/** A failure has a text and nothing else. */
function droppedFrom(entry: string, { mime }: JsonObject): Loss {
  const kind = String(mime).startsWith("image/") ? "image_dropped" : "document_dropped";
  return loss(kind, { entry }, "a failed result holds text only");
}

/** Attachments are parts of their own kind, with ids. */
function attached({ clock, session }: Writing, files: readonly JsonObject[]): JsonObject[] {
  return files.map((file) => ({
    id: clock.id("prt"),
    sessionID: session,
    messageID: session.replace(/^ses/, "msg"),
    ...file,
  }));
}

function titleOf({ tool, input }: ToolCall): string {
  const { command, path, pattern, description, url, query } = input;
  const words = [description, path, command, pattern, url, query].find(
    (word) => typeof word === "string" && word !== "",
  );
  return typeof words === "string" ? words.slice(0, 80) : tool;
}

/** A message that the CLI shows and never sends: all of it is ignored. What comes next answers the prompt before. */
function* writeSwitch(writing: Writing, entry: SwitchEntry): Generator<Written> {
  const { prompt: before } = writing;
  yield* prompt(writing, entry, [switchTold(entry)], [["switch", entryText(entry)]]);
  writing.prompt = before;
}

/** A question and the summary as its answer. */
function* writeCompaction(
  writing: Writing,
  entry: Extract<Entry, { type: "compaction" }>,
): Generator<Written> {
  const summary = entry.summary ?? "";
  yield* prompt(writing, entry, [{ type: "compaction", auto: false }], [["user", QUESTION]]);
  const time = writing.clock.at(entry.timestamp);
  const id = writing.clock.id("msg");
  const data = {
    ...replyData(writing, entry, time),
    summary: true,
    finish: "stop",
    mode: "compaction",
    agent: "compaction",
  };
  const says: Says = [["compaction", summary]];
  const parts = [{ type: "text", text: summary }];
  yield* messageRecord({ ...placeOf(writing), id, time, data, parts, says, entry: entry.id }, writing.clock);
}
