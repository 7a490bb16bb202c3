// Writes the universal session in its two encodings: one JSON object, or JSONL with a header line, a line per
// entry, a line per raw native record, and then each subagent in the same way, one level deeper. Neither ever
// holds more than one entry.
import type { Stream } from "../session/source.ts";
import { batches } from "./batches.ts";
import type { WriteOptions } from "./format.ts";

export function writeUniversal(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(document(stream, options.records ?? true));
}

export function writeUniversalJsonl(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(lines(stream, options.records ?? true, 0));
}

async function* document(stream: Stream, withRecords: boolean): AsyncGenerator<string> {
  yield* object(stream, withRecords, "");
  yield "\n";
}

async function* object(stream: Stream, withRecords: boolean, indent: string): AsyncGenerator<string> {
  const inner = `${indent}  `;
  yield "{\n";
  for (const [name, value] of Object.entries(stream.header)) {
    if (value !== undefined) yield `${inner}${JSON.stringify(name)}: ${JSON.stringify(value)},\n`;
  }
  yield `${inner}"timeline": [`;
  yield* items(stream.entries(), inner);
  yield "]";
  if (withRecords && stream.records) {
    yield `,\n${inner}"records": [`;
    yield* items(stream.records(), inner);
    yield "]";
  }
  yield* children(stream, withRecords, inner);
  yield `\n${indent}}`;
}

/** The inside of an array, an item a line. */
async function* items(values: AsyncIterable<object>, indent: string): AsyncGenerator<string> {
  let separator = "";
  for await (const value of values) {
    yield `${separator}\n${indent}  ${JSON.stringify(value)}`;
    separator = ",";
  }
  if (separator !== "") yield `\n${indent}`;
}

/** The field is there only when there is a subagent. */
async function* children(stream: Stream, withRecords: boolean, indent: string): AsyncGenerator<string> {
  let before = `,\n${indent}"children": [`;
  let after = "";
  for await (const child of stream.children()) {
    yield `${before}\n${indent}  `;
    yield* object(child, withRecords, `${indent}  `);
    before = ",";
    after = `\n${indent}]`;
  }
  yield after;
}

async function* lines(stream: Stream, withRecords: boolean, depth: number): AsyncGenerator<string> {
  yield line("session", { ...(depth > 0 && { depth }), ...without(stream.header, "depth") });
  for await (const entry of stream.entries()) yield `${JSON.stringify(entry)}\n`;
  if (withRecords && stream.records)
    for await (const record of stream.records()) yield line("record", record);
  for await (const child of stream.children()) yield* lines(child, withRecords, depth + 1);
}

/** `type` and `depth` are the line's own fields: a header or a record cannot have others of that name. */
function line(type: string, value: object): string {
  return `${JSON.stringify({ type, ...without(value, "type") })}\n`;
}

function without(value: object, field: string): object {
  const { [field]: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
