// A session of Gemini CLI's own comes back as it was: under its own id the same bytes, under another one the same
// messages. What was changed since is written into its message, what is new is made anew.
import { loss } from "../../session/losses.ts";
import type { AssistantEntry, Entry, ToolCall, ToolResult, UserEntry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import type { Target, Written, WrittenRecord } from "../adapter.ts";
import { filled, type Json } from "../json.ts";
import { compose, oneLine } from "./compose.ts";
import { newCursor, type Passed, type Recorded } from "./cursor.ts";
import { entriesOf } from "./entries.ts";
import { modelMessages, type NativePair, userMessage } from "./messages.ts";
import { type Message, membersOf, piecesOf, responseIn, toolCallsOf } from "./native.ts";
import { digestOf, isUntouched, nativeOf, type Original, originalOf } from "./original.ts";
import { hashOf } from "./paths.ts";
import { folderOf } from "./plan.ts";
import { fold } from "./read.ts";
import { outcomesOf, settled } from "./settle.ts";
import { translate } from "./tools.ts";

/** Undefined when it has to be written anew, because it is of the first generation. */
export async function copied(stream: Stream, target: Target): Promise<AsyncIterable<Written> | undefined> {
  const original = await originalOf(stream);
  const isOwnId = stream.header.source.originalId === target.originalId;
  if (isOwnId && (await isUntouched(stream, original)))
    return withFolder(verbatim(stream), stream, target, original);
  if (original.isOneFile) return undefined;
  return withFolder(log(stream, target, original, isOwnId), stream, target, original);
}

/** Which project a session is of stands in the store, which a file outside of it does not have. */
async function* withFolder(
  written: AsyncIterable<Written>,
  { header }: Stream,
  target: Target,
  { folder }: Original,
): AsyncGenerator<Written> {
  const { path } = header.project;
  if (target.documents !== undefined && path !== "" && path !== folder)
    yield { type: "loss", loss: loss("facts_dropped", {}, `the folder ${path}, which the store knows`) };
  yield* written;
}

async function* verbatim(stream: Stream): AsyncGenerator<Written> {
  const says = teller();
  for await (const record of stream.records?.() ?? []) {
    const { bytes } = nativeOf(record);
    yield { type: "record", file: "main", bytes: record.encoding ? bytes : record.raw, says: says(bytes) };
  }
}

/** What a line says to whoever reads the file without a survey, as reading back does. */
function teller(): (bytes: string | Uint8Array) => WrittenRecord["says"] {
  const state = fold.initial({ path: "", originalId: "" });
  let index = 0;
  return (bytes) =>
    fold
      .step(state, nativeOf({ index: index++, raw: Buffer.from(bytes as string).toString("utf8") }))
      .flatMap((folded) =>
        folded.type === "entry" ? [[folded.entry.type, entryText(folded.entry)] as const] : [],
      );
}

/** Versions that count no more, and results that stand there twice, stay behind: they would be sent twice. */
async function* log(
  stream: Stream,
  target: Target,
  original: Original,
  isOwnId: boolean,
): AsyncGenerator<Written> {
  const cursor = newCursor(stream.records?.() ?? none(), original);
  const says = teller();
  const line = (bytes: string): WrittenRecord => ({ type: "record", file: "main", bytes, says: says(bytes) });
  let isBegun = false;
  const passing = function* (passed: readonly Passed[]): Generator<Written> {
    for (const one of passed)
      if (one.type === "line") yield line(ended(one.raw));
      else if (!isBegun) {
        isBegun = true;
        yield line(jsonLine(isOwnId ? one.metadata : renewed(one.metadata, target)));
      }
  };
  for await (const group of groupsOf(stream.entries(), original)) {
    const [first] = group;
    if (!first) continue;
    const found = original.digests.has(first.id)
      ? await cursor.find(first.id, first.records?.[0] ?? 0)
      : undefined;
    yield* passing(cursor.passed());
    if (!found) yield* newMessages(stream, target, group, first.id);
    else if ("list" in found) yield line(jsonLine({ $set: withoutRepeats(found.list) }));
    else for (const one of linesOf(found, group, original, target)) yield line(ended(one));
  }
  await cursor.finish();
  yield* passing(cursor.passed());
  if (!isOwnId) yield line(jsonLine({ $set: { lastUpdated: target.now.toISOString() } }));
  const count = cursor.dropped();
  const detail = `${count} lines that say nothing, that a later one took the place of, or that were damaged`;
  if (count > 0) yield { type: "loss", loss: loss("records_dropped", {}, detail) };
}

async function* none(): AsyncGenerator<never> {
  // A session without records.
}

const jsonLine = (value: Json): string => `${oneLine(JSON.stringify(value))}\n`;
const ended = (raw: string): string => (raw.endsWith("\n") ? raw : `${raw}\n`);

function renewed(metadata: Json, target: Target): Json {
  const now = target.now.toISOString();
  const projectHash = hashOf(folderOf(target.cwd));
  return { ...metadata, sessionId: target.originalId, projectHash, startTime: now, lastUpdated: now };
}

/** Entries of one message, as far as they stand together. */
async function* groupsOf(entries: AsyncIterable<Entry>, { digests }: Original): AsyncGenerator<Entry[]> {
  let group: Entry[] = [];
  for await (const entry of entries) {
    if (group.length > 0 && !isTogether(group, entry, digests)) {
      yield group;
      group = [];
    }
    group.push(entry);
  }
  yield group;
}

function isTogether(group: readonly Entry[], entry: Entry, digests: ReadonlyMap<string, string>): boolean {
  const isNew = (one: Entry) => !digests.has(one.id);
  const [first] = group;
  if (!first || isNew(first) !== isNew(entry)) return false;
  if (isNew(entry)) return true;
  const sameRecord = first.records?.[0] === entry.records?.[0];
  if (entry.type === "tool_result")
    return sameRecord && group.some((one) => one.type === "tool_result" || one.id === entry.callId);
  return sameRecord && entry.turn !== undefined && entry.turn === first.turn;
}

async function* newMessages(
  stream: Stream,
  target: Target,
  group: readonly Entry[],
  salt: string,
): AsyncGenerator<Written> {
  const part: Stream = {
    ...stream,
    async *entries() {
      yield* group;
    },
  };
  const made = compose(part, target, { id: target.originalId, file: "main", agents: new Map(), salt });
  for await (const batch of made) yield* batch;
}

/** The line as it was, unless something in it was changed or taken out, or would be sent twice. */
function linesOf(
  found: Recorded,
  group: readonly Entry[],
  original: Original,
  target: Target,
): readonly string[] {
  const isSame =
    group.length === found.entries.length &&
    group.every((entry) => original.digests.get(entry.id) === digestOf(entry));
  if (isSame) {
    const messages = settled(found.message);
    if (messages.length === 1) return [found.raw ?? JSON.stringify(found.message)];
    return messages.map((message) => oneLine(JSON.stringify(message)));
  }
  return changed(found, group, target).map((message) => oneLine(JSON.stringify(message)));
}

/** A changed message takes the form of one that Baton writes; its results follow it. */
function changed(recorded: Recorded, group: readonly Entry[], target: Target): Json[] {
  const { message } = recorded;
  const user = group.find((entry): entry is UserEntry => entry.type === "user");
  if (message.type !== "gemini") {
    const made = user && userMessage(user, message.id);
    const results = group.filter((entry): entry is ToolResult => entry.type === "tool_result");
    const kept = results.length > 0 ? [{ ...message, content: resultsOf(recorded, results) }] : [];
    return made ? [{ ...unsaid(message), ...made.message }] : kept;
  }
  const said = group.find((entry): entry is AssistantEntry => entry.type === "assistant");
  const calls = group.filter((entry): entry is ToolCall => entry.type === "tool_call");
  const pairs = calls.flatMap((call) => pairsOf(call, group, target));
  const timestamp = typeof message.timestamp === "string" ? message.timestamp : target.now.toISOString();
  const ids = { message: message.id, results: `${message.id}_response` };
  const [own, results] = modelMessages(ids, said, pairs, { timestamp });
  const kept = toolCallsOf(message).filter(
    ({ id, result }) => result && calls.some((call) => call.id === id),
  );
  return [
    ...(own ? [{ ...unsaid(message), ...own.message }] : []),
    ...(results ? [{ ...results.message, ...outcomesOf(kept) }] : []),
  ];
}

/** A message without what repeats its words and calls: neither may outlive the ones that were changed. */
function unsaid({ toolCalls: _, displayContent: __, ...rest }: Message): Json {
  return rest;
}

function pairsOf(call: ToolCall, group: readonly Entry[], target: Target): NativePair[] {
  const result = group.find((one): one is ToolResult => one.type === "tool_result" && one.callId === call.id);
  return translate(call, result, [target.cwd]).pairs.map((pair, at) => ({
    ...pair,
    input: pair.input as Json,
    id: at === 0 ? call.id : `${call.id}-${at + 1}`,
  }));
}

/** Results in a message of their own, those that were changed with what they say now. */
function resultsOf({ message, entries }: Recorded, results: readonly ToolResult[]): Json[] {
  const pieces = piecesOf(message.content);
  const named = pieces.flatMap((piece) => filled(responseIn(piece)?.id) ?? []);
  // Early versions gave no ids: what has none stands in the order of the entries.
  const nameless = entries.filter((entry) => !named.some((id) => entry.startsWith(`${id}-result`)));
  let isGone = false;
  return pieces.flatMap((piece) => {
    const response = responseIn(piece);
    // Bytes beside a result go with it.
    if (!response) return isGone && typeof piece.text !== "string" ? [] : [piece];
    const own = filled(response.id);
    const entry = own === undefined ? nameless.shift() : undefined;
    const result = results.find(({ id, callId }) => (own === undefined ? id === entry : callId === own));
    isGone = result === undefined;
    if (!result) return [];
    const told = result.success ? { output: result.output } : { error: result.output };
    return [{ ...piece, functionResponse: { ...response, response: told } }];
  });
}

/** A list in which every result stands once. */
function withoutRepeats(set: Json): Json {
  const answered: string[] = [];
  const kept = membersOf(set.messages).flatMap(([, message]) => {
    const entries = entriesOf(message, { record: 0, time: "", answered, before: [] });
    return message.type === "user" && entries.length === 0 ? [] : settled(message);
  });
  return { ...set, messages: kept };
}
