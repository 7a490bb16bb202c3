// Ids as OpenCode makes them: a prefix, twelve hex digits of time and counter, fourteen letters of chance. Ids of
// messages and parts rise with time, because parts are read in their order; those of sessions fall.
import { createHash, randomBytes } from "node:crypto";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MASK = (1n << 48n) - 1n;

export function newSessionId(now = Date.now()): string {
  return `ses_${digits(~(BigInt(now) * 0x1000n + 1n))}${chance()}`;
}

function digits(value: bigint): string {
  return (value & MASK).toString(16).padStart(12, "0");
}

function chance(): string {
  return Array.from(randomBytes(14), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

/** Times that never go back nor reach the present, and ids that rise with them. */
export interface Clock {
  /** When a message was made: as recorded, as far as order and the present allow. */
  at(timestamp: string): number;
  /** An id that sorts behind all before it. */
  id(prefix: "msg" | "prt"): string;
}

/** A message from the future would hide the next prompt (1.18.33). */
export function newClock(now: Date, after = 0): Clock {
  const latest = now.getTime() - 1;
  let time = after;
  let last = 0n;
  return {
    at(timestamp) {
      const recorded = Date.parse(timestamp);
      time = Math.max(time, Math.min(Number.isNaN(recorded) ? time : recorded, latest));
      return time;
    },
    id(prefix) {
      const wanted = BigInt(time) * 0x1000n + 1n;
      last = wanted > last ? wanted : last + 1n;
      return `${prefix}_${digits(last)}${chance()}`;
    },
  };
}

/** What every vendor's API takes for the id of a call. */
const LONGEST_CALL_ID = 40;

/** Ids of calls in one session, each once. */
export function callIds(isTaken: (id: string) => boolean): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    let made = validCallId(id);
    for (let number = 2; used.has(made) || isTaken(made); number++) made = validCallId(`${id}#${number}`);
    used.add(made);
    return made;
  };
}

function validCallId(id: string): string {
  if (id.length <= LONGEST_CALL_ID && /^[A-Za-z0-9_-]+$/.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
