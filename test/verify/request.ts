// Builds requests as a CLI would send them, block by block, and compares sessions with them.
import type { Block, Message, ModelRequest, Role } from "../../src/loopback/request.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type CompareOptions, compare } from "../../src/verify/compare.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

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

/** A small session, and the request that tells all of it. */
export const thread: Entry[] = [
  user("u1"),
  assistant("a1"),
  call("c1"),
  call("c2"),
  result("c1"),
  result("c2"),
  assistant("a2"),
];
export const wire: Message[] = [
  says("user", "says u1"),
  says("assistant", "replies a1"),
  calls("c1", { command: "run c1" }),
  calls("c2", { command: "run c2" }),
  answers("c1", "output of c1"),
  answers("c2", "output of c2"),
  says("assistant", "replies a2"),
];

/** Each result once: a CLI may send what it keeps twice. */
export function once(request: ModelRequest): ModelRequest {
  const known = new Set<string>();
  const isNew = (block: Block) => {
    if (block.type !== "tool_result") return true;
    const isRepeated = known.has(block.callId);
    known.add(block.callId);
    return !isRepeated;
  };
  const messages = request.messages.map(({ role, blocks }) => {
    known.clear();
    return { role, blocks: blocks.filter(isNew) };
  });
  return { ...request, messages };
}
