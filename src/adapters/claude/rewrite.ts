// Writes changed entries into the record they came from; everything else in the record stays.
import type { Entry, Part, ToolResult } from "../../session/session.ts";
import { displayed } from "./displayed.ts";
import { blocksOfParts } from "./draft.ts";
import { type ClaudeBlock, isObject, type Json } from "./native.ts";
import { translate } from "./translate.ts";

export function rewritten(value: Json, entries: readonly Entry[]): Json {
  const blocks = entries.flatMap(blocksFor);
  const only =
    blocks.length === 1 && value.type === "user" && blocks[0]?.type === "text" ? blocks[0].text : blocks;
  const result = entries.find((entry) => entry.type === "tool_result");
  return {
    ...value,
    ...(value.type === "system"
      ? { content: only }
      : { message: { ...(isObject(value.message) ? value.message : {}), content: only } }),
    ...(result && value.toolUseResult !== undefined && { toolUseResult: displayed("", {}, result) }),
  };
}

function blocksFor(entry: Entry): ClaudeBlock[] {
  switch (entry.type) {
    case "tool_call": {
      const [pair] = translate(entry, undefined).pairs;
      return pair ? [{ type: "tool_use", id: entry.id, name: pair.name, input: pair.input }] : [];
    }
    case "tool_result":
      return [resultBlock(entry)];
    case "assistant":
      return (entry.parts ?? [{ type: "text", text: entry.content }]).flatMap((part) =>
        part.type === "thinking" ? thinkingBlock(part) : blocksOfParts({ ...entry, parts: [part] }, []),
      );
    case "compaction":
      return [{ type: "text", text: entry.summary ?? "" }];
    case "switch":
      return [];
    default:
      return blocksOfParts(entry, []);
  }
}

function thinkingBlock(part: Extract<Part, { type: "thinking" }>): ClaudeBlock[] {
  if (part.signature === undefined) return [];
  if (part.hidden) return [{ type: "redacted_thinking", data: part.signature }];
  return [{ type: "thinking", thinking: part.text, signature: part.signature }];
}

function resultBlock(result: ToolResult): ClaudeBlock {
  const blocks = blocksOfParts({ id: result.id, parts: result.parts ?? [], content: "" }, []);
  return {
    tool_use_id: result.callId,
    type: "tool_result",
    content: blocks.length > 0 ? blocks : result.output,
    ...(!result.success && { is_error: true }),
  };
}
