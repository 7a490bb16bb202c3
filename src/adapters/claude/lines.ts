// Builds the lines of a session file: one chain of records, each naming the one before it.
import { createHash } from "node:crypto";
import type { Entry } from "../../session/session.ts";
import { wholeJson } from "../../session/text.ts";
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
  /** Records in which half a character was replaced. */
  replaced: number;
  /** The newest record, which the next one follows. */
  parent: string | null;
  time: string;
  /** No line is later than this. */
  now: string;
  /** What all records of the chain say, as JSON: after the parent, and at the end. */
  start: string;
  end: string;
}

export function newThread(
  target: Target,
  file: string,
  more: Partial<Pick<Thread, "branch" | "agentId">> = {},
): Thread {
  // A file that is extended may hold records of ours already.
  const size = target.onto?.ref.files[0]?.size;
  const place = size === undefined ? file : `${file}/${size}`;
  const seed = shortHash(`${target.originalId}/${place}`, 20);
  const now = target.now.toISOString();
  const { agentId, branch = "" } = more;
  const isSidechain = agentId !== undefined;
  const start = JSON.stringify({ isSidechain, agentId });
  const end = JSON.stringify({
    userType: "external",
    // Sessions of other entry points are hidden from the picker.
    entrypoint: "cli",
    cwd: target.cwd.toWellFormed(),
    sessionId: target.originalId,
    version: target.version,
    gitBranch: branch.toWellFormed(),
  });
  return {
    target,
    file,
    branch: "",
    seed,
    written: 0,
    replaced: 0,
    parent: null,
    time: now,
    now,
    start: start.slice(1, -1),
    end: end.slice(1),
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
  const uuid = uuidAt(thread, 0);
  thread.written++;
  const parent = options.parent === undefined ? thread.parent : options.parent;
  const timestamp = timeFor(thread, options.timestamp);
  // Put together by hand, because this is most of what carrying a session does.
  const start = `{"parentUuid":${JSON.stringify(parent)},${thread.start}`;
  const { json, isReplaced } = wholeJson(fields);
  if (isReplaced) thread.replaced++;
  const bytes = `${start},${json.slice(1, -1)},"uuid":"${uuid}","timestamp":"${timestamp}",${thread.end}\n`;
  thread.parent = uuid;
  return {
    type: "record",
    file: thread.file,
    bytes,
    says: isReplaced ? whole(options.says) : options.says,
    uuid,
  };
}

export function line(file: string, record: Json, says: Says = []): WrittenRecord {
  const { json, isReplaced } = wholeJson(record);
  return { type: "record", file, bytes: `${json}\n`, says: isReplaced ? whole(says) : says };
}

function whole(says: Says): Says {
  return says.map(([type, text]) => [type, text.toWellFormed()]);
}

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
