// Builds requests as a CLI would send them, block by block, and compares sessions with them.
import type { Block, Message, ModelRequest, Role } from "../../src/loopback/request.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type CompareOptions, compare } from "../../src/verify/compare.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { session } from "../session/build.ts";

export const says = (role: Role, text: string): Message => ({ role, blocks: [{ type: "text", text }] });

export const calls = (id: string, input: unknown, name = "Bash"): Message => ({
  role: "assistant",
  blocks: [{ type: "tool_use", id, name, input }],
});

export const answers = (
  callId: string,
  text: string,
  more: { error?: boolean; blocks?: Block[] } = {},
): Message => ({
  role: "user",
  blocks: [
    {
      type: "tool_result",
      callId,
      blocks: [{ type: "text", text }, ...(more.blocks ?? [])],
      ...(more.error && { error: true }),
    },
  ],
});

export function request(messages: Message[], api: ModelRequest["api"] = "anthropic"): ModelRequest {
  return { api, model: "model", stream: true, system: [], messages, tools: [] };
}

export async function compared(
  entries: Entry[],
  messages: Message[],
  options: CompareOptions & { api?: ModelRequest["api"] } = {},
) {
  const facts = await Array.fromAsync(factsOf(sourceOf(session(entries))));
  return compare(facts, request(messages, options.api), options);
}
