// What the fold remembers between records: plain JSON, small, and the same whether long strings were cut or
// not, because a fold may be taken up again from any record.
import type { CallFacts } from "./outcome.ts";

export interface CodexState {
  /** The thread that is being read; a fork's file also holds the session_meta of others. */
  id: string;
  /** True once the thread's own session_meta was seen. */
  own: boolean;
  /** Other threads whose session_meta has been or may be met. */
  others: string[];
  /** True once a working directory is known. */
  placed: boolean;
  /** Time of the newest record that had one. */
  time: string;
  model?: string;
  effort?: string;
  /** The model message that is going on, named after its first entry. */
  turn?: string | undefined;
  /** The newest model message, going on or not: token counts come after it. */
  newestTurn?: string;
  /** Newest entry of the current branch. */
  last: string | null;
  /** Newest entry of the branch that is more than context. */
  solid: string | null;
  /** Prompts of the branch: their ids ("" for a summary), and what each followed once context is set aside. */
  prompts: [id: string, before: string | null][];
  /** How many of these prompts a compaction has replaced. */
  replaced: number;
  /** Set after a rewind: what the next entry follows. */
  follows?: string | null | undefined;
  rewound: boolean;
  /** What events said about calls whose output has not come; a list, because ids are anything. */
  facts: [callId: string, facts: CallFacts][];
  /** A code-mode script that has not returned. */
  script?: string | undefined;
  /** Threads of subagents that are already linked. */
  agents: string[];
  /** The running total that was last counted, because token counts are repeated. */
  counted: number;
  /** The turn that a token_usage_record has settled. */
  settled?: string;
  /** The turn whose tokens came with a running total, and what they were called. */
  count?: { turn: string; message: string };
  /** The task that is going on, as the CLI names it. */
  task?: string | undefined;
  /** The oldest of the threads whose history was copied into this file; absent = none was. */
  root?: string;
  /** What has been reported once and is not reported again. */
  reported: string[];
}

const MOST_PROMPTS = 500;
const MOST_FACTS = 32;
const MOST_AGENTS = 100;
const MOST_REPORTED = 50;
const LONGEST_ID = 200;

export function initialState(originalId: string): CodexState {
  return {
    id: originalId,
    own: false,
    others: [],
    placed: false,
    time: "",
    last: null,
    solid: null,
    prompts: [],
    replaced: 0,
    rewound: false,
    facts: [],
    agents: [],
    counted: -1,
    reported: [],
  };
}

/** Of an entry's id that the state remembers. */
export const LONGEST_NAME = 100;

/** The model message that begins with the entry of this name. */
export function openTurn(state: CodexState, id: string): string {
  state.newestTurn = id;
  return id;
}

export function rememberPrompt(state: CodexState, id: string): void {
  // What stands before the first prompt is never taken back.
  const before = state.prompts.length === 0 ? state.last : state.solid;
  state.prompts.push([id, before]);
  if (state.prompts.length > MOST_PROMPTS) {
    state.prompts.shift();
    state.replaced = Math.max(0, state.replaced - 1);
  }
}

/** The facts noted for a call; they are made when there are none. */
export function factsFor(state: CodexState, callId: string): CallFacts {
  const known = state.facts.find(([id]) => id === callId);
  if (known) return known[1];
  const made: CallFacts = {};
  if (callId.length > LONGEST_ID) return made;
  state.facts.push([callId, made]);
  if (state.facts.length > MOST_FACTS) state.facts.shift();
  return made;
}

export function takeFacts(state: CodexState, callId: string): CallFacts | undefined {
  if (state.facts.length === 0) return undefined;
  const at = state.facts.findIndex(([id]) => id === callId);
  return at === -1 ? undefined : state.facts.splice(at, 1)[0]?.[1];
}

export function rememberAgent(state: CodexState, thread: string): boolean {
  if (thread.length > LONGEST_ID || state.agents.includes(thread)) return false;
  if (state.agents.length >= MOST_AGENTS) state.agents.shift();
  state.agents.push(thread);
  return true;
}

/** True the first time something is reported. */
export function isFirst(state: CodexState, what: string): boolean {
  const short = what.slice(0, LONGEST_ID);
  if (state.reported.includes(short) || state.reported.length >= MOST_REPORTED) return false;
  state.reported.push(short);
  return true;
}
