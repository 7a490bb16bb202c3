// Changes a session's CONTENT for its target before the writer changes its dialect: thinking by policy, artifacts
// inlined, what the old agent said of itself left out, unanswered calls completed, results without a call left out.
import { batched, batchesOf } from "../session/batches.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry, Part, ToolCall } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { inlined } from "../transform/artifacts.ts";
import { asText, isKept, type Thinker } from "./thinking.ts";

export interface PrepareOptions {
  /** drop = leave it out; convert = as marked text; keep = as it is, like all that the agent said of itself: for its own. */
  thinking: "drop" | "convert" | "keep";
  /** Who goes on: thinking of this very model may stay. */
  to?: Thinker;
  /** False = tool calls and their results are left out. */
  toolHistory?: boolean;
  /** False = instructions that stand in the session are left out. */
  systemPrompt?: boolean;
}

/** Losses are complete once the entries have been read, those of children that were read included. */
export function prepare(stream: Stream, options: PrepareOptions): Stream {
  // Each of the last reading: a stream may be read more than once.
  const own: Loss[] = [];
  const below: Stream[] = [];
  return {
    ...stream,
    get losses() {
      return [...stream.losses, ...own, ...below.flatMap(({ losses }) => losses)];
    },
    entries: () =>
      batched(() => {
        own.length = 0;
        return completed(stream.entries(), options, own);
      }),
    async *children() {
      below.length = 0;
      for await (const child of stream.children()) {
        // Some writers know all of them before they read any.
        const prepared = prepare(child, options);
        below.push(prepared);
        yield prepared;
      }
    },
  };
}

/** The entry as the target may see it; undefined when nothing is left of it. */
function changed(entry: Entry, options: PrepareOptions, losses: Loss[]): Entry | undefined {
  const { thinking } = options;
  if (thinking === "keep") return entry;
  const isCall = entry.type === "tool_call" || entry.type === "tool_result";
  if (isCall && options.toolHistory === false) {
    if (entry.type === "tool_call") losses.push(loss("tools_omitted", { entry: entry.id }, toolName(entry)));
    return undefined;
  }
  if (entry.type === "system") return changedSystem(entry, options, losses);
  if (entry.type === "tool_call" || entry.type === "switch" || entry.type === "compaction") return entry;
  const inline = withoutArtifacts(entry, losses);
  if (inline.type !== "assistant") return inline;
  return withoutThinking(inline, thinking, options.to, losses);
}

function changedSystem(
  entry: Extract<Entry, { type: "system" }>,
  { systemPrompt = true }: PrepareOptions,
  losses: Loss[],
): Entry | undefined {
  const at = { entry: entry.id };
  if (entry.injected) {
    // Tools, skills, environment of the old agent would mislead the new one, which tells its own.
    losses.push(loss("context_dropped", at, entry.subtype ?? "context of the agent"));
    return undefined;
  }
  if (systemPrompt || entry.note) return entry;
  losses.push(loss("instructions_omitted", at, `${entry.content.length} characters`));
  return undefined;
}

type Spoken = Extract<Entry, { type: "user" | "assistant" | "tool_result" }>;

function withoutArtifacts<Of extends Spoken>(entry: Of, losses: Loss[]): Of {
  const artifacts = entry.parts?.filter((part) => part.type === "artifact") ?? [];
  if (artifacts.length === 0) return entry;
  for (const { title, artifactType } of artifacts)
    losses.push(loss("artifact_inlined", { entry: entry.id }, title ?? artifactType ?? "an artifact"));
  return { ...entry, parts: entry.parts?.map((part) => (part.type === "artifact" ? inlined(part) : part)) };
}

type Assistant = Extract<Entry, { type: "assistant" }>;

function withoutThinking(
  entry: Assistant,
  policy: "drop" | "convert",
  to: Thinker | undefined,
  losses: Loss[],
): Assistant | undefined {
  const thoughts = entry.parts?.filter((part) => part.type === "thinking") ?? [];
  if (thoughts.length === 0 && entry.thinking === undefined) return entry;
  const kept = thoughts.filter((part) => to !== undefined && isKept(part, entry.model, to));
  // All of a message's thinking stays, or none: vendors count the blocks.
  if (kept.length > 0 && kept.length === thoughts.length) return entry;
  // What the vendor withheld has no text that could be converted.
  const readable = Boolean(entry.thinking) || thoughts.some((part) => part.text !== "");
  const convert = policy === "convert" && readable;
  const kind = convert ? "thinking_converted" : "thinking_dropped";
  const blocks = `${Math.max(thoughts.length, 1)} block(s)`;
  losses.push(loss(kind, { entry: entry.id }, blocks, readable ? undefined : "info"));
  return convert ? converted(entry) : dropped(entry);
}

function dropped(entry: Assistant): Assistant | undefined {
  const { thinking: _, ...rest } = entry;
  const parts = entry.parts?.filter((part) => part.type !== "thinking");
  if (rest.content === "" && (parts === undefined || parts.length === 0)) return undefined;
  return { ...rest, parts };
}

function converted(entry: Assistant): Assistant {
  const { thinking, ...rest } = entry;
  const known: Part[] = entry.parts ?? [{ type: "text", text: entry.content }];
  const apart = thinking !== undefined && !known.some((part) => part.type === "thinking");
  const whole: Part[] = apart ? [{ type: "thinking", text: thinking }, ...known] : known;
  const parts = whole.flatMap((part): Part[] => {
    if (part.type === "text") return part.text === "" ? [] : [part];
    if (part.type !== "thinking") return [part];
    return part.text === "" ? [] : [{ type: "text", text: asText(part.text) }];
  });
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return { ...rest, content, parts };
}

/** Every call gets a result before the next message, because every vendor's API demands it. */
async function* completed(
  entries: AsyncIterable<Entry>,
  options: PrepareOptions,
  losses: Loss[],
): AsyncGenerator<Entry[]> {
  const open: Open = { calls: new Map(), answered: new Set() };
  for await (const batch of batchesOf(entries)) {
    const found: Entry[] = [];
    for (const recorded of batch) {
      const entry = changed(recorded, options, losses);
      if (entry) add(entry, open, found, losses);
    }
    if (found.length > 0) yield found;
  }
  const rest: Entry[] = [];
  settle(open.calls, rest, losses);
  yield rest;
}

interface Open {
  calls: Map<string, ToolCall>;
  /** Calls that have their results. */
  answered: Set<string>;
}

function add(entry: Entry, { calls: open, answered }: Open, found: Entry[], losses: Loss[]): void {
  if (entry.type === "tool_call") {
    answered.delete(entry.id);
    // The same id again, which only damage can cause: the first one was never answered.
    if (open.has(entry.id)) settle(open, found, losses);
    if (entry.hosted) {
      const detail = `${toolName(entry)}, which ran at the provider`;
      losses.push(loss("call_completed", { entry: entry.id }, detail));
      const words = "[This ran at the model's provider; its result was not recorded]";
      found.push(entry, missingResult(entry, words, true));
      return;
    }
    open.set(entry.id, entry);
  } else if (entry.type === "tool_result") {
    if (!open.delete(entry.callId)) {
      losses.push(unwanted(entry, answered.has(entry.callId)));
      return;
    }
    answered.add(entry.callId);
  } else if (open.size > 0 && !sameMessage(entry, open)) settle(open, found, losses);
  found.push(entry);
  if (entry.type === "compaction") for (const call of openIn(entry.replacement)) open.set(call.id, call);
}

/** The calls at the end of what a compaction left that are answered behind it. */
function openIn(replacement: readonly Entry[] = []): ToolCall[] {
  const answered = new Set(replacement.flatMap((one) => (one.type === "tool_result" ? [one.callId] : [])));
  return replacement.filter((one) => one.type === "tool_call").filter(({ id }) => !answered.has(id));
}

/** A second result is no loss of what was answered; one without a call would be missing. */
function unwanted({ id, callId }: Extract<Entry, { type: "tool_result" }>, isAnswered: boolean): Loss {
  const detail = isAnswered ? `its call ${callId} is answered already` : `its call ${callId} is not there`;
  return loss("result_dropped", { entry: id }, detail, isAnswered ? "warning" : undefined);
}

/** Answers the calls that are still open. */
function settle(open: Map<string, ToolCall>, found: Entry[], losses: Loss[]): void {
  for (const call of open.values()) {
    losses.push(loss("call_completed", { entry: call.id }, toolName(call)));
    found.push(missingResult(call, "[Tool call was interrupted; no result was recorded]", false));
  }
  open.clear();
}

/** Text may stand between the calls of one model message. */
function sameMessage(entry: Entry, open: ReadonlyMap<string, ToolCall>): boolean {
  return entry.turn !== undefined && [...open.values()].some((call) => call.turn === entry.turn);
}

function toolName(call: ToolCall): string {
  return call.originalTool ?? call.tool;
}

function missingResult(call: ToolCall, output: string, success: boolean): Entry {
  return {
    id: `${call.id}-result`,
    timestamp: call.timestamp,
    type: "tool_result",
    callId: call.id,
    success,
    output,
    ...(!success && { interrupted: true }),
  };
}
