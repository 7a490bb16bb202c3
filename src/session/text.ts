// The plain text of an entry: what a writer says it wrote, and what reading back must find.
import type { Entry } from "./session.ts";

export function entryText(entry: Entry): string {
  switch (entry.type) {
    case "user":
    case "assistant":
    case "system":
      return entry.content;
    case "tool_result":
      return entry.output;
    case "compaction":
      return entry.summary ?? "";
    case "tool_call":
      return callText(entry.originalTool ?? entry.tool, entry.originalInput ?? entry.input);
    case "switch":
      return "";
  }
}

/** A call in the agent's own words. Half surrogate pairs, which some writers have to replace, count as replaced. */
export function callText(name: string, input: unknown): string {
  if (typeof input === "string") return `${name} ${input}`.toWellFormed();
  return `${name} ${wholeJson(input ?? null).json}`;
}

/** JSON in which half surrogate pairs are replaced: APIs refuse them, and Codex drops the whole line. */
export function wholeJson(value: NonNullable<unknown> | null): { json: string; isReplaced: boolean } {
  const json = JSON.stringify(value);
  if (!json.includes(HALF)) return { json, isReplaced: false };
  const whole = JSON.stringify(value, wellFormed);
  return { json: whole, isReplaced: whole !== json };
}

/** How JSON spells half a surrogate pair. Text that says the same is not meant, and stays. */
const HALF = "\\ud";

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}
