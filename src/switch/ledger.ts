// What a writer says it writes: losses, counts, and marks by which each file is recognised when it is read back.
import type { Adapter, Written, WrittenRecord } from "../adapters/adapter.ts";
import { mapped } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { EntryType } from "../session/session.ts";
import { markOf } from "./marks.ts";

export interface Ledger {
  losses: Loss[];
  /** The entries of the main file. */
  counts: Record<EntryType, number>;
  /** For each file of the bundle: a mark for each entry, which reading back must find again in this order. */
  marks: Map<string, number[]>;
}

export function newLedger(): Ledger {
  const counts = { user: 0, assistant: 0, tool_call: 0, tool_result: 0, system: 0, switch: 0, compaction: 0 };
  return { losses: [], counts, marks: new Map() };
}

/** The records; what they say, and everything else, is entered into the ledger as they go by. */
export function recordsOnly(written: AsyncIterable<Written>, ledger: Ledger): AsyncIterable<WrittenRecord> {
  return mapped(written, (batch) => {
    const records: WrittenRecord[] = [];
    for (const item of batch) {
      if (item.type === "loss") ledger.losses.push(item.loss);
      else {
        records.push(item);
        enter(item, ledger);
      }
    }
    return records;
  });
}

function enter({ file, says }: WrittenRecord, { counts, marks }: Ledger): void {
  if (says.length === 0) return;
  const known = marks.get(file) ?? [];
  marks.set(file, known);
  for (const [type, text] of says) {
    if (file === "main") counts[type]++;
    known.push(markOf(type, text));
  }
}

/** What is in a file is not what was meant. */
export class UnlikeError extends BatonError {
  constructor(to: Adapter, what: string) {
    super(
      "failed",
      `The ${to.label} session did not read back as it was meant: ${what}. Nothing was written.`,
      "This is a bug in Baton: please report it with `baton convert SESSION --to universal`.",
    );
  }
}

/** Compares what a finished file says, still under its temporary name, with what was meant. */
export function compare(to: Adapter, meant: readonly number[], found: ArrayLike<number>): void {
  if (found.length !== meant.length)
    throw new UnlikeError(to, `${meant.length} entries were written and ${found.length} read back`);
  const wrong = meant.findIndex((mark, at) => mark !== found[at]);
  if (wrong !== -1) throw new UnlikeError(to, `entry ${wrong + 1} reads back as another one`);
}

/** Of a file that was extended: only its end is ours. */
export function compareEnd(to: Adapter, meant: readonly number[], found: ArrayLike<number>): void {
  compare(to, meant, Array.from(found).slice(found.length - Math.min(found.length, meant.length)));
}
