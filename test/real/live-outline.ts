// What happened in a live run, in lines that are the same whenever the same happens: kinds, names, codes and ends, but no
// words, ids, times, nor how many pieces a text had or how often an agent asked again.
import type { AgentEvent } from "../../src/session/events.ts";

export function outlineOf(events: readonly AgentEvent[]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    const line = lineOf(event);
    if (line !== undefined && line !== lines.at(-1)) lines.push(line);
  }
  return lines;
}

/** Undefined = it says nothing about what happened, or is not an event. */
function lineOf(event: AgentEvent): string | undefined {
  const inside = "parent_tool_use_id" in event && event.parent_tool_use_id !== undefined ? "  " : "";
  switch (event.type) {
    case "text":
    case "thinking":
    case "interrupt":
    case "raw":
      return `${inside}${event.type}`;
    case "tool_use":
      return `${inside}tool_use ${event.name}`;
    case "tool_result":
      return `${inside}tool_result${event.is_error ? " failed" : ""}`;
    case "approval_request":
      return `${inside}asks ${event.questions ? event.questions.map(({ question }) => question).join(" ") : event.name}`;
    case "approval":
      return `${event.decision} by ${event.by}`;
    case "system":
      return event.subtype === "error" ? `system error ${event.code}` : `system ${event.subtype}`;
    case "retry":
      return `retry ${event.error.code}`;
    case "error":
      return `error ${event.code}`;
    case "result":
      return `result ${event.subtype}, denied: ${event.permission_denials.map(({ name }) => name).join(" ")}`;
    default:
      return undefined;
  }
}
