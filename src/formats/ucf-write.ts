// Writes a session as one conversation of the Unified Conversation Format 1.0. What the format has no field for
// stands in each message's `_providerData`, which is there for that, so that reading it gives the entries back.
import type { Entry, Header, Part, ToolResult, Usage } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { batches } from "./batches.ts";
import type { Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import { argumentsOf, reportHeader } from "./outgoing.ts";
import { mention, partsOf } from "./parts.ts";
import { outputOf, type Turn, turnsOf } from "./turns.ts";
import { badgeFor, newTotals, providerState, type Totals, usageOf } from "./ucf-facts.ts";
import type { Ucf, UcfContent, UcfMessage } from "./ucf-schema.ts";

export function writeUcf(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(document(stream, options));
}

async function* document(stream: Stream, options: WriteOptions): AsyncGenerator<string> {
  const { header } = stream;
  await reportHeader(stream, ["title", "project", "tokens", "cost", "source", "times"], options);
  const totals = newTotals(header);
  const switches: Ucf["switches"] = [];
  const facts = {
    id: header.source.originalId ?? header.id,
    version: "1.0",
    created: header.metadata.created,
    updated: header.metadata.lastModified,
    cwd: header.project.path,
    ...(header.title !== undefined && { title: header.title }),
  };
  yield "{\n";
  for (const [name, value] of Object.entries(facts)) yield `  "${name}": ${JSON.stringify(value)},\n`;
  yield '  "messages": [';
  let count = 0;
  for await (const turn of turnsOf(stream.entries())) {
    if (turn.type === "entry" && turn.entry.type === "switch") {
      const { id, timestamp, switch: made } = turn.entry;
      switches.push({ ...made, messageIndex: count, _providerData: { id, timestamp } });
      continue;
    }
    for (const message of messagesOf(turn, header, count, totals)) {
      yield `${count === 0 ? "" : ","}\n    ${JSON.stringify(message)}`;
      count++;
    }
  }
  yield count === 0 ? "],\n" : "\n  ],\n";
  yield `  "usage": ${JSON.stringify(totals.finish())},\n`;
  yield `  "providerState": ${JSON.stringify(providerState(header, options.path ?? ""))},\n`;
  yield `  "switches": ${JSON.stringify(switches)}\n}\n`;
}

function messagesOf(turn: Turn, header: Header, count: number, totals: Totals): UcfMessage[] {
  if (turn.type === "reply") return replyMessages(turn, header, totals);
  const { entry } = turn;
  switch (entry.type) {
    case "user":
      return [plain(entry, "user", "user", partsOf(entry), ["content"])];
    case "system":
      return [plain(entry, "system", "system", partsOf(entry), ["content"])];
    case "compaction": {
      const { summary } = entry;
      const text = `[Previous conversation summary - ${count} messages]\n\n${summary ?? ""}`;
      const parts: Part[] = summary === undefined ? [] : [{ type: "text", text }];
      return [plain({ ...entry, kind: "compaction" }, "system", "system", parts, ["summary"])];
    }
    case "tool_result":
      return [resultMessage(entry, badgeFor(entry, header))];
    case "switch":
      return [];
  }
}

const COMMON = ["id", "timestamp", "type", "parts", "parent", "records", "usage", "model", "provider"];

/** Fields of an entry that the format has no place for; undefined when there is none. */
function rest(entry: object, named: readonly string[]): Json | undefined {
  const left = Object.entries(entry).filter(
    ([name, value]) => value !== undefined && !COMMON.includes(name) && !named.includes(name),
  );
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function plain(
  entry: Entry & { kind?: string },
  role: UcfMessage["role"],
  provider: string,
  parts: readonly Part[],
  named: readonly string[],
): UcfMessage {
  const { content, odd } = contentsOf(parts);
  const data = { ...rest(entry, named), ...(odd && { parts: odd }) };
  return {
    id: entry.id,
    timestamp: entry.timestamp,
    role,
    provider,
    ...(entry.model !== undefined && { model: entry.model }),
    content,
    ...(Object.keys(data).length > 0 && { _providerData: data }),
  };
}

function resultMessage(entry: ToolResult, provider: string): UcfMessage {
  const media = (entry.parts ?? []).filter(({ type }) => type !== "text");
  const texts = (entry.parts ?? []).length - media.length;
  const content = texts > 1 || media.length > 0 ? (entry.parts ?? []) : [];
  const output = outputOf(entry);
  const named = ["callId", "success", ...(entry.output === output ? ["output"] : [])];
  const message = plain(entry, "tool_result", provider, content, named);
  const { callId, success } = entry;
  return {
    ...message,
    toolResults: [{ toolCallId: callId, originalToolCallId: callId, content: output, isError: !success }],
  };
}

/** What the model said and called at once, then a message for each result. */
function replyMessages(turn: Extract<Turn, { type: "reply" }>, header: Header, totals: Totals): UcfMessage[] {
  const { said, pairs } = turn;
  const first = (said[0] ?? pairs[0]?.call) as Entry;
  const id = said[0]?.id ?? first.turn ?? first.id;
  const provider = badgeFor(first, header);
  const { content, odd } = contentsOf(said.flatMap(partsOf));
  const usage = [...said, ...pairs.map(({ call }) => call)].findLast((entry) => entry.usage)?.usage;
  if (usage) totals.add(provider, usage);
  const message: UcfMessage = {
    id,
    timestamp: first.timestamp,
    role: "assistant",
    provider,
    ...(first.model !== undefined && { model: first.model }),
    content,
    ...(pairs.length > 0 && { toolCalls: pairs.map(toolCall) }),
    ...(usage && { usage: usageOf(usage) }),
  };
  const data = replyData(turn, id, usage);
  if (odd) data.parts = odd;
  if (Object.keys(data).length > 0) message._providerData = data;
  const results = pairs.flatMap(({ result }) => (result ? [resultMessage(result, provider)] : []));
  return [message, ...results];
}

function toolCall({ call, result }: Extract<Turn, { type: "reply" }>["pairs"][number]) {
  const given = argumentsOf(call);
  const status = result || call.hosted ? (result?.success === false ? "error" : "completed") : "pending";
  return {
    id: call.id,
    originalId: call.originalId ?? call.id,
    name: call.originalTool ?? call.tool,
    input: typeof given === "string" ? { input: given } : given,
    status: status as "pending" | "completed" | "error",
  };
}

/** How the message falls into entries, and what its calls mean in universal terms. */
function replyData({ said, pairs }: Extract<Turn, { type: "reply" }>, id: string, usage?: Usage): Json {
  const data: Json = {};
  const first: Entry | undefined = said[0] ?? pairs[0]?.call;
  const turn = first?.turn;
  const time = first?.timestamp;
  if (turn !== undefined && turn !== id) data.turn = turn;
  const entries = said.map((entry) => ({
    id: entry.id,
    contents: partsOf(entry).length,
    ...rest(entry, ["content", "thinking", "turn"]),
    ...(entry.timestamp !== time && { timestamp: entry.timestamp }),
  }));
  if (entries.length > 1 || entries.some((entry) => Object.keys(entry).length > 2)) data.said = entries;
  const calls = pairs.flatMap(({ call }) => {
    const universal = call.originalTool === undefined ? ["input"] : [];
    const own = rest(call, ["turn", "originalTool", "status", ...universal, "originalId"]);
    const isPlain = call.tool === "unknown" && typeof call.originalInput !== "string";
    const { originalInput, input, tool, ...more } = own ?? {};
    const kept = {
      ...more,
      ...(!isPlain && { tool, input }),
      ...(typeof originalInput === "string" && { originalInput }),
      ...(call.timestamp !== time && { timestamp: call.timestamp }),
    };
    return Object.keys(kept).length === 0 ? [] : [[call.id, kept] as const];
  });
  if (calls.length > 0) data.calls = Object.fromEntries(calls);
  if (usage && (usage.reasoning !== undefined || usage.estimated !== undefined)) data.usage = usage;
  return data;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["text"],
  error: ["text"],
  code: ["code", "language"],
  image: ["mimeType", "data", "url"],
  artifact: ["text", "artifactId", "artifactType", "language"],
};

/** The parts as contents, and by their place those that the format can only hold in part. */
function contentsOf(parts: readonly Part[]): {
  content: UcfContent[];
  odd: Record<string, Part> | undefined;
} {
  const odd: Record<string, Part> = {};
  const content = parts.map((part, at): UcfContent => {
    const fields = FIELDS[part.type];
    if (!fields || Object.keys(part).some((name) => name !== "type" && !fields.includes(name)))
      odd[at] = part;
    if (part.type === "document") return { type: "text", text: mention(part) };
    const kept = Object.entries(part).filter(([name]) => name === "type" || fields?.includes(name));
    return Object.fromEntries(kept) as UcfContent;
  });
  return { content, odd: Object.keys(odd).length > 0 ? odd : undefined };
}
