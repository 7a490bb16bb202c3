// Writes a session as Markdown for people: prompts and replies as quotes, thinking and results folded, edits as
// diffs. What the session says is shown, never interpreted.

import { sessionId } from "../session/id.ts";
import type { Loss } from "../session/losses.ts";
import type { Entry, Header, Part, ToolCall, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { type Exchange, exchanges } from "../transform/exchanges.ts";
import { batches } from "./batches.ts";
import { diffOf } from "./diff.ts";
import type { WriteOptions } from "./format.ts";
import { codeSpan, fenced, html, plain, quoted } from "./markdown-text.ts";
import { reportHeader } from "./outgoing.ts";
import { type Inline, inlineOf, linkOf, type Media } from "./parts.ts";
import { mediaOf, reported, SHOWN, sizeOf } from "./shown.ts";
import { type Left, unfolded } from "./turns.ts";

export function writeMarkdown(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(session(stream, options, 1));
}

async function* session(stream: Stream, options: WriteOptions, level: number): AsyncGenerator<string> {
  const { header } = stream;
  const heading = "#".repeat(Math.min(level, 4));
  const title = plain(header.title ?? header.id);
  if (level === 1) yield `# ${title}\n\n`;
  else yield `<a id="session-${html(header.id)}"></a>\n\n${heading} Subagent: ${title}\n\n`;
  yield facts(header);
  await reportHeader(stream, SHOWN, options);
  yield* blocks(stream, options);
  if (options.losses) yield lossList(stream.losses);
  for await (const child of stream.children()) yield* session(child, options, level + 1);
}

async function* blocks(stream: Stream, options: WriteOptions): AsyncGenerator<string> {
  const subagents = subagentsOf(stream.header);
  const left: Left = new WeakMap();
  let isLeft = false;
  for await (const item of exchanges(reported(unfolded(stream.entries(), left), isShown, options))) {
    const first = item.type === "exchange" ? item.pairs[0]?.call : item;
    if (isLeft !== (first !== undefined && left.has(first))) {
      isLeft = !isLeft;
      yield isLeft ? "*This stands in for it:*\n\n" : "*The conversation goes on:*\n\n---\n\n";
    }
    yield* block(item, subagents);
  }
}

function facts(header: Header): string {
  const { source, project, model, metadata } = header;
  const { tokens } = metadata;
  const rows: [string, string | undefined][] = [
    ["Agent", plain([source.cli, source.version].filter(Boolean).join(" "))],
    ["Session", codeSpan(source.originalId ?? header.id)],
    ["Project", codeSpan(project.path)],
    ["Branch", project.git?.branch && codeSpan(project.git.branch)],
    ["Model", codeSpan(model.model)],
    ["Started", plain(metadata.created)],
    ["Last change", plain(metadata.lastModified)],
    ["Messages", metadata.messageCount?.toString()],
    ["Tokens", tokens && `${tokens.input} in, ${tokens.output} out`],
    ["Cost", metadata.cost === undefined ? undefined : `$${metadata.cost.toFixed(4)}`],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value ? [`| ${name} | ${value.replaceAll("|", "\\|")} |`] : [],
  );
  return `| | |\n|---|---|\n${lines.join("\n")}\n\n`;
}

/** The child session that each call spawned. */
function subagentsOf(header: Header): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const link of header.links ?? []) {
    const [agent = "", ...originalId] = link.session.split(":");
    if (link.type === "subagent" && link.entry) found.set(link.entry, sessionId(agent, originalId.join(":")));
  }
  return found;
}

function* block(
  item: Exclude<Entry, ToolCall> | Exchange,
  subagents: ReadonlyMap<string, string>,
): Generator<string> {
  switch (item.type) {
    case "user":
      if (item.injected)
        yield folded("Injected context", [fenced(item.content), ...mediaOf(item).map(bytesBlock)].join("\n"));
      else yield `## Prompt\n\n${when(item)}${content(item.content, item.parts)}\n`;
      return;
    case "assistant":
      yield `### Reply${item.model ? ` · ${plain(item.model)}` : ""}\n\n`;
      if (item.thinking !== undefined && !item.parts?.some((part) => part.type === "thinking"))
        yield thinking(item.thinking);
      yield `${content(item.content, item.parts)}\n`;
      return;
    case "exchange":
      for (const { call, result } of item.pairs) {
        yield `${callBlock(call, result, subagents.get(call.id))}\n`;
        if (result) yield resultBlock(result);
      }
      return;
    case "tool_result":
      yield resultBlock(item);
      return;
    case "system":
      yield `*${plain(item.subtype ?? "system")}*\n\n${quoted(item.content)}\n`;
      return;
    case "compaction":
      yield `---\n\n*The history above was compacted.*\n\n`;
      if (item.summary) yield folded("Summary", quoted(item.summary));
      return;
    case "switch":
      yield `---\n\n*Switched from ${plain(item.switch.fromModel)} to ${plain(item.switch.toModel)}.*\n\n`;
      return;
  }
}

function when(entry: Entry): string {
  return entry.timestamp === "" ? "" : `*${plain(entry.timestamp)}*\n\n`;
}

function content(text: string, parts: readonly Part[] | undefined): string {
  if (!parts) return text === "" ? "" : quoted(text);
  return parts.map(partBlock).filter(Boolean).join("\n");
}

function partBlock(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text === "" ? "" : quoted(part.text);
    case "thinking":
      return thinking(part.hidden || part.text === "" ? "(withheld by the vendor)" : part.text);
    case "code":
      return fenced(part.code, part.language);
    case "image":
    case "document":
      return bytesBlock(part);
    case "artifact":
      return folded(
        `Artifact: ${part.title ?? part.artifactId ?? "untitled"}`,
        fenced(part.text, part.language),
      );
    case "error":
      return `**Error**\n\n${fenced(part.text)}`;
  }
}

/** Longer data would make the document unreadable in every editor. */
const LONGEST_INLINE = 64 * 1024;
const IMAGE_TYPE = /^image\/[\w.+-]+$/;

function isShown(part: Media, { data, mimeType }: Inline): boolean {
  return part.type === "image" && data.length <= LONGEST_INLINE && IMAGE_TYPE.test(mimeType);
}

function bytesBlock(part: Media): string {
  const inline = inlineOf(part);
  const name = part.name ?? part.path ?? linkOf(part);
  if (inline && isShown(part, inline))
    return `![${plain(name ?? "image")}](data:${inline.mimeType};base64,${inline.data})\n`;
  const type = part.mimeType ?? inline?.mimeType ?? "";
  const size = inline ? `, ${sizeOf(inline)}, not included here` : "";
  return `*${part.type}${type ? `, ${plain(type)}` : ""}${size}* ${codeSpan(name ?? "")}`
    .trimEnd()
    .concat("\n");
}

function thinking(text: string): string {
  return folded("Thinking", quoted(text));
}

function folded(summary: string, body: string): string {
  return `<details><summary>${html(summary)}</summary>\n\n${body}\n</details>\n\n`;
}

function callBlock(call: ToolCall, result: ToolResult | undefined, subagent: string | undefined): string {
  const done = result?.success ?? call.hosted;
  const state = done === undefined ? " · no result" : done ? "" : " · failed";
  const link = subagent === undefined ? "" : ` · [subagent](#session-${subagent})`;
  return `**${plain(call.originalTool ?? call.tool)}**${state}${link}\n\n${argumentsBlock(call)}`;
}

function argumentsBlock({ tool, input }: ToolCall): string {
  const path = typeof input.path === "string" ? `${codeSpan(input.path)}\n\n` : "";
  if (tool === "edit") return `${path}${fenced(diffOf(input), "diff")}`;
  if (tool === "write" && typeof input.content === "string") return `${path}${fenced(input.content)}`;
  if (tool === "bash" && typeof input.command === "string") return fenced(input.command, "sh");
  const { path: _, ...others } = input;
  if (path !== "" && Object.keys(others).length === 0) return path;
  return `${path}${fenced(JSON.stringify(others, null, 2), "json")}`;
}

function resultBlock(result: ToolResult): string {
  const text = result.output !== "" ? result.output : (result.error ?? "");
  const lines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  const others = mediaOf(result);
  const body = [...(text === "" ? [] : [fenced(text)]), ...others.map(bytesBlock)].join("\n");
  if (body === "") return "";
  const state = result.cleared ? ", cleared by the agent" : "";
  return folded(
    `${result.success ? "Result" : "Error"}: ${lines} line${lines === 1 ? "" : "s"}${state}`,
    body,
  );
}

function lossList(losses: readonly Loss[]): string {
  if (losses.length === 0) return "";
  const items = losses.map(({ kind, severity, detail }) => `- ${severity}: ${plain(kind)}: ${plain(detail)}`);
  return `## Losses\n\n${items.join("\n")}\n\n`;
}
