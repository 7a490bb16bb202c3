// Subagents that stand inside the main file: which of their threads a record belongs to. The same answer is
// found when the session itself is read and when one of the threads is, so that no record falls between them.
import { filled } from "./native.ts";
import { type ClaudeState, type Line, remember } from "./state.ts";

export interface Sidechain {
  /** What the thread is called: its call, its agent, or its first record. */
  thread: string;
  /** The call that a saved stream names. */
  call?: string;
  /** Whether this record is the thread's first. */
  begins: boolean;
}

/** The thread of a sidechain record; undefined for records of the session itself. */
export function sidechainOf(line: Line): Sidechain | undefined {
  const { state, value } = line;
  const call = filled(value.parent_tool_use_id);
  if (value.isSidechain !== true && call === undefined) {
    // A subagent without any ids has come to its end when the conversation goes on.
    if (value.type === "user" || value.type === "assistant") state.open = null;
    return undefined;
  }
  const thread = short(call ?? filled(value.agentId) ?? joined(line) ?? line.id);
  const begins = !state.threads.includes(thread);
  if (begins) remember(state.threads, thread, MOST_THREADS);
  join(state, line, thread);
  return { thread, begins, ...(call !== undefined && { call: short(call) }) };
}

/** The thread that a record beside the conversation stands in, if it is known: it begins none. */
export function knownSidechain(line: Line): string | undefined {
  const parent = filled(line.value.parentUuid);
  const thread = parent === undefined ? undefined : threadWith(line.state, parent);
  if (thread !== undefined) join(line.state, line, thread);
  return thread;
}

const MOST_MEMBERS = 128;
const MOST_THREADS = 128;

function join(state: ClaudeState, line: Line, thread: string): void {
  if (line.hasUuid) remember(state.members, [short(line.id), thread], MOST_MEMBERS);
  state.open = thread;
}

/** The thread of the record that this one follows, or the open one for records that cannot say what they follow. */
function joined({ state, value, hasUuid }: Line): string | undefined {
  const parent = filled(value.parentUuid);
  const known = parent === undefined ? undefined : threadWith(state, parent);
  if (known !== undefined) return known;
  return hasUuid && value.parentUuid !== undefined ? undefined : (state.open ?? undefined);
}

function threadWith(state: ClaudeState, record: string): string | undefined {
  return state.members.findLast(([id]) => id === short(record))?.[1];
}

/** Ids are short; whatever else stands in their place must not fill the state, nor differ where it is cut. */
function short(id: string): string {
  return id.slice(0, 100);
}
