// Puts foreign text into a Markdown document without letting it out: quotes, fences and code spans that hold
// whatever they are given. No control character, tag, heading, image or unclosed fence inside has an effect outside.
import { withoutControls } from "../session/escapes.ts";

/** A block that shows the text as it is, with a fence longer than any inside it. */
export function fenced(content: string, language = ""): string {
  const text = withoutControls(content);
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  const info = language.replace(/[^\w+#.-]/g, "");
  return `${fence}${info}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}\n`;
}

/** Text inside a line, as code. Line breaks become spaces. */
export function codeSpan(text: string): string {
  const line = withoutControls(text).replace(/\s+/g, " ").trim();
  if (line === "") return "";
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = "`".repeat(longest + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${ticks}${space}${line}${space}${ticks}`;
}

/** Text inside a line, as plain text: every character that Markdown or HTML gives a meaning is escaped. */
export function plain(text: string): string {
  return withoutControls(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]()#+!|~]/g, "\\$&")
    .replace(/[&<>]/g, entity);
}

/** Text inside an HTML tag's content. */
export function html(text: string): string {
  return withoutControls(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[&<>"]/g, entity);
}

/** Markdown text as a quote, which ends every block that it opens. Tags and images in it become plain text. */
export function quoted(text: string): string {
  return tamed(withoutControls(text).trimEnd())
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")
    .concat("\n");
}

function entity(character: string): string {
  switch (character) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    default:
      return "&quot;";
  }
}

/**
 * Escapes tags and images outside code. Where it is not beyond doubt what a Markdown parser takes for code,
 * they are escaped everywhere: a stray `&lt;` in code is better than a tag that comes alive.
 */
function tamed(text: string): string {
  const blocks = splitFences(text.split("\n"));
  const isClear = blocks.every((block) => block.fence || block.lines.every(isClearLine));
  if (!isClear) return defused(text);
  return blocks
    .flatMap((block) => (block.fence ? block.lines : block.lines.map(defusedOutsideSpans)))
    .join("\n");
}

interface Block {
  fence: boolean;
  lines: string[];
}

/** Fences at the margin, and indented ones that are plainly closed by a twin of their first line. */
function splitFences(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = fenceEnd(lines, at);
    const fence = end !== undefined;
    const next = end ?? at + 1;
    const last = blocks.at(-1);
    if (!fence && last && !last.fence) last.lines.push(lines[at] as string);
    else blocks.push({ fence, lines: lines.slice(at, next) });
    at = next;
  }
  return blocks;
}

function fenceEnd(lines: readonly string[], at: number): number | undefined {
  const opening = /^( *)(`{3,}|~{3,})([^`]*)$/.exec(lines[at] as string);
  if (!opening) return undefined;
  const [, indent = "", fence = ""] = opening;
  const closing = new RegExp(
    indent === "" ? `^ {0,3}${fence[0]}{${fence.length},}\\s*$` : `^${indent}${fence}\\s*$`,
  );
  for (let end = at + 1; end < lines.length; end++) {
    const line = lines[end] as string;
    if (closing.test(line)) return end + 1;
    if (indent !== "" && ((line.trim() !== "" && !line.startsWith(indent)) || /`{3}|~{3}/.test(line)))
      return undefined;
  }
  return indent === "" ? lines.length : undefined;
}

/** No fence that splitFences left over, and every code span closed on its own line. */
function isClearLine(line: string): boolean {
  if (/^[\s>*+\-\d.)]*(`{3}|~{3})/.test(line) || line.includes("\\`")) return false;
  // Looking for spans takes quadratic time in the worst case.
  if (line.length > LONG_LINE) return !line.includes("`");
  return !line.replace(SPAN, "").includes("`");
}

const LONG_LINE = 10_000;
const SPAN = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;

function defusedOutsideSpans(line: string): string {
  let result = "";
  let copied = 0;
  for (const span of line.matchAll(SPAN)) {
    result += defused(line.slice(copied, span.index)) + span[0];
    copied = span.index + span[0].length;
  }
  return result + defused(line.slice(copied));
}

function defused(text: string): string {
  return text.replace(/<(?=[A-Za-z/!?])/g, "&lt;").replace(/!\[/g, "!\\[");
}
