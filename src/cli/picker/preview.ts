// How a session begins and ends, for the pane beside the list. Read when the selection rests on it, and only as much
// as the pane can hold.
import type { Entry, ToolCall } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import { thread } from "../../transform/visible.ts";

export interface Preview {
  /** Of the session when it was read. */
  updated: string;
  firstPrompt: string;
  lastReply: string;
  /** Files that were written or changed, the last one first. */
  files: readonly string[];
  counts: { prompts: number; replies: number; calls: number };
  /** Why there is nothing to see. */
  failure?: string;
}

/** A larger session takes a while to read, which moving through the list is no reason for. */
export const LARGEST_PREVIEW = 32_000_000;

const LONGEST_TEXT = 4000;
const MOST_FILES = 50;

/** Undefined when it is not wanted any more. */
export async function readPreview(
  source: Source,
  updated: string,
  isWanted: () => boolean,
): Promise<Preview | undefined> {
  const found = emptyPreview(updated);
  const files = new Set<string>();
  for await (const entry of thread(source).entries()) {
    if (!isWanted()) return undefined;
    look(entry, found, files);
  }
  return { ...found, files: [...files].reverse() };
}

export function emptyPreview(updated: string, failure?: string): Preview {
  return {
    updated,
    firstPrompt: "",
    lastReply: "",
    files: [],
    counts: { prompts: 0, replies: 0, calls: 0 },
    ...(failure !== undefined && { failure }),
  };
}

function look(entry: Entry, found: Preview, files: Set<string>): void {
  if (entry.type === "user" && !entry.injected && !entry.note) {
    found.counts.prompts++;
    if (found.firstPrompt === "") found.firstPrompt = entry.content.slice(0, LONGEST_TEXT);
  }
  if (entry.type === "assistant" && entry.content !== "") {
    found.counts.replies++;
    found.lastReply = entry.content.slice(0, LONGEST_TEXT);
  }
  if (entry.type === "tool_call") {
    found.counts.calls++;
    const path = changedBy(entry);
    if (path === undefined) return;
    // Asked for again, it becomes the last one.
    files.delete(path);
    files.add(path);
    const [oldest] = files;
    if (files.size > MOST_FILES && oldest !== undefined) files.delete(oldest);
  }
}

function changedBy({ tool, input }: ToolCall): string | undefined {
  const isChange = tool === "edit" || tool === "write";
  return isChange && typeof input.path === "string" && input.path !== "" ? input.path : undefined;
}
