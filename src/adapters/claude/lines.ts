// Builds the lines of a session file: one chain of records, each naming the one before it.
import { createHash } from "node:crypto";
import type { Entry } from "../../session/session.ts";
import type { Target, WrittenRecord } from "../adapter.ts";
import type { Json } from "./native.ts";

/** What all records of one file share. */
export interface Thread {
  target: Target;
  /** Which file of the bundle. */
  file: string;
  branch: string;
  /** Set for a subagent's file. */
  agentId?: string;
  /** Letters of its own for each file of each session, so that no two records get the same uuid. */
  seed: string;
  written: number;
  /** The newest record, which the next one follows. */
  parent: string | null;
  time: string;
  /** No line is later than this. */
  now: string;
}

export function newThread(
  target: Target,
  file: string,
  more: Partial<Pick<Thread, "branch" | "agentId">> = {},
): Thread {
  const seed = shortHash(`${target.originalId}/${file}`, 20);
  const now = target.now.toISOString();
  return {
    target,
    file,
    branch: "",
    seed,
    written: 0,
    parent: null,
    time: now,
    now,
    ...more,
  };
}

export type Says = WrittenRecord["says"];

/** A record in the chain. `parent` is given where it does not follow the newest record. */
export function chained(
  thread: Thread,
  fields: Json & { type: string },
  options: { timestamp: string; says: Says; parent?: string | null },
): WrittenRecord & { uuid: string } {
  const { target } = thread;
  const uuid = uuidAt(thread, 0);
  thread.written++;
  const record = {
    parentUuid: options.parent === undefined ? thread.parent : options.parent,
    isSidechain: thread.agentId !== undefined,
    ...(thread.agentId !== undefined && { agentId: thread.agentId }),
    ...fields,
    uuid,
    timestamp: timeFor(thread, options.timestamp),
    userType: "external",
    // Sessions of other entry points are hidden from the picker.
    entrypoint: "cli",
    cwd: target.cwd,
    sessionId: target.originalId,
    version: target.version,
    gitBranch: thread.branch,
  };
  thread.parent = uuid;
  return { ...line(thread.file, record, options.says), uuid };
}

export function line(file: string, record: Json, says: Says = []): WrittenRecord {
  const json = JSON.stringify(record);
  if (!json.includes(HALF_CHARACTER)) return { type: "record", file, bytes: `${json}\n`, says };
  const bytes = `${JSON.stringify(record, (_, value) => (typeof value === "string" ? value.toWellFormed() : value))}\n`;
  return { type: "record", file, bytes, says: says.map(([type, text]) => [type, text.toWellFormed()]) };
}

/** How JSON spells half a surrogate pair, which the API refuses. */
const HALF_CHARACTER = "\\ud";

/** The original time, unless there is none or it lies in the future. */
function timeFor(thread: Thread, timestamp: string): string {
  const { now } = thread;
  if (ISO.test(timestamp)) thread.time = timestamp < now ? timestamp : now;
  else {
    const then = Date.parse(timestamp);
    if (!Number.isNaN(then))
      thread.time = new Date(Math.min(then, thread.target.now.getTime())).toISOString();
  }
  return thread.time;
}

const ISO = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * The uuid of the next record, or of one further on. The same session and place always give the same one, so an
 * analysis and the write that follows it agree.
 */
export function uuidAt(thread: Thread, ahead: number): string {
  const { seed } = thread;
  const place = (thread.written + ahead).toString(16).padStart(12, "0");
  return `${seed.slice(0, 8)}-${seed.slice(8, 12)}-4${seed.slice(12, 15)}-8${seed.slice(15, 18)}-${place}`;
}

/** The id of a model message that begins with the next record. */
export function messageIdAt(thread: Thread): string {
  return `msg_${thread.seed.slice(0, 16)}${thread.written.toString(16).padStart(8, "0")}`;
}

export function shortHash(seed: string, length: number): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, length);
}

export function says(type: Entry["type"], text: string): Says {
  return [[type, text]];
}
