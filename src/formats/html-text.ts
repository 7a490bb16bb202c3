// Foreign text inside an HTML page: shown as it is, never interpreted.
import { withoutControls } from "../session/escapes.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For content and for attributes in quotes. Half a character, which no file can hold, is replaced. */
export function escaped(text: string): string {
  return withoutControls(text.toWellFormed()).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** The same in one line. */
export function inLine(text: string): string {
  return escaped(text).replace(/\s+/g, " ").trim();
}

/** A block that keeps white space. Its direction is its own, so that it cannot turn its surroundings around. */
export function block(text: string, kind = "text"): string {
  return text === "" ? "" : `<div class="${kind}" dir="auto">${escaped(text)}</div>\n`;
}

export function code(text: string): string {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
}

/** A diff, in which the signs say what the colours say. */
export function diff(text: string): string {
  const lines = escaped(text)
    .split("\n")
    .map((line) => `<span class="${lineKind(line)}">${line}</span>`);
  return `<pre class="diff" tabindex="0"><code>${lines.join("\n")}</code></pre>\n`;
}

function lineKind(line: string): string {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") || line.startsWith("#") ? "place" : "same";
}

export function folded(summary: string, body: string, kind = "", isOpen = false): string {
  const attributes = `${kind === "" ? "" : ` class="${kind}"`}${isOpen ? " open" : ""}`;
  return `<details${attributes}><summary>${summary}</summary>\n${body}</details>\n`;
}
