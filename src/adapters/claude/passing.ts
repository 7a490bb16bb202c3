// Which records' long texts the reader only hands on, so that they can stay in their file while a session is
// carried (storage/reference.ts): what tools answered, and what is no part of the conversation.
import { isReferenced } from "../../storage/reference.ts";
import { type ClaudeBlock, isObject, SIDE_RECORDS } from "./native.ts";

export function passes(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (typeof value.type === "string" && SIDE_RECORDS.has(value.type)) return true;
  if (value.type !== "user" || !isObject(value.message) || value.isCompactSummary === true) return false;
  const { content } = value.message;
  return Array.isArray(content) && content.every(isTextResult) && isPlain(value.toolUseResult);
}

function isTextResult(block: unknown): boolean {
  if (!isObject(block) || block.type !== "tool_result") return false;
  return typeof block.content === "string" || (Array.isArray(block.content) && block.content.every(isText));
}

function isText(block: ClaudeBlock): boolean {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

/** Of what stands beside the result, the reader takes these apart. */
function isPlain(beside: unknown): boolean {
  if (!isObject(beside)) return true;
  const { structuredPatch, answers, ...others } = beside;
  if (structuredPatch !== undefined || answers !== undefined) return false;
  const { stderr, persistedOutputPath, backgroundTaskId, agentId } = others;
  return [stderr, persistedOutputPath, backgroundTaskId, agentId].every(
    (one) => typeof one !== "string" || !isReferenced(one),
  );
}
