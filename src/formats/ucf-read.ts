// Reads a conversation of the Unified Conversation Format 1.0, ours or anybody's. It is checked as a whole, and
// `_providerData` of our own writing gives the entries back as they were.
import { entrySchema } from "../session/schema.ts";
import type { Entry, Header, Part, Usage } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { vendorOf } from "../session/vendor.ts";
import { check, isObject, type Json } from "./check.ts";
import { readDocument, sessionSource } from "./document.ts";
import { callOf, newTimeline, type Timeline } from "./incoming.ts";
import { mention } from "./parts.ts";
import { type Ucf, type UcfContent, type UcfMessage, ucfSchema } from "./ucf-schema.ts";

const HINT = "That part is optional: without it the message is read from its other fields.";
const LABEL = "the Unified Conversation Format 1.0";

export async function readUcf(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  const { value } = document;
  check(ucfSchema, value, path, "`baton schema ucf` prints what such a conversation looks like.");
  const timeline = newTimeline(document.time);
  const switches = [...value.switches];
  for (const [at, message] of value.messages.entries()) {
    addSwitches(timeline, switches, at);
    const before = timeline.entries.length;
    addMessage(timeline, message);
    if (message._providerData === undefined) continue;
    // The format allows anything there, and an entry does not.
    const place = `${path}: messages[${at}]._providerData`;
    for (const entry of timeline.entries.slice(before)) check(entrySchema, entry, place, HINT);
  }
  addSwitches(timeline, switches, Number.POSITIVE_INFINITY);
  const source = sessionSource(document, timeline.entries, knownOf(value), timeline.losses);
  return { ...source, header: { ...source.header, providerState: value.providerState } as Header };
}

function knownOf(conversation: Ucf) {
  const last = conversation.messages.findLast(
    ({ role, model }) => role === "assistant" && model !== undefined,
  );
  const { totalInputTokens: input, totalOutputTokens: output, totalCost: cost } = conversation.usage;
  const isUsed = input > 0 || output > 0;
  return {
    format: "ucf",
    originalId: conversation.id,
    title: conversation.title,
    cwd: conversation.cwd,
    model: last?.model,
    provider: vendorOf(last?.model) ?? last?.provider,
    created: conversation.created,
    updated: conversation.updated,
    metadata: { ...(isUsed && { tokens: { input, output } }), ...(cost > 0 && { cost }) },
  };
}

/** A switch stands before the message that the other provider answered. */
function addSwitches(timeline: Timeline, switches: Ucf["switches"], at: number): void {
  while (switches[0] && switches[0].messageIndex <= at) {
    const { _providerData: own = {}, ...made } = switches.shift() as Ucf["switches"][number];
    const id = typeof own.id === "string" ? own.id : `switch-${timeline.entries.length}`;
    const timestamp = typeof own.timestamp === "string" ? own.timestamp : made.timestamp;
    timeline.entries.push({ id, timestamp, type: "switch", switch: made });
  }
}

const SUMMARY = /^\[Previous conversation summary - \d+ messages\]\n\n?/;

function addMessage(timeline: Timeline, message: UcfMessage): void {
  const data = message._providerData ?? {};
  const parts = message.content.map((content, at) => partOf(content, at, data.parts));
  const { parts: _, kind, ...more } = data;
  const common = {
    timestamp: message.timestamp,
    ...(message.model !== undefined && { model: message.model }),
  };
  switch (message.role) {
    case "user":
      timeline.user(message.id, parts, { ...common, ...more });
      break;
    case "system": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      if (kind === "compaction" || SUMMARY.test(text))
        addSummary(timeline, message.id, text, { ...common, ...more });
      else timeline.system(message.id, text, { ...common, ...more, ...(parts.length > 1 && { parts }) });
      break;
    }
    case "assistant":
      addReply(timeline, message, parts, data);
      break;
    case "tool_result":
      for (const [at, { toolCallId, content, isError }] of (message.toolResults ?? []).entries()) {
        const shown: Part[] = parts.length > 0 && at === 0 ? parts : [{ type: "text", text: content }];
        const id = at === 0 ? message.id : `${message.id}.${at}`;
        timeline.result(id, toolCallId, shown, !isError, { ...common, ...more });
        const entry = timeline.entries.at(-1);
        if (entry?.type === "tool_result")
          entry.output = typeof more.output === "string" ? more.output : content;
      }
  }
  addLooseResults(timeline, message);
}

/** Results that somebody attached to the message of their calls. */
function addLooseResults(timeline: Timeline, message: UcfMessage): void {
  if (message.role === "tool_result") return;
  for (const [at, result] of (message.toolResults ?? []).entries()) {
    const parts: Part[] = [{ type: "text", text: result.content }];
    const id = `${message.id}.result${at}`;
    timeline.result(id, result.toolCallId, parts, !result.isError, { timestamp: message.timestamp });
  }
}

function addSummary(timeline: Timeline, id: string, text: string, more: Json): void {
  const summary = text.replace(SUMMARY, "");
  const own = { id, type: "compaction" as const, ...(text !== "" && { summary }) };
  timeline.entries.push({ timestamp: "", ...more, ...own } as Entry);
}

function addReply(timeline: Timeline, message: UcfMessage, parts: readonly Part[], data: Json): void {
  const turn = typeof data.turn === "string" ? data.turn : message.id;
  const { id, timestamp, provider, model } = message;
  const author = { timestamp, provider: vendorFor(provider), ...(model !== undefined && { model }) };
  let taken = 0;
  for (const said of saidOf(data, id, parts.length)) {
    const { id: own, contents, ...more } = said;
    timeline.reply(own, turn, parts.slice(taken, taken + contents), { ...author, ...more });
    taken += contents;
  }
  const calls = isObject(data.calls) ? data.calls : {};
  for (const call of message.toolCalls ?? []) {
    const own = calls[call.id];
    const { originalInput, ...known } = isObject(own) ? own : {};
    const named = { originalTool: call.name, originalInput: originalInput ?? call.input };
    const universal =
      "tool" in known && "input" in known
        ? { ...named, ...known }
        : { ...callOf(call.name, call.input), ...known };
    timeline.call(call.id, turn, call.name, call.input, { ...author, ...universal });
    const entry = timeline.entries.at(-1);
    if (entry && call.originalId !== call.id) entry.originalId = call.originalId;
  }
  const last = timeline.entries.at(-1);
  if (message.usage && last)
    last.usage = isObject(data.usage) ? (data.usage as Usage) : usageOf(message.usage);
}

interface Said {
  id: string;
  contents: number;
}

/** The entries that the message was, or one. */
function saidOf({ said }: Json, id: string, contents: number): Said[] {
  const found = Array.isArray(said) ? said.filter(isSaid) : [];
  const isWhole = found.reduce((sum, one) => sum + one.contents, 0) === contents && found.length > 0;
  return isWhole ? found : [{ id, contents }];
}

function isSaid(value: unknown): value is Said {
  return isObject(value) && typeof value.id === "string" && typeof value.contents === "number";
}

/** The badge's name where the vendor has another. */
function vendorFor(provider: string): string {
  return { claude: "anthropic", gemini: "google" }[provider] ?? provider;
}

function usageOf(usage: NonNullable<UcfMessage["usage"]>): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost } = usage;
  return {
    input: inputTokens,
    output: outputTokens,
    ...(cacheReadTokens !== undefined && { cacheRead: cacheReadTokens }),
    ...(cacheCreationTokens !== undefined && { cacheWrite: cacheCreationTokens }),
    ...(cost !== undefined && { cost }),
  };
}

function partOf(content: UcfContent, at: number, odd: unknown): Part {
  const whole = isObject(odd) ? odd[at] : undefined;
  if (isObject(whole) && isSame(whole as unknown as Part, content)) return whole as unknown as Part;
  switch (content.type) {
    case "code":
      return { ...content, type: "code", code: content.code ?? content.text ?? "" };
    case "image":
      return { ...content, type: "image" };
    default:
      return { ...content, type: content.type, text: content.text ?? "" };
  }
}

/** Somebody may have changed the content since: then that counts. */
function isSame(part: Part, content: UcfContent): boolean {
  if (part.type === "document") return content.text === mention(part);
  return part.type === content.type && (part as { text?: string }).text === content.text;
}
