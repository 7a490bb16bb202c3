// Writes a session as one HTML page for people: it needs no script, fetches nothing, and shows what the session says
// without interpreting any of it. Thinking and outputs are folded, edits are diffs, errors are visible.
import { sessionId } from "../session/id.ts";
import type { Loss } from "../session/losses.ts";
import type { Entry, Header, Part, ToolCall, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { batches } from "./batches.ts";
import { diffOf } from "./diff.ts";
import type { WriteOptions } from "./format.ts";
import { STYLE } from "./html-style.ts";
import { block, code, diff, escaped, folded, inLine } from "./html-text.ts";
import { reportHeader } from "./outgoing.ts";
import { type Inline, inlineOf, isCommonImage, type Media, nameOf, partsOf } from "./parts.ts";
import { mediaOf, reported, SHOWN, sizeOf } from "./shown.ts";
import { type Left, leftBy, outputOf, type Turn, turnsOf, unfolded } from "./turns.ts";

type Reply = Extract<Turn, { type: "reply" }>;

export function writeHtml(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(page(stream, options));
}

/** Even a mistake of ours could not make the page run or fetch anything. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

async function* page(stream: Stream, options: WriteOptions): AsyncGenerator<string> {
  const title = inLine(stream.header.title ?? stream.header.id);
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
  yield `<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n`;
  yield `<title>${title}</title>\n<style>\n${STYLE}\n</style>\n</head>\n<body>\n`;
  yield `<a class="skip" href="#prompts">To the list of prompts</a>\n`;
  yield `<header>\n<h1 dir="auto">${title}</h1>\n${facts(stream.header)}</header>\n<main>\n`;
  const seen: Seen = { prompts: [], number: 0 };
  yield* session(stream, seen, options);
  yield `</main>\n${options.losses ? lossList(stream.losses) : ""}${contents(seen)}</body>\n</html>\n`;
}

/** The prompts so far, for the list at the end. */
interface Seen {
  prompts: string[];
  number: number;
}

async function* session(stream: Stream, seen: Seen, options: WriteOptions): AsyncGenerator<string> {
  await reportHeader(stream, SHOWN, options);
  const subagents = subagentsOf(stream.header);
  const left: Left = new WeakMap();
  let isLeft = false;
  for await (const turn of turnsOf(reported(unfolded(stream.entries(), left), isShown, options))) {
    if (isLeft !== (leftBy(turn, left) !== undefined)) {
      isLeft = !isLeft;
      yield isLeft ? "<details open><summary>What stands in for it</summary>\n" : "</details>\n";
    }
    if (turn.type === "reply") yield* reply(turn, subagents);
    // What a compaction left are no new prompts.
    else if (isLeft && turn.entry.type === "user") yield repeated(turn.entry);
    else yield* part(turn.entry, seen);
  }
  if (isLeft) yield "</details>\n";
  for await (const child of stream.children()) {
    const { header } = child;
    const title = inLine(header.title ?? header.id);
    yield `<section class="subagent" id="session-${inLine(header.id)}">\n<h2>Subagent: ${title}</h2>\n${facts(header)}`;
    yield* session(child, seen, options);
    yield "</section>\n";
  }
}

function facts({ id, source, project, model, metadata }: Header): string {
  const { tokens, cost } = metadata;
  const rows: [string, string | undefined][] = [
    ["Agent", [source.cli, source.version].filter(Boolean).join(" ")],
    ["Session", source.originalId ?? id],
    ["Project", project.path],
    ["Branch", project.git?.branch],
    ["Model", model.model],
    ["Started", readable(metadata.created)],
    ["Last change", readable(metadata.lastModified)],
    ["Messages", metadata.messageCount?.toString()],
    ["Tokens", tokens && `${tokens.input} in, ${tokens.output} out`],
    ["Cost", cost === undefined ? undefined : `$${cost.toFixed(4)}`],
  ];
  const items = rows.flatMap(([name, value]) =>
    value ? [`<dt>${name}</dt><dd>${inLine(value)}</dd>\n`] : [],
  );
  return `<dl>\n${items.join("")}</dl>\n`;
}

/** The child session that each call spawned. */
function subagentsOf({ links }: Header): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { type, session: name, entry } of links ?? []) {
    const colon = name.indexOf(":");
    if (type === "subagent" && entry !== undefined)
      found.set(entry, sessionId(name.slice(0, colon), name.slice(colon + 1)));
  }
  return found;
}

/** What a model said and did at once. */
function* reply({ said, pairs }: Reply, subagents: ReadonlyMap<string, string>): Generator<string> {
  const first = said[0] ?? pairs[0]?.call;
  yield `<article>\n<h3>Reply${first?.model ? ` · ${inLine(first.model)}` : ""}${first ? when(first) : ""}</h3>\n`;
  for (const entry of said) yield content(partsOf(entry));
  for (const { call, result } of pairs) yield callBlock(call, result, subagents.get(call.id));
  yield "</article>\n";
}

function* part(item: Extract<Turn, { type: "entry" }>["entry"], seen: Seen): Generator<string> {
  switch (item.type) {
    case "user":
      if (item.injected) yield folded("Injected context", `${code(item.content)}${content(mediaOf(item))}`);
      else yield prompt(item, seen);
      return;
    case "tool_result":
      yield folded("Result without a call", resultBody(item), item.success ? "" : "failed");
      return;
    case "system":
      yield folded(`System: ${inLine(item.subtype ?? "message")}`, code(item.content));
      return;
    case "compaction":
      yield '<hr>\n<p class="note">The history above was compacted.</p>\n';
      if (item.summary) yield folded("Summary", block(item.summary));
      return;
    case "switch":
      yield `<hr>\n<p class="note">Switched from ${inLine(item.switch.fromModel)} to ${inLine(item.switch.toModel)}.</p>\n`;
      return;
  }
}

const LONGEST_ENTRY = 100;

function prompt(entry: Extract<Entry, { type: "user" }>, seen: Seen): string {
  const number = ++seen.number;
  seen.prompts.push(
    Array.from(entry.content.slice(0, LONGEST_ENTRY * 2))
      .slice(0, LONGEST_ENTRY)
      .join(""),
  );
  const heading = `<h2>Prompt ${number}${when(entry)}</h2>`;
  return `<article class="prompt" id="prompt-${number}">\n${heading}\n${content(partsOf(entry))}</article>\n`;
}

function repeated(entry: Extract<Entry, { type: "user" }>): string {
  return `<article>\n<h3>Prompt${when(entry)}</h3>\n${content(partsOf(entry))}</article>\n`;
}

function when({ timestamp }: Entry): string {
  return timestamp === ""
    ? ""
    : ` <time datetime="${inLine(timestamp)}">${inLine(readable(timestamp))}</time>`;
}

/** A time as people write it; anything else as it is. */
function readable(time: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(time);
  return found ? `${found[1]} ${found[2]} UTC` : time;
}

function content(parts: readonly Part[]): string {
  return parts.map(partBlock).join("");
}

function partBlock(one: Part): string {
  switch (one.type) {
    case "text":
      return block(one.text);
    case "thinking":
      return folded("Thinking", block(one.text === "" ? "(withheld by the vendor)" : one.text));
    case "code":
      return code(one.code);
    case "image":
    case "document":
      return media(one);
    case "artifact":
      return folded(`Artifact: ${inLine(one.title ?? one.artifactId ?? "untitled")}`, code(one.text));
    case "error":
      return block(one.text, "error");
  }
}

/** Only kinds of image that cannot run anything, by what their bytes are and not by what they say. */
function isShown(one: Media, inline: Inline): boolean {
  return one.type === "image" && isCommonImage(inline);
}

function media(one: Media): string {
  const inline = inlineOf(one);
  const name = inLine(nameOf(one));
  if (inline && isShown(one, inline))
    return `<p><img src="data:${inline.mimeType};base64,${inline.data}" alt="Image: ${name}"></p>\n`;
  const size = inline ? `, ${sizeOf(inline)}, not included here` : "";
  return `<p class="note">${one.type === "image" ? "Image" : "Document"}: ${name}${size}</p>\n`;
}

function callBlock(call: ToolCall, result: ToolResult | undefined, subagent: string | undefined): string {
  const done = result?.success ?? call.hosted;
  const state = done === undefined ? " · no result" : done ? "" : " · failed";
  const name = inLine(call.originalTool ?? call.tool);
  const what = gist(call);
  const summary = `${name}${what === "" ? "" : ` <code>${inLine(what)}</code>`}${state}`;
  const link =
    subagent === undefined ? "" : `<p><a href="#session-${subagent}">Its subagent's transcript</a></p>\n`;
  const body = `${argumentBlock(call)}${link}${result ? resultBody(result) : ""}`;
  // What failed is what a reader looks for.
  return folded(summary, body, done === false ? "failed" : "", done === false || call.tool === "edit");
}

const LONGEST_GIST = 120;

/** The one argument that tells what the call is about. */
function gist({ input }: ToolCall): string {
  const found = [input.command, input.path, input.pattern, input.url, input.query, input.description].find(
    (value) => typeof value === "string" && value !== "",
  );
  const text = typeof found === "string" ? found : "";
  return text.length > LONGEST_GIST ? `${text.slice(0, LONGEST_GIST)}…` : text;
}

function argumentBlock({ tool, input }: ToolCall): string {
  if (tool === "edit") return diff(diffOf(input));
  if (tool === "write" && typeof input.content === "string") return code(input.content);
  if (tool === "bash" && typeof input.command === "string") return code(input.command);
  return Object.keys(input).length === 0 ? "" : code(JSON.stringify(input, null, 2));
}

function resultBody(result: ToolResult): string {
  const text = outputOf(result);
  const note = result.cleared ? '<p class="note">Cleared by the agent</p>\n' : "";
  const label = `<p class="note">${result.success ? "Result" : "Error"}</p>\n`;
  const words =
    text === ""
      ? ""
      : result.success
        ? code(text)
        : `<pre class="error" tabindex="0">${escaped(text)}</pre>\n`;
  return `${label}${note}${words}${content(mediaOf(result))}`;
}

function lossList(losses: readonly Loss[]): string {
  if (losses.length === 0) return "";
  const items = losses.map(
    ({ kind, severity, detail }) => `<li>${severity}: ${inLine(kind)}: ${inLine(detail)}</li>\n`,
  );
  return `<section>\n<h2>Losses</h2>\n<ul>\n${items.join("")}</ul>\n</section>\n`;
}

function contents({ prompts }: Seen): string {
  const items = prompts.map(
    (text, at) => `<li><a href="#prompt-${at + 1}" dir="auto">${inLine(text) || "(no text)"}</a></li>\n`,
  );
  return `<nav id="prompts" aria-label="Prompts">\n<h2>Prompts</h2>\n<ol>\n${items.join("")}</ol>\n</nav>\n`;
}
