// Reads the universal session from JSONL: one pass checks every line and remembers where entries, records and
// subagents stand, and content is read from the file again when it is asked for. Memory holds the skeleton only.
import type { Loss } from "../session/losses.ts";
import { type Migrated, type Migration, migrate } from "../session/migrate.ts";
import { entrySchema, headerSchema, recordSchema } from "../session/schema.ts";
import type { Entry, Header, SessionRecord } from "../session/session.ts";
import { type SkeletonBuilder, skeletonBuilder } from "../session/skeleton.ts";
import type { Range, Source } from "../session/source.ts";
import type { Position } from "../storage/position.ts";
import { type NativeRecord, readRecords } from "../storage/records.ts";
import { check, damaged, isObject, type Json } from "./check.ts";

type Migrations = Readonly<Record<string, Migration>>;

/** One session of the file: where its lines are, and what they say without their content. */
interface Section {
  header: Header;
  depth: number;
  migration: Migrated;
  skeleton: SkeletonBuilder;
  entries: number;
  /** Where reading entries can start, and how many come before. */
  checkpoints: { at: Position; entries: number }[];
  /** Just after the last entry, and just after the last record. */
  entriesEnd: number;
  recordsEnd: number;
  firstRecord: Position | undefined;
  children: Section[];
  losses: Loss[];
}

const CHECKPOINT_BYTES = 4 << 20;

export async function readUniversalJsonl(path: string, migrations?: Migrations): Promise<Source> {
  /** The session being read and those it is nested in. */
  const nesting: Section[] = [];
  let root: Section | undefined;
  // Long strings are cut, which no check can tell: it is types that are checked.
  for await (const batch of readRecords(path, { shrink: true })) {
    for (const record of batch) {
      const where = `${path}, line ${record.line}`;
      const value = objectOf(record, where);
      if (value === undefined) continue;
      if (value.type === "session") {
        const section = newSection(value, where, migrations);
        enter(section, nesting, where);
        root ??= section;
      } else addLine(nesting.at(-1), value, record, where);
      nesting.at(-1)?.losses.push(...record.losses);
    }
  }
  if (!root) throw damaged(`${path} holds no session: its first line must be {"type":"session", …}.`);
  return sourceOfSection(path, root);
}

function objectOf(record: NativeRecord, where: string): Json | undefined {
  const broken = record.losses.find(
    ({ kind }) => kind === "record_unreadable" || kind === "record_truncated",
  );
  if (broken) throw damaged(`${where}: not JSON: ${broken.detail}`);
  if (record.value === undefined || isObject(record.value)) return record.value;
  throw damaged(`${where}: not an object.`);
}

function newSection(value: Json, where: string, migrations: Migrations | undefined): Section {
  const { type: _, depth, ...rest } = value;
  const migration = migrate(rest.version, where, migrations);
  const header = migration.header(rest);
  check(headerSchema, header, where);
  for (const field of ["timeline", "records", "children"])
    if (field in header)
      throw damaged(`${where}: ${field}: it must be lines of its own, not part of the header.`);
  return {
    header,
    depth: typeof depth === "number" ? depth : 0,
    migration,
    skeleton: skeletonBuilder(),
    entries: 0,
    checkpoints: [],
    entriesEnd: 0,
    recordsEnd: 0,
    firstRecord: undefined,
    children: [],
    losses: [],
  };
}

/** A subagent belongs to the nearest session above it that is one level less deep. */
function enter(section: Section, nesting: Section[], where: string): void {
  const isFirst = nesting.length === 0;
  while (nesting.length > 0 && (nesting.at(-1) as Section).depth >= section.depth) nesting.pop();
  const parent = nesting.at(-1);
  if (isFirst ? section.depth !== 0 : section.depth !== (parent?.depth ?? Number.NaN) + 1)
    throw damaged(
      `${where}: depth: a file holds one session, and each subagent is one level deeper than its own.`,
    );
  parent?.children.push(section);
  nesting.push(section);
}

function addLine(section: Section | undefined, value: Json, record: NativeRecord, where: string): void {
  if (!section) throw damaged(`${where}: type: the first line must be of type "session".`);
  const end = record.offset + record.length;
  const at = { offset: record.offset, index: record.index, line: record.line };
  if (value.type === "record") {
    check(recordSchema, value, where);
    section.firstRecord ??= at;
    section.recordsEnd = end;
    return;
  }
  const entry = section.migration.entry(value);
  check(entrySchema, entry, where);
  section.skeleton.add(entry);
  const last = section.checkpoints.at(-1);
  if (!last || record.offset - last.at.offset >= CHECKPOINT_BYTES)
    section.checkpoints.push({ at, entries: section.entries });
  section.entries++;
  section.entriesEnd = end;
}

function sourceOfSection(path: string, section: Section): Source {
  return {
    header: section.header,
    skeleton: section.skeleton.finish(section.header.head),
    losses: section.losses,
    entries: (range) => entries(path, section, range),
    ...(section.firstRecord && { records: () => records(path, section, section.firstRecord as Position) }),
    async *children() {
      for (const child of section.children) yield sourceOfSection(path, child);
    },
  };
}

async function* entries(path: string, section: Section, range: Range = {}): AsyncGenerator<Entry> {
  const from = range.from ?? 0;
  const to = Math.min(range.to ?? section.entries, section.entries);
  const start = section.checkpoints.findLast((checkpoint) => checkpoint.entries <= from);
  if (!start) return;
  let position = start.entries;
  for await (const value of values(path, start.at, section.entriesEnd)) {
    if (value.type === "record") continue;
    if (position >= to) return;
    if (position >= from) yield section.migration.entry(value) as unknown as Entry;
    position++;
  }
}

async function* records(path: string, section: Section, from: Position): AsyncGenerator<SessionRecord> {
  for await (const value of values(path, from, section.recordsEnd)) {
    if (value.type !== "record") continue;
    const { type: _, ...record } = value;
    yield record as unknown as SessionRecord;
  }
}

async function* values(path: string, from: Position, end: number): AsyncGenerator<Json> {
  for await (const batch of readRecords(path, { from, end }))
    for (const record of batch) {
      const value = objectOf(record, `${path}, line ${record.line}`);
      if (value) yield value;
    }
}
