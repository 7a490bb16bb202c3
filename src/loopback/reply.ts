// What a script can make the model do. A script names blocks, usage and failures; each API renders them in
// its own events.
import { randomBytes } from "node:crypto";
import type { Usage } from "../session/session.ts";
import type { ModelRequest } from "./request.ts";

export interface Call {
  name: string;
  /** An object, or the arguments as raw text, which need not be valid JSON. */
  input: Record<string, unknown> | string;
  id?: string;
  /** OpenAI only: a free-text tool; `input` is then its text. */
  custom?: boolean;
  /** OpenAI Responses only. */
  namespace?: string;
}

export type ReplyBlock =
  | { type: "text"; text: string }
  /** `hidden`: only a signature goes out, without the words. */
  | { type: "thinking"; text: string; hidden?: boolean }
  | ({ type: "call" } & Call)
  /** Only where the API's models draw: Responses and Gemini. */
  | { type: "image"; mimeType: string; data: string };

export type StopReason = "end" | "tool" | "length" | "refusal";

export interface Failure {
  status: number;
  message?: string;
  /** The vendor's own word for it; derived from the status when absent. */
  type?: string;
  /** Seconds, sent as `retry-after`. */
  retryAfter?: number;
  /** Sent inside the stream after this many events, instead of as the status of the answer. */
  after?: number;
}

export interface Reply {
  thinking?: string;
  text?: string;
  calls?: Call[];
  image?: { mimeType: string; data: string };
  /** Everything in an order of its own; the four fields above are then ignored. */
  blocks?: ReplyBlock[];
  usage?: Partial<Usage>;
  stopReason?: StopReason;
  error?: Failure;
  /** The connection breaks in the middle of the event after this many; 0 = before any answer. */
  cut?: number;
  /** Silence after this many events, the connection stays open; 0 = no answer at all. */
  hang?: number;
  /** Milliseconds between events. */
  pace?: number;
}

export type Script = readonly Reply[] | ((request: ModelRequest, index: number) => Reply | Promise<Reply>);

/** A reply with everything decided, ready to be rendered. */
export interface Answer {
  blocks: ReplyBlock[];
  usage: Usage;
  stop: StopReason;
}

export function answerOf(reply: Reply, requestBytes: number): Answer {
  const blocks = reply.blocks ?? blocksOf(reply);
  const calls = blocks.some((block) => block.type === "call");
  return {
    blocks,
    stop: reply.stopReason ?? (calls ? "tool" : "end"),
    // About four bytes a token; nothing depends on it but plausible numbers.
    usage: {
      input: Math.ceil(requestBytes / 4),
      output: Math.ceil(JSON.stringify(blocks).length / 4),
      ...reply.usage,
    },
  };
}

function blocksOf({ thinking, text, calls = [], image }: Reply): ReplyBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking } as const]),
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...(image === undefined ? [] : [{ type: "image", ...image } as const]),
    ...calls.map((call) => ({ type: "call", ...call }) as const),
  ];
}

export function argumentsOf(call: Call): string {
  return typeof call.input === "string" ? call.input : JSON.stringify(call.input);
}

/** Random, because clients join records by these ids across restarts. */
export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString("hex")}`;
}

const MOST_PIECES = 64;

/** The pieces a text streams in: several, never cutting a character in two. */
export function pieces(text: string): string[] {
  const characters = [...text];
  const size = Math.max(12, Math.ceil(characters.length / MOST_PIECES));
  const result: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(""));
  }
  return result;
}
