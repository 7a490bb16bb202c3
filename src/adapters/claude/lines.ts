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
  /** Names the file among those of the session, so that no two records get the same uuid. */
  seed: string;
  written: number;
  /** The newest record, which the next one follows. */
  parent: string | null;
  time: string;
}

export function newThread(
  target: Target,
  file: string,
  more: Partial<Pick<Thread, "branch" | "agentId">> = {},
): Thread {
  const seed = `${target.originalId}/${file}`;
  return {
    target,
    file,
    branch: "",
    seed,
    written: 0,
    parent: null,
    time: target.now.toISOString(),
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
  if (!HALF_CHARACTER.test(json)) return { type: "record", file, bytes: `${json}\n`, says };
  const bytes = `${JSON.stringify(record, (_, value) => (typeof value === "string" ? value.toWellFormed() : value))}\n`;
  return { type: "record", file, bytes, says: says.map(([type, text]) => [type, text.toWellFormed()]) };
}

/** The API refuses text with half a surrogate pair, which is how JSON spells it. */
const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** The original time, unless there is none or it lies in the future. */
function timeFor(thread: Thread, timestamp: string): string {
  const then = Date.parse(timestamp);
  if (!Number.isNaN(then)) thread.time = new Date(Math.min(then, thread.target.now.getTime())).toISOString();
  return thread.time;
}

/** The uuid of the next record, or of one further on. */
export function uuidAt(thread: Thread, ahead: number): string {
  return uuidFrom(`${thread.seed}:${thread.written + ahead}`);
}

/** The same input always gives the same uuid, so an analysis and the write that follows it agree. */
function uuidFrom(seed: string): string {
  const digest = createHash("sha256").update(seed).digest("hex");
  const variant = "89ab"[Number.parseInt(digest[16] as string, 16) & 3];
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

export function shortHash(seed: string, length: number): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, length);
}

export function says(type: Entry["type"], text: string): Says {
  return [[type, text]];
}
