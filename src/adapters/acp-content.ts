// Content of the Agent Client Protocol as text, and the change that a diff shows.
import type { Edit } from "../session/tools.ts";
import { count, filled, isObject, type Json, objects, text } from "./json.ts";

/** A block of a message or of a result. */
export function blockText(block: unknown): string {
  if (!isObject(block)) return "";
  switch (block.type) {
    case "text":
      return text(block.text) ?? "";
    case "resource_link":
      return `[${filled(block.title) ?? filled(block.name) ?? "resource"}](${text(block.uri) ?? ""})`;
    case "resource":
      return isObject(block.resource)
        ? (text(block.resource.text) ?? `[${text(block.resource.uri) ?? "resource"}]`)
        : "";
    case "image":
    case "audio":
      return `[${block.type}${block.mimeType === undefined ? "" : ` ${text(block.mimeType) ?? ""}`}]`;
    default:
      return "";
  }
}

/** What a call gave, as far as it is text; a diff says what was changed, which its arguments do already. */
export function contentText(content: readonly Json[]): string {
  return content
    .map((item) => {
      if (item.type === "content") return blockText(item.content);
      return item.type === "terminal" ? `[terminal ${text(item.terminalId) ?? ""}]` : "";
    })
    .filter((one) => one !== "")
    .join("\n");
}

/** What an agent has beside the content, in the shapes that are known. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return objects(output).map(blockText).filter(Boolean).join("\n");
  if (!isObject(output)) return "";
  for (const name of [
    "formatted_output",
    "aggregated_output",
    "output",
    "result",
    "text",
    "error",
    "message",
  ]) {
    const found = filled(output[name]);
    if (found !== undefined) return found;
  }
  const both = [text(output.stdout), text(output.stderr)].filter(Boolean).join("\n");
  return both !== "" ? both : Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}

export function exitCodeOf(output: unknown): number | undefined {
  if (!isObject(output)) return undefined;
  const { metadata } = output;
  return (
    count(output.exit_code) ??
    count(output.exitCode) ??
    (isObject(metadata) ? count(metadata.exit) : undefined)
  );
}

export interface Diff {
  path: string;
  /** Absent = there was no such file. */
  before?: string;
  after: string;
}

export function diffsIn(content: readonly Json[]): Diff[] {
  return content.flatMap((item) => {
    const [path, after] = [filled(item.path), text(item.newText)];
    if (item.type !== "diff" || path === undefined || after === undefined) return [];
    const before = filled(item.oldText);
    return [{ path, after, ...(before !== undefined && { before }) }];
  });
}

/** Of two whole texts the lines that differ, with as many around them as it takes to find them only once. */
export function editBetween(before: string, after: string): Edit {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  for (let around = 0; ; around = around === 0 ? 1 : around * 2) {
    const [from, kept] = [Math.max(0, start - around), Math.max(0, end - around)];
    const [lines, others] = [old.slice(from, old.length - kept), now.slice(from, now.length - kept)];
    const edit = { old: lines.join("\n"), new: others.join("\n") };
    // Lines that only come or only go have no place of their own: the line beside them goes with them.
    const isPlaced = lines.length > 0 && others.length > 0 && edit.old !== "" && isOnce(before, edit.old);
    if (isPlaced || (from === 0 && kept === 0)) return edit;
  }
}

function isOnce(whole: string, part: string): boolean {
  const at = whole.indexOf(part);
  return at === whole.lastIndexOf(part) && at !== -1;
}
