// A session without its keys, tokens and passwords: every text of its entries, of its header and of its subagents.
// Native records are left out, because they hold the same secrets in their own words.
import { mapped } from "../session/batches.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry, Header, Part } from "../session/session.ts";
import type { Range, Source, Stream } from "../session/source.ts";
import type { Redactor } from "./redact.ts";

export interface RedactOptions {
  /** Also in the folder that the session belongs to: for one that nobody goes on with there. */
  folder?: boolean;
}

/** Losses are complete once the entries have been read, those of subagents included. */
export function redacted<S extends Stream>(stream: S, redactor: Redactor, options: RedactOptions = {}): S {
  const marks = new Set<string>();
  const watched = redactor.watched((mark) => marks.add(mark));
  const made = withoutSecrets(stream, watched, options);
  return {
    ...made,
    get losses() {
      return [...made.losses, ...withheld(stream, marks)];
    },
  };
}

function withoutSecrets<S extends Stream>(stream: S, redactor: Redactor, options: RedactOptions): S {
  const { records: _, ...rest } = stream;
  return {
    ...rest,
    header: headerOf(stream.header, redactor, options),
    get losses() {
      return stream.losses.map((one) => ({ ...one, detail: redactor.text(one.detail) }));
    },
    // A text that stays in its file cannot be looked through.
    entries: (range: Range = {}) =>
      mapped((stream as Stream as Source).entries({ ...range, texts: "whole" }), (batch) =>
        batch.map((entry) => entryOf(entry, redactor)),
      ),
    async *children() {
      for await (const child of stream.children()) yield withoutSecrets(child, redactor, options);
    },
  } as Stream as S;
}

function withheld(stream: Stream, marks: ReadonlySet<string>): Loss[] {
  const kinds = Map.groupBy(marks, (mark) => mark.replace(/^\[redacted: ([\w-]+).*$/, "$1"));
  const listed = [...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(", ");
  return [
    ...(stream.records ? [loss("records_withheld", {}, "they stay in the source")] : []),
    ...(marks.size > 0 ? [loss("secrets_redacted", {}, listed)] : []),
  ];
}

const OF_HEADER: ReadonlySet<string> = new Set(["id", "version", "source", "metadata", "head"]);

/** Ids are what others find the session by. */
function headerOf(header: Header, redactor: Redactor, { folder = false }: RedactOptions): Header {
  const { project, model, links, ...rest } = header;
  const { path, name, ...others } = project;
  const { config } = model;
  return {
    ...(texts(rest, OF_HEADER, redactor) as Omit<Header, "project" | "model" | "links">),
    project: folder
      ? redactor.value(project)
      : { ...redactor.value(others), path, ...(name !== undefined && { name }) },
    model: { ...model, ...(config && { config: redactor.value(config) }) },
    ...(links && {
      links: links.map((link) => (link.label ? { ...link, label: redactor.text(link.label) } : link)),
    }),
  };
}

/** Fields of an entry that tie it to others, or are no text. */
const OF_ENTRY: ReadonlySet<string> = new Set(
  "id timestamp originalId parent turn provider model type tool callId keeps records usage status signature parts replacement".split(
    " ",
  ),
);

function entryOf(entry: Entry, redactor: Redactor): Entry {
  const now = texts(entry, OF_ENTRY, redactor);
  const parts = entry.parts && same(entry.parts, (part) => partOf(part, redactor));
  const left = entry.type === "compaction" ? entry.replacement : undefined;
  const replacement = left && same(left, (one) => entryOf(one as Entry, redactor) as typeof one);
  if (now === entry && parts === entry.parts && replacement === left) return entry;
  const whole = { ...now, ...(parts && { parts }), ...(replacement && { replacement }) };
  return now === entry ? whole : unsigned(whole);
}

function partOf(part: Part, redactor: Redactor): Part {
  const now = texts(part, OF_PART, redactor);
  if (part.type === "image" || part.type === "document") return withData(now, redactor);
  return now === part ? part : unsigned(now);
}

const OF_PART: ReadonlySet<string> = new Set(["type", "mimeType", "data", "signature"]);
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|sql)\b/i;

/** Bytes stay as they are, unless they are a text. */
function withData<P extends Part & { mimeType?: string | undefined; data?: string | undefined }>(
  part: P,
  redactor: Redactor,
): P {
  if (part.data === undefined || !TEXTUAL.test(part.mimeType ?? "")) return part;
  const text = Buffer.from(part.data, "base64").toString();
  const now = redactor.text(text);
  return now === text ? part : { ...part, data: Buffer.from(now).toString("base64") };
}

/** A vendor's signature is for what it signed. */
function unsigned<T extends object>(signed: T): T {
  if (!("signature" in signed)) return signed;
  const { signature: _, ...rest } = signed;
  return rest as T;
}

/** Every field but those that are kept; the same object when nothing in it is hidden. */
function texts<T extends object>(given: T, kept: ReadonlySet<string>, redactor: Redactor): T {
  const open = Object.fromEntries(Object.entries(given).filter(([name]) => !kept.has(name)));
  const now = redactor.value(open);
  return now === open ? given : { ...given, ...now };
}

function same<T>(items: T[], change: (item: T) => T): T[] {
  const now = items.map(change);
  return now.every((item, at) => item === items[at]) ? items : now;
}
