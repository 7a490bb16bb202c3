// Decides what of a session that is too long stays: the most recent whole turns, with the biggest payloads shortened
// first. Knows weights and nothing else; reduce.ts does it.
import { BatonError } from "../session/error.ts";
import type { Size, Weights } from "./weigh.ts";
import { amount } from "./wording.ts";

/** truncate: older turns go. hybrid: they become a summary. summarize: all but the newest turn becomes one. */
export type Strategy = "truncate" | "summarize" | "hybrid";

/** Up to this share of the window a conversation fits: the rest is for what comes. */
const FITS = 0.8;
/** The share that recent turns may fill when it does not. */
const RECENT = 0.6;
/** The share, and the most tokens, that a summary may have. */
const SUMMARY = 0.1;
const LONGEST_SUMMARY = 8_000;
/** A model's summary may be so much longer than it was asked to be. */
export const GRACE = 1.2;
/** A payload of an older turn that takes more of the window than this is shortened before any turn is given up. */
const LARGE = 0.02;
/** Less than this is left of no payload, and only what has a good deal more is shortened. */
const SMALLEST = 200;

export interface Reduction {
  /** Entries before this one are left out, except `prompt` and the instructions. */
  cut: number;
  /** How many entries at the beginning are instructions, which stay. */
  instructions: number;
  /** Where the newest turn itself was cut: its prompt, which stays. */
  prompt?: number;
  /** How many tokens the payload of an entry may keep. */
  clips: ReadonlyMap<number, number>;
  /** How many tokens a summary may have; 0 = there is none. */
  summary: number;
  /** Messages that are left out. */
  leftOut: number;
  /** Tokens of what stays. */
  kept: number;
}

export function fits(size: Pick<Size, "total">, window: number): boolean {
  return size.total <= window * FITS;
}

/** What it is measured by: all of it by the model's window, or the conversation alone by the tokens asked for. */
export function roomFor(size: Size, window: number, budget?: number): { size: Size; window: number } {
  const overhead = size.overhead * size.scale;
  const asked = (budget ?? Number.POSITIVE_INFINITY) * size.scale;
  if (asked >= window * FITS - overhead) return { size, window };
  return { size: { ...size, total: size.total - overhead, overhead: 0 }, window: asked / FITS };
}

/** `opening`: what the words take that stand for all that is left out, without a summary. */
export function planReduction(
  weights: Weights,
  size: Size,
  window: number,
  strategy: Strategy,
  opening = 0,
): Reduction {
  const { instructions } = weights;
  // They stay, whichever turns do.
  const told = weightOf(weights, 0, instructions);
  const share = (of: number) => Math.floor((window * of) / size.scale) - size.overhead - told;
  const summary = strategy === "truncate" ? 0 : longestSummary(window / size.scale);
  const most = share(FITS) - Math.ceil(summary * GRACE) - opening;
  const room = {
    recent: Math.min(share(RECENT), most),
    most,
    window: Math.floor(window / size.scale),
  };
  const { kept, ...planned } = planTurns(weights, room, summary, strategy);
  return { ...planned, instructions, kept: kept + told };
}

function longestSummary(window: number): number {
  return Math.min(LONGEST_SUMMARY, Math.floor(window * SUMMARY));
}

/** In tokens: what recent turns may fill, what the newest one may take at most, and the window. */
interface Room {
  recent: number;
  most: number;
  window: number;
}

type Turns = Omit<Reduction, "instructions">;

function planTurns(
  weights: Weights,
  { recent: budget, most, window }: Room,
  summary: number,
  strategy: Strategy,
): Turns {
  const starts = turnStarts(weights);
  const newest = starts.at(-1) ?? weights.instructions;
  const large = Math.max(SMALLEST, Math.floor(window * LARGE));
  const least = weightOf(weights, newest, weights.tokens.length);
  if (least > budget) return withinTurn(weights, newest, most, summary);
  const clips = new Map<number, number>();
  let cut = newest;
  let kept = least;
  for (const start of strategy === "summarize" ? [] : starts.slice(0, -1).toReversed()) {
    const shortened = clipsIn(weights, start, cut, large);
    const tokens = weightOf(weights, start, cut) - savedBy(weights, shortened);
    if (kept + tokens > budget) break;
    kept += tokens;
    cut = start;
    for (const [at, most] of shortened) clips.set(at, most);
  }
  const isWhole = cut <= weights.instructions;
  return { cut, clips, summary: isWhole ? 0 : summary, leftOut: messagesIn(weights, cut), kept };
}

/** What else stands before the first prompt belongs to the first turn. */
function turnStarts({ prompts, tokens, instructions }: Weights): number[] {
  const [first, ...others] = prompts;
  if (tokens.length === 0) return [];
  return first === undefined ? [instructions] : [instructions, ...others];
}

function weightOf({ tokens }: Weights, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += tokens[at] ?? 0;
  return sum;
}

/** What is shortened to the same size is worth it only where that makes a difference. */
function clipsIn({ payload }: Weights, from: number, to: number, most: number): Map<number, number> {
  const clips = new Map<number, number>();
  for (let at = from; at < to; at++) if ((payload[at] ?? 0) > most + SMALLEST) clips.set(at, most);
  return clips;
}

function savedBy({ payload }: Weights, clips: ReadonlyMap<number, number>): number {
  let saved = 0;
  for (const [at, most] of clips) saved += (payload[at] ?? 0) - most;
  return saved;
}

/** The newest turn alone is too much: its biggest payloads are shortened, then its older steps go. */
function withinTurn(weights: Weights, start: number, budget: number, summary: number): Turns {
  const end = weights.tokens.length;
  const isWhole = start <= weights.instructions;
  for (const most of caps(weights, start)) {
    const clips = clipsIn(weights, start, end, most);
    const tokens = weightOf(weights, start, end) - savedBy(weights, clips);
    if (tokens > budget) continue;
    return {
      cut: start,
      clips,
      summary: isWhole ? 0 : summary,
      leftOut: messagesIn(weights, start),
      kept: tokens,
    };
  }
  return lastSteps(weights, start, budget, summary);
}

/** As they are, then ever smaller: half of the largest payload, half of that, down to the smallest. */
function* caps({ payload }: Weights, start: number): Generator<number> {
  let largest = 0;
  for (let at = start; at < payload.length; at++) largest = Math.max(largest, payload[at] ?? 0);
  yield largest;
  for (let most = Math.floor(largest / 2); most > SMALLEST; most = Math.floor(most / 2)) yield most;
  yield SMALLEST;
}

/** The prompt stays, and behind it as many of the newest steps as there is room for. */
function lastSteps(weights: Weights, start: number, budget: number, summary: number): Turns {
  const end = weights.tokens.length;
  const prompt = weights.prompts.at(-1);
  const clips = clipsIn(weights, start, end, SMALLEST);
  const asked = prompt === undefined ? 0 : (weights.tokens[prompt] ?? 0);
  const room = budget - asked;
  let cut = end;
  let kept = 0;
  let tokens = 0;
  for (let at = end - 1; at > (prompt ?? -1); at--) {
    tokens += (weights.tokens[at] ?? 0) - savedAt(weights, at, clips);
    if (tokens > room) break;
    if (!weights.isSafe[at]) continue;
    cut = at;
    kept = tokens;
  }
  if (room < 0 || (prompt === undefined && cut === end)) throw tooLong(asked, budget);
  const remaining = new Map([...clips].filter(([at]) => at >= cut));
  const left = messagesIn(weights, cut) - (prompt === undefined ? 0 : 1);
  const stays = prompt === undefined ? {} : { prompt };
  return { cut, ...stays, clips: remaining, summary, leftOut: left, kept: kept + asked };
}

function savedAt({ payload }: Weights, at: number, clips: ReadonlyMap<number, number>): number {
  const most = clips.get(at);
  return most === undefined ? 0 : (payload[at] ?? 0) - most;
}

/** Of the entries before the cut, which lies between messages. */
function messagesIn({ messages, instructions }: Weights, cut: number): number {
  return new Set(messages.slice(instructions, cut).filter((message) => message !== -1)).size;
}

function tooLong(asked: number, budget: number): BatonError {
  return new BatonError(
    "refused",
    `The newest prompt has about ${amount(asked)} tokens, and beside what the target says by itself there is room for ${amount(Math.max(0, budget))}.`,
    "Take a model with a larger window (`baton models` lists them), or a larger --budget where one was named.",
  );
}
