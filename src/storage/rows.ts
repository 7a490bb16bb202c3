// Rows of a database as lines of JSON, so that everything that works on the lines of a file works on them as well:
// folding, archiving, reading back. A line is a row with the rows that belong to it:
// {"table":"message","row":{…columns…},"data":{…},"rows":[…]}. The column `data` holds JSON and stands there as it is.

import { jsonIn } from "../session/json.ts";
import { elements, members } from "./json-text.ts";
import { START } from "./position.ts";
import type { NativeRecord, ReadOptions } from "./records.ts";
import { shrink } from "./shrink.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface RowLine {
  table: string;
  row: Row;
  /** The column of that name: JSON as it is, or a string where it is none. */
  data?: unknown;
  rows?: readonly RowLine[];
  /** Instead of a new row: what to change in one that is there, and what has to stand there until then. */
  set?: Row;
  was?: Row;
  /** Only if there is no such row yet; it then stays for good. */
  ensure?: boolean;
}

/** The line without its newline; `belonging` are lines as well. */
export function rowLine(table: string, row: Row, belonging: readonly string[] = []): string {
  const { data, ...columns } = row;
  return lineText(
    table,
    columns,
    data === undefined ? undefined : withoutBreaks(readData(data).text),
    belonging,
  );
}

/** A line, and what parsing it would give: whoever makes one of a row has parsed what is long in it already. */
export interface ParsedLine {
  /** Made when it is asked for: a pass that wants values only does not. */
  text(): string;
  /** About as many characters as it has. */
  size: number;
  value: RowLine;
}

export function parsedLine(table: string, row: Row, belonging: readonly ParsedLine[] = []): ParsedLine {
  const { data, ...columns } = row;
  const own = data === undefined ? undefined : readData(data);
  const value: RowLine = { table, row: Object.values(columns).every(isPlain) ? columns : asJson(columns) };
  if (own) value.data = own.value;
  if (belonging.length > 0) value.rows = belonging.map((inner) => inner.value);
  return {
    text: () =>
      lineText(
        table,
        columns,
        own && withoutBreaks(own.text),
        belonging.map((inner) => inner.text()),
      ),
    size: belonging.reduce((sum, inner) => sum + inner.size, own?.text.length ?? 0),
    value,
  };
}

function lineText(table: string, columns: Row, data: string | undefined, inside: readonly string[]): string {
  const head = JSON.stringify({ table, row: columns }).slice(0, -1);
  const own = data === undefined ? "" : `,"data":${data}`;
  return `${head}${own}${inside.length > 0 ? `,"rows":[${inside.join(",")}]` : ""}}`;
}

/** Whether it is the same after it was written as JSON and read again. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" || value === null || Number.isFinite(value);
}

function asJson(columns: Row): Row {
  return JSON.parse(JSON.stringify(columns)) as Row;
}

/** Objects stand as they are; anything else as a string, which says that it is text. */
function readData(data: unknown): { text: string; value: unknown } {
  const text = String(data);
  const value = typeof data === "string" && /^\s*\{/.test(data) ? jsonIn(data) : undefined;
  return value === undefined ? { text: JSON.stringify(text), value: text } : { text, value };
}

/** A line has none, and between the words of JSON a blank says the same. */
function withoutBreaks(json: string): string {
  return /[\n\r]/.test(json) ? json.replace(/[\n\r]/g, " ") : json;
}

/** A line with every column `data` as the text that a database holds, not as what it says. */
export function storedLine(json: string): RowLine {
  const own = new Map(members(json).map((member) => [member.name, member]));
  const [data, rows] = [own.get("data"), own.get("rows")];
  // What is long stands in these two, and is not looked into.
  const spans = [data, rows].flatMap((one) => one ?? []).sort((a, b) => b.value - a.value);
  const short = spans.reduce((text, { value, end }) => `${text.slice(0, value)}null${text.slice(end)}`, json);
  const { data: _, rows: __, ...line } = JSON.parse(short) as RowLine;
  const inner = rows && elements(json, rows.value).map(([start, end]) => storedLine(json.slice(start, end)));
  return {
    ...line,
    ...(data && { data: columnText(json.slice(data.value, data.end)) }),
    ...(inner && { rows: inner }),
  };
}

function columnText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The row with its column `data` as a database holds it. */
export function columnsIn({ row, data }: RowLine): Row {
  if (data === undefined) return row;
  return { ...row, data: typeof data === "string" ? data : JSON.stringify(data) };
}

/** A row and all that belong to it, each before its own. */
export function* flattened(line: RowLine): Generator<RowLine> {
  yield line;
  for (const inner of line.rows ?? []) yield* flattened(inner);
}

function lineValue(line: string | ParsedLine, bytes: Buffer | undefined, options: LineOptions): unknown {
  if (typeof line !== "string") return line.value;
  return JSON.parse((options.shrink && bytes && shrink(bytes)) || line);
}

function bytesOf(line: string | ParsedLine, { valuesOnly }: LineOptions): Buffer | undefined {
  if (typeof line === "string") return Buffer.from(`${line}\n`);
  return valuesOnly ? undefined : Buffer.from(`${line.text()}\n`);
}

const NOTHING = Buffer.alloc(0);

type LineOptions = Pick<ReadOptions, "from" | "shrink" | "raw" | "single" | "valuesOnly">;

const BATCH = 64;
const BATCH_BYTES = 1 << 18;

/** Lines as records. `lines` begins with the one of the number it is given. */
export function* lineRecords(
  lines: (first: number) => Iterable<string | ParsedLine>,
  options: LineOptions,
): Generator<NativeRecord[]> {
  let { index, offset } = options.from ?? START;
  let batch: NativeRecord[] = [];
  let size = 0;
  for (const line of lines(index)) {
    const bytes = bytesOf(line, options);
    const length = bytes?.length ?? (line as ParsedLine).size;
    batch.push({
      index,
      line: index + 1,
      offset,
      length,
      value: options.raw ? undefined : lineValue(line, bytes, options),
      whole: typeof line !== "string" || !options.shrink,
      terminated: true,
      losses: [],
      bytes: bytes ?? NOTHING,
    });
    index++;
    offset += length;
    size += length;
    if (!options.single && batch.length < BATCH && size < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
