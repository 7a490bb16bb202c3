// A session as text for a terminal: prompts and replies in full, thinking and tools folded to a line each,
// unfolded with --verbose.
import { diffOf } from "../formats/diff.ts";
import { displayName } from "../models/names.ts";
import { sessionId } from "../session/id.ts";
import type { Entry, Header, Part, ToolCall, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { oneLine } from "../session/title.ts";
import { type Exchange, exchanges } from "../transform/exchanges.ts";
import type { Colors } from "./output.ts";
import { ago, counted, cut, harmless, shortPath } from "./text.ts";

export interface RenderOptions {
  colors: Colors;
  width: number;
  /** Unfolds thinking, arguments, results and injected context. */
  unfold: boolean;
  /** Of what is unfolded at most so many lines, and how many more there are; absent = all. */
  lines?: number;
  /** The agent's coloured badge. */
  badge: string;
  home: string;
  /** When it last changed, as lists have it; absent = as the session itself says. */
  changed?: string;
  /** The sessions of the same conversation, this one included, by name. */
  lineage?: readonly string[];
}

export async function* render(stream: Stream, options: RenderOptions): AsyncGenerator<string> {
  yield headerText(stream.header, options);
  let isFirst = true;
  for await (const item of exchanges(stream.entries())) {
    const text = itemText(item, options);
    if (text === "") continue;
    const isPrompt = item.type === "user" && !item.injected;
    yield isPrompt && !isFirst ? `\n${text}\n` : `${text}\n`;
    isFirst = false;
  }
  yield subagentText(stream.header, options);
}

function headerText(header: Header, { colors, badge, home, changed, lineage = [] }: RenderOptions): string {
  const { project, model, metadata, source } = header;
  const branch = project.git?.branch ? ` (${project.git.branch})` : "";
  const facts = [
    source.version ? `${source.cli} ${source.version}` : source.cli,
    model.model,
    project.path === "" ? "" : `${shortPath(project.path, home)}${branch}`,
    metadata.messageCount === undefined ? "" : counted(metadata.messageCount, "message"),
    ago(changed ?? metadata.lastModified),
  ];
  const line = facts.filter(Boolean).map(harmless).join(" · ");
  const way = lineage.length > 1 ? `${colors.dim(harmless(lineage.join(" → ")))}\n` : "";
  return `${badge} ${colors.bold(harmless(header.title ?? header.id))}\n${colors.dim(`${harmless(header.id)} · ${line}`)}\n${way}\n`;
}

export function itemText(item: Exclude<Entry, ToolCall> | Exchange, options: RenderOptions): string {
  const { colors } = options;
  if ("note" in item && item.note && "content" in item) return folded("note", item.content, options);
  switch (item.type) {
    case "user":
      if (item.injected) return folded("context", item.content, options);
      return `${block(colors.cyan("❯"), colors.bold, harmless(item.content))}${partNotes(item.parts, options)}\n`;
    case "assistant": {
      const thoughts = thinkingOf(item).map((text) => `${folded("thinking", text, options)}\n`);
      const text = item.content === "" ? "" : `${block(colors.green("●"), plain, harmless(item.content))}\n`;
      return `${thoughts.join("")}${text}${partNotes(item.parts, options)}`.replace(/\n$/, "");
    }
    case "exchange":
      return item.pairs.map(({ call, result }) => toolText(call, result, options)).join("\n");
    case "tool_result":
      return resultText(item, options) || colors.dim("  ↳ a result without a call");
    case "system":
      return folded(item.subtype ?? "system", item.content, options);
    case "compaction":
      return `${colors.yellow("─── the history above was compacted ───")}\n${folded("summary", item.summary ?? "", options)}`;
    case "switch":
      return colors.yellow(`─── ${harmless(switchText(item))} ───`);
  }
}

const LONGEST_REASON = 200;

function switchText({ switch: made }: Extract<Entry, { type: "switch" }>): string {
  const { fromModel, toModel, fromProvider, toProvider, reason } = made;
  const named = (model: string, provider: string) => (model === "unknown" ? provider : displayName(model));
  const way = `${named(fromModel, fromProvider)} to ${named(toModel, toProvider)}`;
  return `switched from ${way}${reason ? `: ${oneLine(reason, LONGEST_REASON)}` : ""}`;
}

const plain = (text: string) => text;

function thinkingOf(entry: Extract<Entry, { type: "assistant" }>): string[] {
  const parts = entry.parts?.flatMap((part) => (part.type === "thinking" ? [part.text] : [])) ?? [];
  return parts.length === 0 && entry.thinking !== undefined ? [entry.thinking] : parts;
}

/** A mark before the first line, the others indented as far. */
function block(mark: string, style: (line: string) => string, text: string): string {
  const [first = "", ...others] = text.trimEnd().split("\n");
  return [`${mark} ${style(first)}`, ...others.map((line) => (line === "" ? "" : `  ${style(line)}`))].join(
    "\n",
  );
}

function folded(name: string, text: string, options: RenderOptions): string {
  const { colors, unfold } = options;
  if (unfold) return colors.dim(block(`  ${harmless(name)}:`, plain, shortened(harmless(text), options)));
  return colors.dim(
    text === "" ? `  ${harmless(name)}` : `  ${harmless(name)}, ${counted(lineCount(text), "line")}`,
  );
}

/** Images and documents have no text of their own. */
function partNotes(parts: readonly Part[] | undefined, { colors }: RenderOptions): string {
  const notes = (parts ?? []).flatMap((part) =>
    part.type === "image" || part.type === "document"
      ? [`  [${part.type}${part.mimeType ? ` ${part.mimeType}` : ""}${part.name ? ` ${part.name}` : ""}]`]
      : part.type === "error"
        ? [`  ${part.text}`]
        : [],
  );
  return notes.map((note) => `\n${colors.dim(harmless(note))}`).join("");
}

function toolText(call: ToolCall, result: ToolResult | undefined, options: RenderOptions): string {
  const { colors, width, unfold } = options;
  const done = result?.success ?? call.hosted;
  const mark = done === undefined ? colors.yellow("…") : done ? colors.green("✓") : colors.red("✗");
  const name = harmless(call.originalTool ?? call.tool);
  const tail = [editSize(call), durationOf(call, result), result || call.hosted ? "" : "no result"]
    .filter(Boolean)
    .join(" · ");
  const room = Math.max(20, width - name.length - tail.length - 10);
  const line = `  ${mark} ${colors.bold(name)} ${cut(aboutOf(call), room)}${tail ? colors.dim(` · ${tail}`) : ""}`;
  const reason = result && !result.success && !unfold ? firstLine(result.error || result.output) : "";
  const failure = reason === "" ? "" : `\n    ${colors.red(cut(reason, width - 4))}`;
  if (!unfold) return `${line}${failure}`;
  return [line, argumentText(call, options), result ? resultText(result, options) : ""]
    .filter(Boolean)
    .join("\n");
}

/** What a call is about, in a line. */
function aboutOf({ tool, input }: Pick<ToolCall, "tool" | "input">): string {
  const names = ABOUT[tool] ?? [];
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return firstLine(value);
  }
  return JSON.stringify(input).slice(0, 500);
}

const ABOUT: Partial<Record<ToolCall["tool"], readonly string[]>> = {
  read: ["path"],
  write: ["path"],
  edit: ["path"],
  bash: ["command", "stdin"],
  search: ["pattern"],
  glob: ["pattern"],
  list: ["path"],
  task: ["description", "prompt"],
  web_fetch: ["url"],
  web_search: ["query"],
};

function editSize({ tool, input }: ToolCall): string {
  if (tool !== "edit") return "";
  const lines = diffOf(input).split("\n");
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return `+${count("+")} −${count("-")}`;
}

function durationOf(call: ToolCall, result: ToolResult | undefined): string {
  if (!result) return "";
  const recorded = result.details?.durationMs;
  const ms =
    typeof recorded === "number" ? recorded : Date.parse(result.timestamp) - Date.parse(call.timestamp);
  if (!(ms >= 100)) return "";
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

function argumentText(call: ToolCall, options: RenderOptions): string {
  const { tool, input } = call;
  const shown = (text: string) => shortened(harmless(text), options);
  if (tool === "edit") return indented(shown(diffOf(input)), (line) => diffColor(line, options.colors));
  if (tool === "bash" && typeof input.command === "string")
    return input.command.includes("\n") ? indented(shown(input.command), plain) : "";
  if (Object.keys(input).length <= 1 && tool !== "unknown") return "";
  return indented(shown(JSON.stringify(input, null, 2)), plain);
}

/** The beginning, and how many lines are missing. */
function shortened(text: string, { lines }: RenderOptions): string {
  if (lines === undefined) return text;
  const all = text.trimEnd().split("\n");
  const more = all.length - lines;
  return more <= 1 ? text : [...all.slice(0, lines), `… ${more} more lines`].join("\n");
}

function diffColor(line: string, colors: Colors): string {
  if (line.startsWith("+")) return colors.green(line);
  if (line.startsWith("-")) return colors.red(line);
  return line.startsWith("@@") ? colors.cyan(line) : line;
}

function resultText(result: ToolResult, options: RenderOptions): string {
  const { colors, unfold } = options;
  const text = harmless(result.output !== "" ? result.output : (result.error ?? ""));
  if (!unfold) return colors.dim(`  ↳ ${counted(lineCount(text), "line")}`);
  return `${text === "" ? "" : indented(shortened(text.trimEnd(), options), colors.dim)}${partNotes(result.parts, options)}`;
}

function indented(text: string, style: (line: string) => string): string {
  return text
    .split("\n")
    .map((line) => `    ${style(line)}`)
    .join("\n");
}

function subagentText(header: Header, { colors }: RenderOptions): string {
  const subagents = (header.links ?? []).filter(({ type }) => type === "subagent");
  return subagents
    .map(({ session, label }) => {
      const at = session.indexOf(":");
      const id = sessionId(session.slice(0, at), session.slice(at + 1));
      return colors.dim(`  subagent ${id}${label ? `: ${cut(label, 60)}` : ""}\n`);
    })
    .join("");
}

function firstLine(text: string): string {
  const [first = "", ...others] = text.trim().split("\n", 2);
  return others.length > 0 ? `${first} …` : first;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.trimEnd().split("\n").length;
}
