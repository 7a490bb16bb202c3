// What the reader remembers between two records, and the record it is looking at. Plain JSON, bounded.
import { type Loss, type LossName, loss } from "../../session/losses.ts";
import type { Folded, HeaderPatch, Run } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { SessionRef } from "../adapter.ts";
import {
  blocksOf,
  type ClaudeBlock,
  type ClaudeRecord,
  filled,
  isObject,
  isShallow,
  TOO_DEEP,
  text,
} from "./native.ts";

export interface ClaudeState {
  /** The session's native id, for the names of its subagents. */
  id: string;
  /** A sidechain inside the file that is read as a session of its own. */
  thread: string | null;
  /** The whole file is a subagent's: its records are sidechain records by nature. */
  subagent: boolean;
  /** The record that the last entry of the timeline came from, or one that stands for it; OFF for none. */
  tail: string | null;
  time: string;
  /** A compaction whose summary has not come yet. */
  boundary: Boundary | null;
  /** Facts told last, so that only changes are reported. */
  session: string;
  cwd: string;
  branch: string;
  version: string;
  model: string;
  fork: string;
  /** Summaries whose leaf has not been seen: [leaf, summary]. */
  summaries: [string, string][];
  /** Task calls that may own a sidechain in this file: [call, beginning of its prompt, description]. */
  tasks: [string, string, string][];
  /** The newest sidechain records: [record, thread]. */
  members: [string, string][];
  /** The sidechains so far, and the one that records without ids join. */
  threads: string[];
  open: string | null;
  /** Reported once each. */
  strangers: string[];
  timeless: boolean;
}

export interface Boundary {
  uuid: string;
  parent: string | null;
  time: string;
  record: number;
  keeps: string[] | null;
  run: Run | null;
}

/** A tail that no record can name. */
export const OFF = "";

type RefFacts = Pick<SessionRef, "path" | "originalId" | "thread"> & Partial<Pick<SessionRef, "files">>;

export function initialState(ref: RefFacts): ClaudeState {
  const file = ref.path.slice(Math.max(ref.path.lastIndexOf("/"), ref.path.lastIndexOf("\\")) + 1);
  const mtime = ref.files?.[0]?.mtimeMs;
  return {
    id: ref.originalId,
    thread: ref.thread ?? null,
    subagent: file.startsWith("agent-"),
    tail: null,
    // Records without any time are as old as their file.
    time: mtime === undefined ? "" : new Date(mtime).toISOString(),
    boundary: null,
    session: "",
    cwd: "",
    branch: "",
    version: "",
    model: "",
    fork: "",
    summaries: [],
    tasks: [],
    members: [],
    threads: [],
    open: null,
    strangers: [],
    timeless: false,
  };
}

const MOST_REMEMBERED = 32;

/** Adds to a list that must not grow. */
export function remember<T>(list: T[], item: T, most = MOST_REMEMBERED): void {
  list.push(item);
  if (list.length > most) list.shift();
}

/** Enough of a prompt to recognise it; long texts may be cut at 512 characters. */
export function promptStart(content: unknown): string {
  const words = Array.isArray(content) && isObject(content[0]) ? content[0].text : content;
  return (text(words) ?? "").slice(0, 200);
}

/** One record on its way through the reader. */
export interface Line {
  state: ClaudeState;
  record: NativeRecord;
  value: ClaudeRecord;
  out: Folded[];
  /** The record's uuid, or a name by its place in the file. */
  id: string;
  hasUuid: boolean;
  time: string;
}

export function lineOf(state: ClaudeState, record: NativeRecord, value: ClaudeRecord): Line {
  const uuid = filled(value.uuid);
  return {
    state,
    record,
    value,
    out: [],
    id: uuid ?? `r${record.index}`,
    hasUuid: uuid !== undefined,
    time: state.time,
  };
}

const LATEST = 8.64e15;

export function timeOf(value: unknown): string | undefined {
  if (typeof value === "string")
    return value.charCodeAt(4) === 45 && value.charCodeAt(10) === 84 ? value : undefined;
  if (typeof value !== "number" || !(Math.abs(value) <= LATEST)) return undefined;
  return new Date(value).toISOString();
}

export function report(line: Line, kind: LossName, detail: string): void {
  const at: Loss["at"] = { record: line.record.index, line: line.record.line };
  line.out.push({ type: "loss", loss: loss(kind, at, detail) });
}

/** The blocks of a message or a result; what is no content is reported and has no block. */
export function contentBlocks(line: Line, content: unknown): readonly ClaudeBlock[] {
  const blocks = blocksOf(content, (what) => report(line, "record_malformed", what));
  return blocks.every((block) => typeof block.text === "string" || READ_BY_FIELD.has(block.type))
    ? blocks
    : blocks.map((block) => checked(line, block));
}

/** Of these blocks only fields of a known type are taken; others are shown whole. */
const READ_BY_FIELD: ReadonlySet<unknown> = new Set([
  "document",
  "image",
  "mcp_tool_use",
  "redacted_thinking",
  "server_tool_use",
  "thinking",
  "tool_result",
  "tool_use",
]);

/** Whether there is nothing to report of the content of a result. */
export function isPlainContent(content: unknown): boolean {
  if (typeof content === "string" || content === undefined) return true;
  return (
    Array.isArray(content) &&
    content.every(
      (block) => isObject(block) && (typeof block.text === "string" || READ_BY_FIELD.has(block.type)),
    )
  );
}

function checked(line: Line, block: ClaudeBlock): ClaudeBlock {
  if (block.type === "text" && typeof block.text !== "string")
    report(line, "record_malformed", "a block of text without text");
  if (READ_BY_FIELD.has(block.type) || isShallow(block)) return block;
  report(line, "record_malformed", DEEP);
  return { type: "text", text: TOO_DEEP };
}

export const DEEP = "a value that is nested too deeply to be shown";

export function patch(line: Line, facts: HeaderPatch): void {
  line.out.push({ type: "header", patch: facts });
}

/** What the first entry of this record follows: undefined = the entry before it. */
export function parentOf({ state, value, hasUuid }: Line): string | null | undefined {
  const { parentUuid } = value;
  if (!hasUuid || parentUuid === undefined || parentUuid === state.tail) return undefined;
  return typeof parentUuid === "string" ? parentUuid : null;
}

/** A record inside the thread without an entry: whatever follows it follows its parent. */
export function passBy(line: Line): void {
  const { state, value, hasUuid, id } = line;
  if (!hasUuid) return;
  const parent = parentOf(line);
  const follows = parent === undefined;
  const target = follows ? (filled(value.parentUuid) ?? state.tail) : parent;
  line.out.push({ type: "link", id, parent: target === OFF ? null : target });
  state.tail = follows ? id : OFF;
}
