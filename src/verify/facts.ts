// What a model must be told for a session to have arrived: an ordered list of facts, taken from the universal
// session alone. The other side of the comparison is a request; see compare.ts.
import { createHash } from "node:crypto";
import type { Entry, Part, ToolCall, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { wholeJson } from "../session/text.ts";

/** Where a fact comes from. */
interface Origin {
  entry: string;
  /** Context that the user did not type. */
  injected?: boolean;
}

/** `system`: what a model was told apart; agents without such a role tell it in the user's. */
export type Speaker = "user" | "assistant" | "system";

export type Fact = Origin &
  /** `forms`: other spellings of it. */
  (
    | { type: "text"; role: Speaker; text: string; forms?: string[] }
    /** Without a text the vendor withheld it, and the signature is all there is. */
    | { type: "thinking"; text: string; signature?: string; model?: string }
    /** `callId`: it is part of that call's result. `text`: what a document of plain text says. */
    | { type: "image" | "document"; role: Speaker; bytes: string; callId?: string; text?: string }
    /** `patch`: how the result says the files were changed. */
    | { type: "call"; callId: string; call: ToolCall; cwd: string; patch?: unknown }
    /** `documents`: what its documents of plain text say, which may be told as text. */
    | {
        type: "result";
        callId: string;
        texts: string[];
        documents: string[];
        /** Fingerprints of its images and documents. */
        media: string[];
        success: boolean;
      }
  );

/** The facts of a session as it was meant to be carried: one thread, thinking already decided on. */
export async function* factsOf(stream: Stream): AsyncGenerator<Fact> {
  const calls = new Map<string, Extract<Fact, { type: "call" }>>();
  for await (const recorded of stream.entries()) {
    const entry = withoutHalves(recorded);
    for (const fact of entryFacts(entry, stream.header.project.path)) {
      if (fact.type === "call") calls.set(fact.callId, fact);
      yield fact;
    }
    if (entry.type !== "tool_result") continue;
    const call = calls.get(entry.callId);
    if (call && entry.details?.patch !== undefined) call.patch = entry.details.patch;
    calls.delete(entry.callId);
  }
}

/** Half a character can reach no model, so its replacement is what has to arrive. */
function withoutHalves(entry: Entry): Entry {
  const { json, isReplaced } = wholeJson(entry);
  return isReplaced ? JSON.parse(json) : entry;
}

function* entryFacts(entry: Entry, cwd: string): Generator<Fact> {
  const origin: Origin = { entry: entry.id, ...(entry.injected && { injected: true }) };
  switch (entry.type) {
    case "user":
    case "assistant":
      yield* messageFacts(entry, origin);
      return;
    case "system":
      // Context is the CLI's own to tell, and a note is between agent and user.
      if (!entry.injected && !entry.note) yield* messageFacts(entry, origin);
      return;
    case "tool_call":
      yield callFact(entry, origin, cwd);
      return;
    case "tool_result":
      yield* resultFacts(entry, origin);
      return;
    // A mark of ours, or a boundary: no model is told.
    case "switch":
    case "compaction":
      return;
    default:
      entry satisfies never;
  }
}

function* messageFacts(entry: Extract<Entry, { type: Speaker }>, origin: Origin): Generator<Fact> {
  const role = entry.type;
  const model = entry.model !== undefined && { model: entry.model };
  if (entry.type === "assistant" && entry.thinking && !entry.parts)
    yield { ...origin, type: "thinking", text: entry.thinking.trim(), ...model };
  for (const part of entry.parts ?? [{ type: "text" as const, text: entry.content }]) {
    if (part.type === "thinking") {
      const signature = part.signature && { signature: part.signature };
      if (part.text.trim() !== "" || signature)
        yield { ...origin, type: "thinking", text: part.text.trim(), ...signature, ...model };
    } else if (part.type === "image" || part.type === "document") {
      yield { ...origin, type: part.type, role, bytes: fingerprint(part), ...plainText(part) };
    } else {
      const text = partText(part).trim();
      if (text !== "") yield { ...origin, type: "text", role, text, ...formsOf(part) };
    }
  }
}

function callFact(call: ToolCall, origin: Origin, cwd: string): Fact {
  return {
    ...origin,
    type: "call",
    callId: call.id,
    call,
    cwd,
  };
}

function* resultFacts(result: ToolResult, origin: Origin): Generator<Fact> {
  const { callId, success } = result;
  const { output, error } = result;
  // A failure without an output is told by its error.
  const given = output === "" && !success && error !== undefined ? error : output;
  const parts = result.parts ?? [{ type: "text" as const, text: given }];
  const texts = parts.map((part) => partText(part).trim()).filter((text) => text !== "");
  const files = parts.filter((part) => part.type === "image" || part.type === "document");
  const documents = files.flatMap((part) => plainText(part).text ?? []);
  const media = files.map(fingerprint);
  yield { ...origin, type: "result", callId, texts, documents, media, success };
  for (const part of files)
    yield { ...origin, type: part.type, role: "user", bytes: fingerprint(part), callId, ...plainText(part) };
}

function partText(part: Part): string {
  switch (part.type) {
    case "code":
      return part.code;
    case "text":
    case "artifact":
    case "error":
      return part.text;
    default:
      return "";
  }
}

/** Code and artifacts become text with a frame around them. */
function formsOf(part: Part): { forms?: string[] } {
  if (part.type === "code") return { forms: [`\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\``] };
  if (part.type !== "artifact" || part.title === undefined) return {};
  return { forms: ["\n", "\n\n"].map((space) => part.title + space + part.text) };
}

function plainText(part: Extract<Part, { type: "image" | "document" }>): { text?: string } {
  if (part.type !== "document" || !part.mimeType?.startsWith("text/") || part.data === undefined) return {};
  return { text: Buffer.from(part.data, "base64").toString("utf8") };
}

const EXCERPT = 100;

/** A fact in a few words, for reports. */
export function excerpt(fact: Fact): string {
  return shorten(wording(fact));
}

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1)}…` : line;
}

function wording(fact: Fact): string {
  switch (fact.type) {
    case "text":
    case "thinking":
      return fact.text;
    case "image":
    case "document":
      return `${fact.type} ${fact.bytes.slice(0, 12)}`;
    case "call":
      return `${fact.call.originalTool ?? fact.call.tool} ${JSON.stringify(fact.call.input)}`;
    case "result":
      return fact.texts.join(" ");
    default:
      return fact satisfies never;
  }
}

/** A hash of the bytes, or the reference where there are none: equal for equal content. */
export function fingerprint(bytes: { data?: string; url?: string; path?: string; text?: string }): string {
  const inline = bytes.data ?? bytes.url?.match(/^data:[^,]*;base64,(.*)$/s)?.[1];
  if (inline !== undefined) return createHash("sha256").update(Buffer.from(inline, "base64")).digest("hex");
  return bytes.url ?? bytes.path ?? bytes.text ?? "";
}
