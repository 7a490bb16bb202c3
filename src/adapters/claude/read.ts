// Reads session files of every version since 1.0: one record at a time becomes entries, links, facts of the
// session and losses. How the CLI itself treats each kind of record on a resume is in README.md.
import type { Folded } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Fold } from "../adapter.ts";
import { endBoundary } from "./compaction.ts";
import { glance } from "./glance.ts";
import { assistantRecord, attachmentRecord, resultRecord, systemRecord, userRecord } from "./messages.ts";
import { type ClaudeRecord, count, filled, isObject, SIDE_RECORDS, text } from "./native.ts";
import { passes } from "./passing.ts";
import { knownSidechain, type Sidechain, sidechainOf } from "./sidechains.ts";
import {
  type ClaudeState,
  initialState,
  type Line,
  lineOf,
  passBy,
  patch,
  promptStart,
  remember,
  report,
  timeOf,
} from "./state.ts";

export const fold: Fold<ClaudeState> = { initial: initialState, step, passes, glance };

const NOTHING: Folded[] = [];

function step(state: ClaudeState, record: NativeRecord): Folded[] {
  const { value } = record;
  if (value === undefined) return NOTHING;
  const line = lineOf(state, record, isObject(value) ? value : {});
  if (isObject(value)) dispatch(line);
  else report(line, "record_malformed", "the record is not an object");
  return line.out;
}

function dispatch(line: Line): void {
  const read = CONVERSATION.get(line.value.type);
  if (read) inThread(line, read);
  else beside(line);
}

const CONVERSATION: ReadonlyMap<unknown, (line: Line) => void> = new Map([
  ["user", userRecord],
  ["assistant", assistantRecord],
  ["attachment", attachmentRecord],
  ["system", systemRecord],
  ["tool_result", resultRecord],
]);

/** A record of the conversation, if it belongs to the thread that is being read. */
function inThread(line: Line, read: (line: Line) => void): void {
  if (!belongs(line)) return;
  facts(line);
  if (line.state.boundary && line.hasUuid && line.value.isCompactSummary !== true) endBoundary(line);
  read(line);
  titleOf(line);
}

function belongs(line: Line): boolean {
  const { state } = line;
  if (state.subagent) return true;
  const sidechain = sidechainOf(line);
  if (state.thread === null) {
    if (sidechain?.begins) linkThread(line, sidechain);
    return sidechain === undefined;
  }
  if (sidechain?.thread !== state.thread) return false;
  // A prompt begins its thread, whatever record of the session it hangs on.
  if (sidechain.begins && line.value.type === "user") state.tail = text(line.value.parentUuid) ?? null;
  return true;
}

/** Where no call is named, as up to 1.0.x, the prompt tells which call started a subagent. */
function linkThread(line: Line, { thread, call }: Sidechain): void {
  const { message } = line.value;
  const prompt = isObject(message) ? promptStart(message.content) : "";
  const at = line.state.tasks.findIndex(([id, start]) =>
    call === undefined ? prompt !== "" && start === prompt : id === call,
  );
  const [owner] = at === -1 ? [] : line.state.tasks.splice(at, 1);
  const entry = call ?? owner?.[0];
  patch(line, {
    link: {
      type: "subagent",
      session: `claude:${line.state.id}/thread-${thread}`,
      ...(entry !== undefined && { entry }),
      ...(owner?.[2] && { label: owner[2] }),
    },
  });
}

/** Facts that every record of the conversation repeats. */
function facts(line: Line): void {
  const { state, value } = line;
  readTime(line);
  const session = filled(value.sessionId) ?? filled(value.session_id);
  if (session !== undefined && session !== state.session) {
    if (state.session === "") state.session = session;
    else if (!state.strangers.includes(session)) {
      remember(state.strangers, session);
      report(line, "session_mixed", session);
    }
  }
  if (isObject(value.forkedFrom)) forkOf(line, value.forkedFrom);
  const cwd = filled(value.cwd);
  if (cwd !== undefined && state.cwd === "") {
    state.cwd = cwd;
    patch(line, { cwd });
  }
  const branch = filled(value.gitBranch);
  // "HEAD" is what the CLI writes where there is no branch.
  if (branch !== undefined && branch !== "HEAD" && branch !== state.branch) {
    state.branch = branch;
    patch(line, { git: { branch } });
  }
  const version = filled(value.version);
  if (version !== undefined && version !== state.version) {
    state.version = version;
    patch(line, { cliVersion: version });
  }
}

/** Every record of a branched session names the one it was copied from. */
function forkOf(line: Line, { sessionId }: ClaudeRecord): void {
  const session = filled(sessionId);
  if (session === undefined || session === line.state.fork) return;
  line.state.fork = session;
  patch(line, { link: { type: "fork_of", session: `claude:${session}` } });
}

function readTime(line: Line): void {
  const { state, value } = line;
  const time = timeOf(value.timestamp);
  if (time !== undefined) state.time = time;
  else if (!state.timeless) {
    state.timeless = true;
    report(line, "timestamp_missing", "this record and maybe others");
  }
  line.time = state.time;
}

/** Summaries are written ahead of the conversation they belong to, and into other sessions' files as well. */
function titleOf(line: Line): void {
  const { summaries } = line.state;
  if (summaries.length === 0) return;
  const at = summaries.findIndex(([leaf]) => leaf === line.id);
  if (at !== -1) for (const [, summary] of summaries.splice(at, 1)) patchSummary(line, summary);
}

function patchSummary(line: Line, summary: string): void {
  patch(line, { title: summary, titleRank: 1, summary });
}

/** Records that are not part of the conversation. */
function beside(line: Line): void {
  const { state, value } = line;
  const type = text(value.type);
  const thread = value.isSidechain === true ? knownSidechain(line) : undefined;
  if (state.thread !== null) {
    if (thread === state.thread) passBy(line);
    return;
  }
  const read = type !== undefined && Object.hasOwn(SIDE, type) ? SIDE[type] : undefined;
  if (read) read(line, value);
  else if (type === undefined) report(line, "record_malformed", "the record has no type");
  else if (!SIDE_RECORDS.has(type)) report(line, "record_unknown", type.slice(0, 80));
  // Hook and shell progress of 2.0 and 2.1 stood inside the thread.
  const inside = state.subagent || value.isSidechain !== true;
  if (line.hasUuid && value.parentUuid !== undefined && inside) passBy(line);
}

const SIDE: Readonly<Record<string, (line: Line, value: ClaudeRecord) => void>> = {
  "custom-title": (line, value) => title(line, value.customTitle, 3),
  "ai-title": (line, value) => title(line, value.aiTitle, 2),
  "agent-name": (line, value) => title(line, value.agentName, 2),
  title: (line, value) => title(line, value.title, 3),
  summary(line, { summary, leafUuid }) {
    const words = filled(summary)?.slice(0, 500);
    const leaf = filled(leafUuid);
    if (words === undefined) return;
    if (leaf === undefined || leaf === line.state.tail) patchSummary(line, words);
    else remember(line.state.summaries, [leaf, words]);
  },
  "last-prompt"(line, { leafUuid }) {
    const id = filled(leafUuid);
    if (id !== undefined) line.out.push({ type: "head", id, unlessFollowed: true });
  },
  "cost-state": (line, value) => cost(line, value.totalCostUSD),
  // The last line of a saved stream-json output.
  result: (line, value) => cost(line, value.total_cost_usd),
};

function title(line: Line, words: unknown, titleRank: number): void {
  const known = filled(words);
  if (known !== undefined) patch(line, { title: known, titleRank });
}

function cost(line: Line, dollars: unknown): void {
  const known = count(dollars);
  if (known > 0) patch(line, { cost: known, isCostSoFar: true });
}
