// Ids as Codex makes them.
import { createHash, randomBytes } from "node:crypto";

/** A UUID of version 7: the time, then chance. Rollouts of one thread are told apart by its order. */
export function newId(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  return format(bytes);
}

/** An id that is the same whenever the same session is written under the same id. */
export function derivedId(thread: string, purpose: string): string {
  const bytes = createHash("sha256").update(`${thread}:${purpose}`).digest().subarray(0, 16);
  // The time of the thread, so that ids sort together.
  Buffer.from(thread.replaceAll("-", "").slice(0, 12).padEnd(12, "0"), "hex").copy(bytes);
  return format(bytes);
}

function format(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const LONGEST_CALL_ID = 64;

/** Ids of calls in one thread: the API refuses one that comes twice. */
export interface CallIds {
  /** The id for a call that is written now. */
  of(id: string): string;
  /** The id of the newest call that went by this one. */
  answered(id: string): string;
}

export function callIds(isTaken: (id: string) => boolean = () => false): CallIds {
  const used = new Set<string>();
  const newest = new Map<string, string>();
  return {
    of(id) {
      let made = callIdOf(id);
      for (let number = 2; used.has(made) || isTaken(made); number++)
        made = callIdOf(`${id.slice(0, LONGEST_CALL_ID - 10)}-${number}`);
      used.add(made);
      if (made !== id) newest.set(id, made);
      else newest.delete(id);
      return made;
    },
    answered: (id) => newest.get(id) ?? callIdOf(id),
  };
}

/** The API takes call ids of any alphabet up to this length. */
function callIdOf(id: string): string {
  if (id !== "" && id.length <= LONGEST_CALL_ID) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
