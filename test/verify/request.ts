// Builds requests as a CLI would send them, block by block.
import type { Block, Message, ModelRequest, Role } from "../../src/loopback/request.ts";

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
