// Hides keys, tokens and passwords in texts: each becomes a mark such as `[redacted: github-token 1]`, and the same
// secret the same mark, so that a reader can follow it. No guarantee: docs/redaction.md says what is not found.
import { createHash } from "node:crypto";
import { newAnchors } from "./redact-anchors.ts";
import { type Echoes, newEchoes } from "./redact-echoes.ts";
import { shownIn } from "./redact-hidden.ts";
import { privateKeys } from "./redact-keys.ts";
import { LIBRARY_ANCHORS, type Library, loadLibrary } from "./redact-library.ts";
import { kindOfNamed, namedSecrets } from "./redact-names.ts";
import { FORM_ANCHORS, type Found, formedSecrets } from "./redact-patterns.ts";

export interface Redactor {
  /** The same text when there is nothing to hide; `from`: only what stands behind it, as what goes on there. */
  text(text: string, from?: number): string;
  /** Every text in it, names of fields included; the same value when there is nothing to hide. */
  value<T>(value: T): T;
  /** Called with each mark that is put into a text. */
  watched(onMark: (mark: string) => void): Redactor;
}

/** Loads what it needs, so nothing of it costs anything unless something is to be redacted. */
export async function loadRedactor(): Promise<Redactor> {
  const echoes = newEchoes();
  return redactorOf(
    { find: finder(await loadLibrary(), echoes), markOf: newNumbers(), echoes },
    () => undefined,
  );
}

type Numbers = (kind: string, secret: string) => string;

interface Memory {
  find(text: string): Found[];
  markOf: Numbers;
  echoes: Echoes;
}

function redactorOf(memory: Memory, onMark: (mark: string) => void): Redactor {
  const { find, markOf, echoes } = memory;
  const marked = (kind: string, secret: string) => {
    echoes.note(kind, secret);
    const mark = markOf(kind, secret);
    onMark(mark);
    return mark;
  };
  const text = (given: string, from = 0) => replaced(given, from, find, marked);
  return {
    text,
    value: (given) => walked(given, "", { text, marked }) as typeof given,
    watched: (listener) => redactorOf(memory, listener),
  };
}

/** Shorter texts hold no secret that could be told. */
const SHORTEST = 8;

function replaced(text: string, from: number, find: Memory["find"], marked: Numbers): string {
  if (text.length < SHORTEST) return text.slice(from);
  // What stands before it may be a part of the same word, or of another.
  const behind = from === 0 ? [] : foundIn(text.slice(from), find);
  const moved = behind.map((one) => ({ ...one, from: one.from + from, to: one.to + from }));
  const found = united([...foundIn(text, find), ...moved]).filter(({ to }) => to > from);
  if (found.length === 0) return text.slice(from);
  const pieces: string[] = [];
  let done = from;
  for (const { kind, from: start, to } of found) {
    const secret = text.slice(start, to);
    pieces.push(text.slice(done, start), marked(kind, shownIn(secret)?.text ?? secret));
    done = to;
  }
  return `${pieces.join("")}${text.slice(done)}`;
}

function foundIn(text: string, find: Memory["find"]): Found[] {
  return [...torn(text, find), ...find(text)];
}

/** Secrets with something in them that is not seen when the text is shown. */
function torn(text: string, find: Memory["find"]): Found[] {
  const shown = shownIn(text);
  if (!shown) return [];
  const { places } = shown;
  return find(shown.text).map(({ kind, from, to }) => ({
    kind,
    from: places[from] ?? 0,
    to: (places[to - 1] ?? 0) + 1,
  }));
}

const anchorsIn = newAnchors([...FORM_ANCHORS, ...LIBRARY_ANCHORS]);

/** The most telling kind first. */
function finder(library: Library, echoes: Echoes): Memory["find"] {
  return (text) => {
    const there = anchorsIn(text);
    const formed = there.size === 0 ? [] : formedSecrets(text, there);
    const found = [...privateKeys(text), ...formed, ...library(text, there), ...namedSecrets(text)];
    for (const { kind, from, to } of found) echoes.note(kind, text.slice(from, to));
    return [...found, ...echoes.in(text)];
  };
}

/** What overlaps is one secret, of the kind that was found first. */
function united(found: readonly Found[]): Found[] {
  const ordered = found.map((one, rank) => ({ ...one, rank })).toSorted((a, b) => a.from - b.from);
  const united: (Found & { rank: number })[] = [];
  for (const one of ordered) {
    const last = united.at(-1);
    if (!last || one.from >= last.to) {
      united.push(one);
      continue;
    }
    last.to = Math.max(last.to, one.to);
    if (one.rank < last.rank) Object.assign(last, { kind: one.kind, rank: one.rank });
  }
  return united;
}

interface Walk {
  text(text: string): string;
  marked: Numbers;
}

function walked(value: unknown, name: string, walk: Walk): unknown {
  if (typeof value === "string") {
    const shown = name === "" ? value : (shownIn(value)?.text ?? value);
    const kind = name === "" ? undefined : kindOfNamed(name, shown);
    const now = walk.text(value);
    return kind === undefined || now !== value ? now : walk.marked(kind, shown);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walked(item, name, walk));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const fields = Object.entries(value);
  const now = fields.map(([key, field]) => [keyOf(key, walk), walked(field, key, walk)] as const);
  const isSame = now.every(([key, field], at) => key === fields[at]?.[0] && field === fields[at]?.[1]);
  return isSame ? value : Object.fromEntries(now);
}

/** Names of fields are short, and the same ones come again and again. */
function keyOf(key: string, { text }: Walk): string {
  return key.length < SHORTEST_KEY ? key : text(key);
}

const SHORTEST_KEY = 20;

/** So many secrets can be told apart; marks of later ones have no number. */
const NUMBERED = 100_000;

/** Keeps hashes, not secrets. The kind is the one under which a secret was first found. */
function newNumbers(): Numbers {
  const marks = new Map<string, string>();
  const counts = new Map<string, number>();
  return (kind, secret) => {
    const hash = createHash("sha256").update(secret).digest("base64");
    const known = marks.get(hash);
    if (known !== undefined) return known;
    if (marks.size >= NUMBERED) return `[redacted: ${kind}]`;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const mark = `[redacted: ${kind} ${number}]`;
    marks.set(hash, mark);
    return mark;
  };
}
