// What a model must be told for a session to have arrived: an ordered list of facts, taken from the universal
// session alone. The other side of the comparison is a request; see compare.ts.
import { createHash } from "node:crypto";
import type { Entry, Part, ToolCall, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { type Piece, pieces } from "./pieces.ts";

/** Where a fact comes from. */
interface Origin {
  entry: string;
  /** Context that the user did not type. */
  injected?: boolean;
}

export type Speaker = "user" | "assistant";

export type Fact = Origin &
  (
    | { type: "text"; role: Speaker; text: string }
    /** Without a text the vendor withheld it, and the signature is all there is. */
    | { type: "thinking"; text: string; signature?: string; model?: string }
    /** `callId`: it is part of that call's result. */
    | { type: "image" | "document"; role: Speaker; bytes: string; callId?: string }
    /** `name`: only where no universal tool stands for it, so that the name itself is the fact. */
    | { type: "call"; callId: string; name?: string; pieces: Piece[] }
    | { type: "result"; callId: string; texts: string[]; success: boolean }
  );

/** The facts of a session as it was meant to be carried: one thread, thinking already decided on. */
export async function* factsOf(stream: Stream): AsyncGenerator<Fact> {
  for await (const entry of stream.entries()) yield* entryFacts(entry, stream.header.project.path);
}

function* entryFacts(entry: Entry, cwd: string): Generator<Fact> {
  const origin: Origin = { entry: entry.id, ...(entry.injected && { injected: true }) };
  switch (entry.type) {
    case "user":
    case "assistant":
      yield* messageFacts(entry, origin);
      return;
    case "tool_call":
      yield callFact(entry, origin, cwd);
      return;
    case "tool_result":
      yield* resultFacts(entry, origin);
      return;
    // A note between agent and user, a mark of ours, or a boundary: no model is told.
    case "system":
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
      yield { ...origin, type: part.type, role, bytes: fingerprint(part) };
    } else {
      const text = partText(part).trim();
      if (text !== "") yield { ...origin, type: "text", role, text };
    }
  }
}

function callFact(call: ToolCall, origin: Origin, cwd: string): Fact {
  return {
    ...origin,
    type: "call",
    callId: call.id,
    ...(call.tool === "unknown" && call.originalTool && { name: call.originalTool }),
    pieces: pieces(call, cwd),
  };
}

function* resultFacts(result: ToolResult, origin: Origin): Generator<Fact> {
  const { callId, success } = result;
  const parts = result.parts ?? [{ type: "text" as const, text: result.output }];
  const texts = parts.map((part) => partText(part).trim()).filter((text) => text !== "");
  yield { ...origin, type: "result", callId, texts, success };
  for (const part of parts) {
    if (part.type === "image" || part.type === "document")
      yield { ...origin, type: part.type, role: "user", bytes: fingerprint(part), callId };
  }
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
    case "call": {
      const [first] = fact.pieces;
      const words = first ? [...first.strings, ...first.words.map(([word]) => word), ...first.added] : [];
      return `${fact.name ?? "call"} ${words.join(" ")}`;
    }
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
