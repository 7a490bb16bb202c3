// A session as plain text for a model that summarises it, in pieces of so many tokens: who said what, which tool was
// called and how it ended. Long texts lose their middle; thinking is left out.
import { withoutControls } from "../session/escapes.ts";
import type { Entry, ToolCall, ToolResult } from "../session/session.ts";
import { callText } from "../session/text.ts";
import { clipText } from "../transform/clip-text.ts";
import { cutToTokens, type Limit } from "../transform/fit.ts";

/** The pieces in order. Only one is in memory at a time, and no entry is split between two. */
export async function* transcripts(entries: AsyncIterable<Entry>, limit: Limit): AsyncGenerator<string> {
  let piece: string[] = [];
  let tokens = 0;
  for await (const entry of entries) {
    for (const text of said(entry)) {
      const paragraph = `${cutToTokens(text, limit)}\n\n`;
      const more = limit.count(paragraph);
      if (piece.length > 0 && tokens + more > limit.tokens) {
        yield piece.join("").trimEnd();
        piece = [];
        tokens = 0;
      }
      piece.push(paragraph);
      tokens += more;
    }
  }
  if (piece.length > 0) yield piece.join("").trimEnd();
}

/** Characters that are kept of each. */
const KEPT = { words: 8000, context: 1000, arguments: 1500, output: 2000 };

/** What an entry says; nothing where a model would not have seen it, or there are no words. */
function said(entry: Entry): string[] {
  if (entry.note) return [];
  switch (entry.type) {
    case "user":
      return entry.injected
        ? line("Context that was added for the assistant", entry.content, KEPT.context)
        : line("User", entry.content || attached(entry), KEPT.words);
    case "assistant":
      return line("Assistant", entry.content, KEPT.words);
    case "tool_call":
      return called(entry);
    case "tool_result":
      return [`Result (${outcome(entry)}): ${clean(entry.output || (entry.error ?? ""), KEPT.output)}`];
    case "compaction":
      return line("Summary of what came before", entry.summary ?? "", KEPT.words);
    case "system":
      return entry.injected ? [] : line("System", entry.content, KEPT.context);
    case "switch":
      return [];
  }
}

function line(who: string, text: string, kept: number): string[] {
  const words = clean(text, kept);
  return words.trim() === "" ? [] : [`${who}: ${words}`];
}

/** In the agent's own words, as the model knew them. */
function called(call: ToolCall): string[] {
  const text = callText(call.originalTool ?? call.tool, call.originalInput ?? call.input);
  return [`Tool call ${clean(text, KEPT.arguments)}`];
}

function outcome({ success, interrupted }: ToolResult): string {
  if (interrupted) return "interrupted";
  return success ? "ok" : "failed";
}

function attached({ parts = [] }: Entry): string {
  return parts
    .flatMap(({ type }) => (type === "image" || type === "document" ? [`[${type}]`] : []))
    .join(" ");
}

function clean(text: string, kept: number): string {
  return withoutControls(clipText(text, kept, "in the session")).toWellFormed();
}
