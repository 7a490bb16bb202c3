// What is said in a live turn: pieces of the reply, whole blocks, calls and their results. Every text is told once: the
// CLI repeats in whole blocks what it has streamed, but does not stream what subagents say or what it says itself.
import type { Output } from "../driver.ts";
import { count } from "../json.ts";
import { blocksOf, type ClaudeBlock, filled, isObject, type Json, text } from "./native.ts";
import { failureOf } from "./run-failure.ts";
import { notice, type State, type Stream, said } from "./run-state.ts";
import { boundaryOf } from "./run-system.ts";
import { universalCall } from "./tools.ts";

/** An event of the vendor's API; of subagents there are none. */
export function streamLine(state: State, { event, parent_tool_use_id, api_message_id }: Json): Output[] {
  if (!isObject(event) || filled(parent_tool_use_id) !== undefined) return [];
  if (event.type === "message_start") {
    const message = isObject(event.message) ? event.message : {};
    state.stream = newStream(filled(message.id) ?? filled(api_message_id) ?? null, message.usage);
  }
  if (!isObject(event.delta)) return [];
  // Measured: the CLI itself closes what was interrupted, but without a reason.
  if (state.stream && filled(event.delta.stop_reason) !== undefined) state.stream.isOpen = false;
  if (event.type !== "content_block_delta") return [];
  state.stream ??= newStream(filled(api_message_id) ?? null);
  return piece(state.stream, count(event.index) ?? 0, event.delta);
}

function newStream(id: string | null, usage?: unknown): Stream {
  return {
    id,
    isOpen: true,
    index: -1,
    text: 0,
    thinking: 0,
    characters: 0,
    usage: isObject(usage) ? usage : {},
  };
}

function piece(stream: Stream, index: number, delta: Json): Output[] {
  const type =
    delta.type === "text_delta" ? "text" : delta.type === "thinking_delta" ? "thinking" : undefined;
  const words = type && filled(delta[type]);
  if (type === undefined || words === undefined) return [];
  if (stream.index !== index) stream[type]++;
  stream.index = index;
  stream.characters += words.length;
  return [said({ type, text: words, ...(stream.id !== null && { message: stream.id }) })];
}

/** One block of a message, or several. */
export function assistantLine(state: State, line: Json): Output[] {
  const message = isObject(line.message) ? line.message : {};
  const parent = filled(line.parent_tool_use_id);
  const blocks = blocksOf(message.content);
  if (line.is_api_error_message === true) return apiError(state, line, blocks);
  // The CLI has asked again, without a stream.
  if (state.stream && parent === undefined && state.stream.id !== filled(message.id))
    state.stream.isOpen = false;
  return blocks.flatMap((block) => blockOutputs(state, block, filled(message.id), parent));
}

function apiError(state: State, line: Json, blocks: readonly ClaudeBlock[]): Output[] {
  const message = isObject(line.message) ? line.message : {};
  const words = blocks.flatMap((block) => filled(block.text) ?? []).join("\n");
  const failure = failureOf({ ...line, stop_reason: message.stop_reason }, words);
  const parent = filled(line.parent_tool_use_id);
  // A subagent that fails is its caller's to deal with.
  if (parent !== undefined)
    return [said({ type: "system", subtype: "error", ...failure, parent_tool_use_id: parent })];
  state.turn.hasFailed = true;
  return [said({ type: "error", ...failure })];
}

function blockOutputs(
  state: State,
  block: ClaudeBlock,
  message: string | undefined,
  parent: string | undefined,
): Output[] {
  const below = parent === undefined ? {} : { parent_tool_use_id: parent };
  switch (block.type) {
    case "text":
    case "thinking": {
      const words = filled(block[block.type]);
      if (words === undefined || wasTold(state.stream, block.type, message, parent)) return [];
      return [said({ type: block.type, text: words, ...(message !== undefined && { message }), ...below })];
    }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const [id, name] = [filled(block.id), filled(block.name)];
      if (id === undefined || name === undefined) return [];
      const call = universalCall(name, block.input);
      return [said({ type: "tool_use", id, name, input: block.input, call, ...below })];
    }
    default:
      return resultBlock(block, parent);
  }
}

function wasTold(
  stream: Stream | null,
  type: "text" | "thinking",
  message: string | undefined,
  parent: string | undefined,
): boolean {
  if (!stream || parent !== undefined || stream.id !== (message ?? null) || stream[type] === 0) return false;
  stream[type]--;
  return true;
}

/** Results, the summary of a compaction, and what a command of the CLI's own has printed. */
export function userLine(state: State, line: Json): Output[] {
  const message = isObject(line.message) ? line.message : {};
  const blocks = blocksOf(message.content);
  const parent = filled(line.parent_tool_use_id);
  const results = blocks.flatMap((block) => resultBlock(block, parent));
  const words = blocks.flatMap((block) => (block.type === "text" ? (text(block.text) ?? []) : [])).join("\n");
  const isSummary = state.boundary !== null && line.isSynthetic === true && results.length === 0;
  return [
    ...boundaryOf(state, isSummary ? words : undefined),
    ...results,
    ...(parent === undefined ? printed(state, words) : []),
  ];
}

const PRINTED = /^<local-command-std(?:out|err)>([\s\S]*)<\/local-command-std(?:out|err)>$/;

function printed({ pending }: State, words: string): Output[] {
  // Another model is told by the answer to our request for it.
  if (pending.some(({ subtype }) => subtype === "set_model")) return [];
  return notice(PRINTED.exec(words)?.[1]?.trim() ?? "");
}

/** Tools that the vendor runs have their results in the model's message, under names such as `web_search_tool_result`. */
function resultBlock(block: ClaudeBlock, parent: string | undefined): Output[] {
  const id = filled(block.tool_use_id);
  const type = text(block.type) ?? "";
  if (id === undefined || !type.endsWith("tool_result")) return [];
  return [
    said({
      type: "tool_result",
      tool_use_id: id,
      content: wordsOf(block.content),
      is_error: block.is_error === true,
      ...(parent !== undefined && { parent_tool_use_id: parent }),
    }),
  ];
}

function wordsOf(content: unknown): string {
  if (isObject(content)) return JSON.stringify(content);
  return blocksOf(content)
    .map((block) => text(block.text) ?? (isMedia(block) ? `[${block.type}]` : JSON.stringify(block)))
    .join("\n");
}

function isMedia({ type }: ClaudeBlock): boolean {
  return type === "image" || type === "document";
}
