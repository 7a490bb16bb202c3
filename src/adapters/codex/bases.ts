// The files that a thread goes on from, for a copy under the same id: where the store does not have them, they are
// written beside it as they are, up to where the thread leaves them.
import { join } from "node:path";
import type { Target, WrittenRecord } from "../adapter.ts";
import { codexHome, findRollout, idsOf } from "./paths.ts";
import { baseFile } from "./plan.ts";
import { fold } from "./read.ts";
import { entriesOf, foldAt, type Replayed, sayingOf } from "./replay.ts";

export interface Bases {
  /** The record in its own file; undefined where the store has that file. */
  record(file: string, replayed: Replayed): Promise<WrittenRecord | undefined>;
}

export function basesFor(target: Target): Bases {
  const open = new Map<string, ReturnType<typeof newReading> | undefined>();
  return {
    async record(file, { bytes, value }) {
      if (!open.has(file)) open.set(file, (await isThere(target, file)) ? undefined : newReading(target));
      const reading = open.get(file);
      if (!reading) return undefined;
      const says = entriesOf(foldAt(reading.state, reading.index++, value)).map(sayingOf);
      return { type: "record", file: baseFile(file), bytes, says };
    },
  };
}

/** Each file is read by itself when it is read back. */
function newReading({ originalId }: Target) {
  return { state: fold.initial({ path: "", originalId }), index: 0 };
}

async function isThere(target: Target, file: string): Promise<boolean> {
  const id = idsOf(file)?.rollout;
  return id !== undefined && (await isInStore(target, id));
}

/** Whether the rollout will be found beside what is written; nothing of the store is beside a file elsewhere. */
export async function isInStore({ home, documents }: Target, rollout: string): Promise<boolean> {
  if (documents !== undefined) return false;
  return (await findRollout(join(codexHome(home), "sessions", "any"), rollout)) !== undefined;
}
