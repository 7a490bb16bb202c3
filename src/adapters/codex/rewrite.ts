// Writes changed entries into the record they came from; everything else in the record stays.
import { isDeepStrictEqual } from "node:util";
import type { Compaction, Entry, Part, ToolCall, ToolResult } from "../../session/session.ts";
import { switchMark, switchWords } from "../switched.ts";
import { nativeItem, outputAllowance, searchAction } from "./calls.ts";
import { entryOf } from "./items.ts";
import { isObject, type JsonObject, objects, text } from "./native.ts";
import { inputContent, outputContent, type Translation } from "./parts.ts";
import { tools } from "./tools.ts";

export interface Rewriting {
  /** The result of a call that is changed. */
  resultOf(callId: string): ToolResult | undefined;
  /** Parts as Codex's content; files and losses are the caller's. */
  input(parts: readonly Part[], entry: string): JsonObject[];
  output(parts: readonly Part[], entry: string): JsonObject[];
  /** Items for an entry that has none yet. */
  itemsFor(entry: Entry): JsonObject[];
}

/** Gathers what translating parts yields besides content. */
export function translating(
  place: Omit<Parameters<typeof inputContent>[1], "entry">,
  made: (translation: Translation) => void,
): Pick<Rewriting, "input" | "output"> {
  const taken = (translation: Translation) => {
    made(translation);
    return translation.content;
  };
  return {
    input: (parts, entry) => taken(inputContent(parts, { ...place, entry })),
    output: (parts, entry) => taken(outputContent(parts, { ...place, entry })),
  };
}

/** The record with what its entries say now; `old` and `now` are the same entries in the same order. */
export function rewritten(
  value: JsonObject,
  old: readonly Entry[],
  now: readonly Entry[],
  rewriting: Rewriting,
): JsonObject {
  const payload = isObject(value.payload) ? value.payload : {};
  const [first] = now;
  if (!first) return value;
  const before = old.find(({ id }) => id === first.id) ?? first;
  const metadata = metadataOf(value.metadata, before, first);
  return {
    ...value,
    ...(first.timestamp !== before.timestamp && { timestamp: first.timestamp }),
    payload: payloadFor(value.type, payload, before, first, now, rewriting),
    ...(metadata && { metadata }),
  };
}

function metadataOf(given: unknown, old: Entry, now: Entry): JsonObject | undefined {
  const known = isObject(given) ? given : undefined;
  const allowance = now.type === "tool_result" ? outputAllowance(now.output) : undefined;
  const isInjected = now.type === "user" && Boolean(now.injected) !== Boolean(old.injected);
  if (!allowance && !isInjected) return known;
  return { ...known, ...allowance, ...(isInjected && { injected: Boolean(now.injected) }) };
}

function payloadFor(
  type: unknown,
  payload: JsonObject,
  old: Entry,
  now: Entry,
  all: readonly Entry[],
  rewriting: Rewriting,
): JsonObject {
  if (type === "response_item") return itemAgain(payload, old, now, rewriting);
  if (type === "compacted") return compactedAgain(payload, old, all, rewriting);
  if (now.type === "user" && type === "inter_agent_communication")
    return { ...payload, content: now.content };
  if (now.type === "switch") return { ...payload, message: switchWords(now), ...switchMark(now) };
  return now.type === "system" ? noteAgain(payload, now.content) : payload;
}

function noteAgain(payload: JsonObject, content: string): JsonObject {
  if (payload.type === "error") return { ...payload, message: content };
  if (payload.type === "turn_aborted") return { ...payload, reason: content };
  return isObject(payload.error) ? { ...payload, error: { ...payload.error, message: content } } : payload;
}

function itemAgain(item: JsonObject, old: Entry, now: Entry, rewriting: Rewriting): JsonObject {
  switch (now.type) {
    case "tool_call":
      return old.type === "tool_call" ? callAgain(item, old, now, rewriting) : item;
    case "tool_result":
      return resultAgain(item, old, now, rewriting);
    case "user":
    case "assistant":
    case "system":
      return messageAgain(item, partsOf(old, now), now, rewriting);
    default:
      return item;
  }
}

/** Where only the plain text was edited, it replaces the text among the parts. */
function partsOf(old: Entry, now: Entry): readonly Part[] {
  const said = (entry: Entry) =>
    entry.type === "tool_result" ? entry.output : "content" in entry ? entry.content : "";
  if (!now.parts) return [{ type: "text", text: said(now) }];
  if (said(now) === said(old) || !isDeepStrictEqual(now.parts, old.parts)) return now.parts;
  const at = now.parts.findIndex(({ type }) => type === "text");
  const others = now.parts.filter(({ type }) => type !== "text");
  return others.toSpliced(Math.max(at, 0), 0, { type: "text", text: said(now) });
}

function messageAgain(
  item: JsonObject,
  parts: readonly Part[],
  now: Entry,
  rewriting: Rewriting,
): JsonObject {
  const [first, second] = parts;
  switch (item.type) {
    case "message":
      return {
        ...item,
        content: item.role === "assistant" ? rewriting.output(parts, now.id) : rewriting.input(parts, now.id),
      };
    case "reasoning":
      return first?.type === "thinking" ? reasoningAgain(item, first, second) : item;
    case "agent_message":
      return {
        ...item,
        content: [{ ...objects(item.content)[0], text: "content" in now ? now.content : "" }],
      };
    case "image_generation_call":
      return first?.type === "image" ? { ...item, result: first.data } : item;
    default:
      return first?.type === "thinking" ? { ...item, encrypted_content: first.signature } : item;
  }
}

type Thinking = Extract<Part, { type: "thinking" }>;

function reasoningAgain(item: JsonObject, first: Thinking, second: Part | undefined): JsonObject {
  const isRaw = objects(item.content).some((part) => text(part.text) !== undefined);
  const summary = isRaw ? (second?.type === "thinking" ? second.text : "") : first.text;
  return {
    ...item,
    ...(isRaw && { content: [{ type: "reasoning_text", text: first.text }] }),
    summary: summary === "" ? [] : [{ type: "summary_text", text: summary }],
    encrypted_content: first.signature ?? null,
  };
}

/** The call keeps its kind, because its output has to be of the same. */
function callAgain(item: JsonObject, old: ToolCall, now: ToolCall, rewriting: Rewriting): JsonObject {
  if (now.tool === old.tool && isDeepStrictEqual(now.input, old.input)) return item;
  if (item.type === "web_search_call") return { ...item, action: searchAction(now) ?? item.action };
  if (item.type === "tool_search_call") return { ...item, arguments: now.input };
  const [pair] = tools(now, rewriting.resultOf(now.id)).pairs;
  if (!pair) return item;
  const { name, input } = pair;
  if (item.type === "local_shell_call") return isObject(input) ? { ...item, action: input } : item;
  if (item.type === "custom_tool_call") {
    const free = typeof input === "string" ? input : isObject(input) ? text(input.input) : undefined;
    return free === undefined ? item : { ...item, input: free };
  }
  const given = name === "apply_patch" && typeof input === "string" ? { input } : input;
  const { type: _, call_id: __, ...made } = nativeItem(name, given, now.id).item;
  const { namespace: ___, ...rest } = item;
  return { ...rest, ...made };
}

function resultAgain(item: JsonObject, old: Entry, now: ToolResult, rewriting: Rewriting): JsonObject {
  if (item.type === "tool_search_output") return item;
  const content = rewriting.input(partsOf(old, now), now.id);
  const [only] = content;
  const isText = content.length === 0 || (content.length === 1 && only?.type === "input_text");
  const output = isText ? String(only?.text ?? "") : content;
  if (!isObject(item.output)) return { ...item, output };
  const { output: _, content_items: __, ...rest } = item.output;
  return { ...item, output: { ...rest, content: output, success: now.success } };
}

function compactedAgain(
  payload: JsonObject,
  old: Entry,
  now: readonly Entry[],
  rewriting: Rewriting,
): JsonObject {
  const compaction = now.find((entry) => entry.type === "compaction");
  const summary = now.find((entry) => entry.type === "user");
  if (!Array.isArray(payload.replacement_history))
    return summary ? { ...payload, message: summary.content } : payload;
  if (!compaction || old.type !== "compaction") return payload;
  return {
    ...payload,
    message: compaction.summary ?? "",
    replacement_history: membersAgain(payload.replacement_history, old, compaction, rewriting),
  };
}

/** Items that nobody touched stay as they are, those without an entry too. */
function membersAgain(
  items: readonly unknown[],
  old: Compaction,
  now: Compaction,
  rewriting: Rewriting,
): unknown[] {
  const before = (old.replacement ?? []) as Entry[];
  const members = (now.replacement ?? []) as Entry[];
  const numbers = items.flatMap((item, number) => (isMember(item) ? [number] : []));
  const made: unknown[] = [];
  let next = 0;
  const keepUpTo = (end: number) => {
    for (; next < end; next++) if (!numbers.includes(next)) made.push(items[next]);
  };
  for (const member of members) {
    const at = before.findIndex(
      ({ id, type }, place) => (numbers[place] ?? -1) >= next && id === member.id && type === member.type,
    );
    const one = before[at];
    const number = numbers[at];
    if (!one || number === undefined) {
      made.push(...rewriting.itemsFor(member));
      continue;
    }
    keepUpTo(number);
    const item = items[number];
    made.push(
      isDeepStrictEqual(one, member) || !isObject(item) ? item : itemAgain(item, one, member, rewriting),
    );
    next = number + 1;
  }
  keepUpTo(items.length);
  return made;
}

function isMember(item: unknown): boolean {
  const nowhere = { id: "", timestamp: "", index: 0, whole: true };
  return isObject(item) && typeof entryOf(item, nowhere) !== "string";
}
