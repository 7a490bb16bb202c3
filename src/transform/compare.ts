// Two sessions side by side: their turns aligned by prompt, and per turn and in total what was touched, used, spent
// and said. Tokens, cost and time are told but are no difference: the same work costs what it costs.
import type { Stream } from "../session/source.ts";
import { align, type Pair } from "./align.ts";
import { type PriceOf, plus, type Spent, type TurnFacts, turnFacts } from "./turn-facts.ts";

export interface Comparison {
  turns: ComparedTurn[];
  totals: { a: Totals; b: Totals; both: number; onlyA: number; onlyB: number; same: boolean };
}

export interface ComparedTurn {
  a: TurnFacts | null;
  b: TurnFacts | null;
  /** How alike the prompts are: 1 = the same. */
  similarity: number;
  same: boolean;
  differs: Difference[];
}

export type Difference = "prompt" | "files" | "tools" | "errors" | "answer";

export interface Totals extends Spent {
  turns: number;
  replies: number;
  tools: Record<string, number>;
  /** How many files. */
  read: number;
  changed: number;
  added: number;
  removed: number;
  errors: number;
  /** Time spent in turns, without the pauses between them. */
  ms: number;
}

export async function compare(a: Stream, b: Stream, priceOf?: PriceOf): Promise<Comparison> {
  const first = await Array.fromAsync(turnFacts(a, priceOf));
  const second = await Array.fromAsync(turnFacts(b, priceOf));
  const pairs = align(
    first.map(({ prompt }) => prompt),
    second.map(({ prompt }) => prompt),
  );
  const turns = pairs.map((pair) => turnOf(pair, first, second));
  const count = (isSo: (turn: ComparedTurn) => boolean) => turns.filter(isSo).length;
  return {
    turns,
    totals: {
      a: totalsOf(first),
      b: totalsOf(second),
      both: count((turn) => turn.a !== null && turn.b !== null),
      onlyA: count(({ b: other }) => other === null),
      onlyB: count(({ a: other }) => other === null),
      same: turns.every(({ same }) => same),
    },
  };
}

function turnOf(pair: Pair, first: readonly TurnFacts[], second: readonly TurnFacts[]): ComparedTurn {
  const a = pair.a === undefined ? null : (first[pair.a] ?? null);
  const b = pair.b === undefined ? null : (second[pair.b] ?? null);
  const differs = a && b ? differences(a, b) : [];
  return {
    a,
    b,
    similarity: pair.similarity,
    same: a !== null && b !== null && differs.length === 0,
    differs,
  };
}

function differences(a: TurnFacts, b: TurnFacts): Difference[] {
  const facts: Record<Difference, (turn: TurnFacts) => unknown> = {
    prompt: ({ prompt }) => prompt.replace(/\s+/g, " ").trim(),
    files: ({ files }) => files.map(({ path, read, changed }) => [path, read, changed]),
    tools: ({ tools }) => Object.entries(tools).filter(([name]) => !CHANGING.has(name)),
    // Where one agent leaves a call open, another has to be told that it failed.
    errors: ({ errors, unanswered }) => errors + unanswered,
    answer: ({ answer }) => answer.replace(/\s+/g, " "),
  };
  const names = Object.keys(facts) as Difference[];
  return names.filter((name) => JSON.stringify(facts[name](a)) !== JSON.stringify(facts[name](b)));
}

/** One agent's patch of three files is three calls of another: what they changed is compared, not how often. */
const CHANGING = new Set(["edit", "write"]);

function totalsOf(turns: readonly TurnFacts[]): Totals {
  const tools: Record<string, number> = {};
  const read = new Set<string>();
  const changed = new Set<string>();
  let spent: Spent = { tokens: null, cost: null, computed: 0 };
  const sums = { replies: 0, added: 0, removed: 0, errors: 0, ms: 0 };
  for (const turn of turns) {
    spent = plus(spent, turn);
    sums.replies += turn.replies;
    sums.errors += turn.errors;
    sums.ms += turn.ms ?? 0;
    for (const [name, count] of Object.entries(turn.tools)) tools[name] = (tools[name] ?? 0) + count;
    for (const file of turn.files) {
      if (file.read) read.add(file.path);
      if (file.changed) changed.add(file.path);
      sums.added += file.added ?? 0;
      sums.removed += file.removed ?? 0;
    }
  }
  return { turns: turns.length, tools, read: read.size, changed: changed.size, ...sums, ...spent };
}
