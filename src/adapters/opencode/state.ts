// What the fold remembers between records. Plain JSON, and small whatever the session's size.

export interface OpenCodeState {
  /** The newest time seen, for records without one. */
  time: string;
  /** The entry that was added last. */
  last?: string;
  /** Where the user went back to: everything from there on goes with the next prompt. */
  revert?: { message: string; part?: string };
  /** That place has been passed. */
  reverted?: boolean;
  /** A compaction that was asked for: its message, the entry before it, and the message from which on all stays. */
  compacting?: { message: string; before?: string; tail?: string };
  /** Of the Go version: the message that stands for all before it. */
  summary?: string;
  model?: string;
  provider?: string;
  /** Prompts name their model; before September 2025 only replies did. */
  isAsked?: boolean;
  /** Types that were reported as unknown. */
  unknown: string[];
}

export function newState(): OpenCodeState {
  return { time: new Date(0).toISOString(), unknown: [] };
}

const MOST_UNKNOWN = 50;

/** True the first time a type is met. */
export function isNew(state: OpenCodeState, type: string): boolean {
  const name = type.slice(0, 80);
  if (state.unknown.includes(name) || state.unknown.length >= MOST_UNKNOWN) return false;
  state.unknown.push(name);
  return true;
}
