// Reads a file that is one JSON document, and makes the header of a session that comes without one.
import { constants } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { BatonError } from "../session/error.ts";
import { sessionId } from "../session/id.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry, Header, Session } from "../session/session.ts";
import { type Source, sourceOf } from "../session/source.ts";
import { cleanSummary, cleanTitle, UNTITLED } from "../session/title.ts";
import { isObject, type Json } from "./check.ts";

export interface Document {
  path: string;
  /** What the format is called, for errors. */
  label: string;
  value: unknown;
  /** When the file last changed, which stands in for every time that the document does not tell. */
  time: string;
  /** The same for the same content. */
  fingerprint: string;
}

/** `size`: how large a document may be; a string has a limit. */
export async function readDocument(path: string, label: string): Promise<Document> {
  const { size, mtime } = await stat(path);
  if (size > constants.MAX_STRING_LENGTH)
    throw new BatonError(
      "unsupported",
      `${path} has ${Math.round(size / 1e6)} MB, more than can be read as one JSON document.`,
      "Write it as universal-jsonl, which is read piece by piece.",
    );
  const text = await readFile(path, "utf8");
  const fingerprint = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path, label, value: parsed(text, path, label), time: mtime.toISOString(), fingerprint };
}

function parsed(text: string, path: string, label: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw unreadable(`${path} is not JSON: ${reason}`, label, error);
  }
}

/** An error that names the place inside the document. */
export function wrong({ path, label }: Document, place: string, problem: string): BatonError {
  return unreadable(`${path}: ${place === "" ? "" : `${place}: `}${problem}`, label);
}

export function noRole(role: unknown, known: string): string {
  return role === undefined
    ? `is missing; it must be ${known}.`
    : `must be ${known}, not ${JSON.stringify(role)}.`;
}

function unreadable(message: string, label: string, cause?: unknown): BatonError {
  return new BatonError(
    "damaged",
    message,
    `It was read as ${label}; docs/formats.md describes it. Another format is named with --from.`,
    cause,
  );
}

/** The list of objects at a place of the document. */
export function objectsAt(document: Document, value: unknown, place: string): Json[] {
  if (!Array.isArray(value)) throw wrong(document, place, "must be a list.");
  return value.map((item: unknown, at) => {
    if (isObject(item)) return item;
    throw wrong(document, `${place}[${at}]`, "must be an object.");
  });
}

export interface Known {
  format: string;
  originalId?: string | undefined;
  title?: string | undefined;
  summary?: string | undefined;
  cwd?: string | undefined;
  git?: Header["project"]["git"] | undefined;
  links?: Header["links"];
  model?: string | undefined;
  provider?: string | undefined;
  config?: Json | undefined;
  created?: string | undefined;
  updated?: string | undefined;
  metadata?: Partial<Header["metadata"]>;
}

/** The session in memory as a source, with the facts that its entries tell. */
export function sessionSource(
  document: Document,
  timeline: Entry[],
  known: Known,
  losses: readonly Loss[] = [],
  children: Session[] = [],
): Source {
  const session = sessionOf(document, timeline, known);
  const found = untimed(timeline, document.time);
  const source = sourceOf({ ...session, ...(children.length > 0 && { children }) });
  return { ...source, losses: [...losses, ...found] };
}

export function sessionOf(document: Document, timeline: Entry[], known: Known): Session {
  const originalId = known.originalId ?? document.fingerprint;
  const prompt = timeline.find((entry) => entry.type === "user" && !entry.injected && entry.content !== "");
  const first = prompt?.type === "user" ? prompt.content : undefined;
  const title = known.title ?? known.summary ?? first;
  const summary = known.summary ?? first;
  const path = known.cwd ?? "";
  return {
    id: sessionId(known.format, originalId),
    version: "1.0",
    source: { cli: known.format, originalId },
    project: { path, name: basename(path.replaceAll("\\", "/")), ...(known.git && { git: known.git }) },
    model: {
      provider: known.provider ?? "unknown",
      model: known.model ?? "unknown",
      ...(known.config && Object.keys(known.config).length > 0 && { config: known.config }),
    },
    metadata: {
      created: known.created ?? timeline[0]?.timestamp ?? document.time,
      lastModified: known.updated ?? timeline.at(-1)?.timestamp ?? document.time,
      messageCount: countMessages(timeline),
      ...known.metadata,
    },
    title: (title && cleanTitle(title)) || UNTITLED,
    ...(summary && { summary: cleanSummary(summary) }),
    ...(known.links && known.links.length > 0 && { links: known.links }),
    timeline,
  };
}

/** Prompts and model messages; the entries of one message count once. */
function countMessages(timeline: readonly Entry[]): number {
  const turns = new Set<string>();
  for (const entry of timeline) {
    if (entry.type === "user" && !entry.injected) turns.add(`user ${entry.id}`);
    if (entry.type === "assistant" || entry.type === "tool_call")
      turns.add(entry.turn ?? `reply ${entry.id}`);
  }
  return turns.size;
}

function untimed(timeline: readonly Entry[], time: string): Loss[] {
  const count = timeline.filter(({ timestamp }) => timestamp === time).length;
  return count === 0
    ? []
    : [loss("timestamp_missing", {}, `${count} entries; the file's own time was taken`)];
}
