// What came of a call, from its finished item.
import { isObject, type JsonObject, objects, text, word } from "./native.ts";

export interface Result {
  content: string;
  is_error: boolean;
}

/** Undefined where the item only says that it is over, not what came of it. */
export function itemResult(item: JsonObject): Result | undefined {
  switch (item.type) {
    case "commandExecution": {
      const content = text(item.aggregatedOutput);
      return content === undefined ? undefined : { content, is_error: isFailed(item) };
    }
    case "mcpToolCall":
      return mcpResult(item);
    case "dynamicToolCall":
      return { content: textsIn(item.contentItems), is_error: isFailed(item) };
    default:
      return undefined;
  }
}

/** The same where nothing better will be told. */
export function lastResult(item: JsonObject): Result {
  const is_error = isFailed(item);
  return itemResult(item) ?? { content: wordsOf(item, is_error), is_error };
}

export function isFailed({ status, exitCode, success, failure }: JsonObject): boolean {
  const isNot = status === "failed" || status === "declined" || success === false;
  return isNot || isObject(failure) || (typeof exitCode === "number" && exitCode !== 0);
}

function wordsOf(item: JsonObject, is_error: boolean): string {
  switch (item.type) {
    case "collabAgentToolCall": {
      const states = Object.values(isObject(item.agentsStates) ? item.agentsStates : {});
      return states.flatMap((state) => (isObject(state) ? (word(state.message) ?? []) : [])).join("\n");
    }
    case "webSearch":
      return Array.isArray(item.results) ? JSON.stringify(item.results) : "";
    case "imageGeneration":
      return word(item.savedPath) ?? "";
    default:
      // Codex shows a command that printed nothing without an output (0.166.0).
      return is_error && typeof item.exitCode !== "number" ? String(item.status) : "";
  }
}

function mcpResult({ result, error, status }: JsonObject): Result | undefined {
  const is_error = status === "failed";
  const failure = isObject(error) ? text(error.message) : undefined;
  if (failure !== undefined) return { content: failure, is_error: true };
  if (!isObject(result)) return undefined;
  const { structuredContent: structured } = result;
  const hasTexts = objects(result.content).some((part) => text(part.text) !== undefined);
  const isOnly = !hasTexts && structured !== null && structured !== undefined;
  return { content: isOnly ? JSON.stringify(structured) : textsIn(result.content), is_error };
}

function textsIn(content: unknown): string {
  return objects(content)
    .flatMap((part) => text(part.text) ?? [])
    .join("\n");
}
