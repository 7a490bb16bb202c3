// The records that a session came from, read again as its own file would be: which message each entry stands in,
// and what it said there.
import { createHash } from "node:crypto";
import type { Entry, SessionRecord } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { isObject } from "../json.ts";
import { recordOf } from "./native.ts";
import { fold } from "./read.ts";
import { Ruled, type Ruling } from "./rulings.ts";
import { surveyOf } from "./survey.ts";

export interface Original {
  rulings: ReadonlyMap<number, Ruling>;
  /** By id of an entry, what it said. */
  digests: ReadonlyMap<string, string>;
  /** The first generation: one object in one file. */
  isOneFile: boolean;
  /** The folder that the lines name; mostly only the store does. */
  folder: string | undefined;
}

export async function originalOf(stream: Stream): Promise<Original> {
  const rulings = await surveyOf(() => nativeRecords(stream));
  const state = fold.initial({ path: "", originalId: "" });
  const digests = new Map<string, string>();
  let isOneFile = false;
  let folder: string | undefined;
  for await (const [record] of nativeRecords(stream)) {
    if (!record) continue;
    isOneFile ||= record.index === 0 && isSpread(record);
    const value = new Ruled(record.value, rulings.get(record.index));
    for (const folded of fold.step(state, { ...record, value }))
      if (folded.type === "entry") digests.set(folded.entry.id, digestOf(folded.entry));
      else if (folded.type === "header") folder ??= folded.patch.cwd;
  }
  return { rulings, digests, isOneFile, folder };
}

/** A line never holds a line break inside, and a session on one line is no log. */
function isSpread({ bytes, value }: NativeRecord): boolean {
  const record = recordOf(value);
  const isWhole = record?.type === "metadata" && Array.isArray(record.metadata.messages);
  return isWhole || (value !== undefined && bytes.toString("utf8").trim().includes("\n"));
}

async function* nativeRecords(stream: Stream): AsyncGenerator<NativeRecord[]> {
  for await (const record of stream.records?.() ?? []) yield [nativeOf(record)];
}

export function nativeOf({
  index,
  raw,
  encoding,
}: Pick<SessionRecord, "index" | "raw" | "encoding">): NativeRecord {
  const bytes = Buffer.from(raw, encoding === "base64" ? "base64" : "utf8");
  const { length } = bytes;
  return {
    index,
    line: index + 1,
    offset: 0,
    length,
    value: parsed(bytes),
    whole: true,
    terminated: true,
    losses: [],
    bytes,
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    // Damage is copied, not read.
    return undefined;
  }
}

/** Whether a session still says what its records do, no more and no less. */
export async function isUntouched(stream: Stream, { digests }: Original): Promise<boolean> {
  let count = 0;
  for await (const entry of stream.entries()) {
    if (digests.get(entry.id) !== digestOf(entry)) return false;
    count++;
  }
  return count === digests.size;
}

/** What an entry says, in a few letters. */
export function digestOf(entry: Entry): string {
  const said = Object.fromEntries(Object.entries(entry).filter(([name]) => !PLACE.has(name)));
  return createHash("sha256")
    .update(JSON.stringify(sorted(said)))
    .digest("base64url")
    .slice(0, 16);
}

/** Where an entry stands, and what is counted of it, is not what it says. */
const PLACE: ReadonlySet<string> = new Set(["parent", "records", "usage", "turn", "keeps"]);

/** Fields in one order, whoever wrote them down. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const inOrder = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(inOrder.map(([name, field]) => [name, sorted(field)]));
}
