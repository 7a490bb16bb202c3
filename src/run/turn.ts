// What is known of a turn while it is under way, and what its result says of it. Memory stays the same however long
// the turn is: of the reply only the last message's beginning is kept, of its tokens a sum.
import type { DriverEvent } from "../adapters/driver.ts";
import { costOf, type FindPrice, type Price } from "../models/prices.ts";
import { countTokens } from "../models/tokens.ts";
import type { EventOf, Failure, TurnUsage } from "../session/events.ts";
import { plain } from "./fit.ts";

type UsageEvent = Extract<DriverEvent, { type: "usage" }>;
export type Denial = EventOf<"result">["permission_denials"][number];

export interface Turn {
  startedAt: number;
  error?: Failure;
  denials: Denial[];
  /** The last message as far as it was told. */
  reply: { message: string | undefined; text: string; isCut: boolean };
  isInterrupted: boolean;
  /** Something shows that the model was asked. */
  isAsked: boolean;
  promptTokens: number;
  told: UsageEvent | undefined;
  /** Of what was said since. */
  estimated: Estimate;
}

interface Estimate {
  tokens: number;
  pending: string;
}

/** Of a message in a result. */
const LONGEST_REPLY = 8000;
/** Of a turn, however often an agent asks. */
const MOST_DENIALS = 100;

export function newTurn(prompt: string, now: number): Turn {
  return {
    startedAt: now,
    denials: [],
    reply: { message: undefined, text: "", isCut: false },
    isInterrupted: false,
    isAsked: false,
    promptTokens: countTokens(prompt),
    told: undefined,
    estimated: nothing(),
  };
}

function nothing(): Estimate {
  return { tokens: 0, pending: "" };
}

/** A call between two texts begins a new message, as does another id; what is left of one that was before does not. */
export function noteText(
  { reply, estimated }: Turn,
  text: string,
  message: string | undefined,
  isRest: boolean,
): void {
  noteTokens(estimated, text);
  if (isRest && message !== reply.message && reply.text !== "") return;
  if (message !== reply.message) Object.assign(reply, { message, text: "", isCut: false });
  const room = LONGEST_REPLY - reply.text.length;
  if (text.length > room) reply.isCut = true;
  reply.text += text.slice(0, Math.max(0, room));
}

/** What a subagent calls meanwhile ends no message of the agent's own. */
export function noteCall({ reply, estimated }: Turn, input: unknown, isOwn: boolean): void {
  if (isOwn) Object.assign(reply, { message: undefined, text: "", isCut: false });
  noteTokens(estimated, JSON.stringify(input) ?? "");
}

export function noteThinking({ estimated }: Turn, text: string): void {
  noteTokens(estimated, text);
}

/** Deltas are counted together: cut into syllables a text has more tokens than it has. */
function noteTokens(estimated: Estimate, text: string): void {
  estimated.pending += text;
  if (estimated.pending.length < 4096) return;
  estimated.tokens += countTokens(estimated.pending);
  estimated.pending = "";
}

const SUMMED = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "reasoning_tokens",
  "total_cost_usd",
] as const;

export function noteUsage(turn: Turn, { type, ...usage }: UsageEvent): void {
  const sum: UsageEvent = { ...turn.told, ...usage, type };
  for (const name of SUMMED) {
    const [before, more] = [turn.told?.[name], usage[name]];
    if (before !== undefined || more !== undefined) sum[name] = (before ?? 0) + (more ?? 0);
  }
  turn.told = sum;
  if (usage.output_tokens !== undefined) turn.estimated = nothing();
}

export function noteDenial({ denials }: Turn, denial: Denial): void {
  if (denials.length < MOST_DENIALS) denials.push(denial);
}

export interface Priced {
  find: FindPrice;
  provider: string;
}

/** Tokens as the agent told them, or as many as the texts have: also those since, where it did not come to its end. */
export function usageOf(
  turn: Turn,
  model: string,
  priced?: Priced,
): Omit<EventOf<"usage">, "seq" | "timestamp"> {
  const { told, estimated, promptTokens, isAsked, isInterrupted, error } = turn;
  const isTold = told?.output_tokens !== undefined || told?.input_tokens !== undefined;
  const isWhole = isTold && !isInterrupted && error === undefined;
  const more = isWhole ? 0 : estimated.tokens + countTokens(estimated.pending);
  const { type: _, ...facts } = told ?? { type: "usage" };
  // What the agent says that it has cost is without the rest.
  if (isTold && more > 0) delete facts.total_cost_usd;
  const tokens = {
    ...facts,
    input_tokens: told?.input_tokens ?? (isTold || !isAsked ? 0 : promptTokens),
    output_tokens: (told?.output_tokens ?? 0) + more,
    ...((!isTold || more > 0) && { estimated: true }),
  };
  const name = told?.model ?? model;
  const price = priced?.find(name, priced.provider, Date.now());
  const cost = facts.total_cost_usd === undefined && price ? computed(tokens, price) : {};
  return { type: "usage", ...tokens, ...(name !== "" && { model: name }), ...cost };
}

function computed(tokens: TurnUsage, price: Price) {
  const usage = {
    input: tokens.input_tokens,
    output: tokens.output_tokens,
    cacheRead: tokens.cache_read_input_tokens ?? 0,
    cacheWrite: tokens.cache_creation_input_tokens ?? 0,
  };
  return { total_cost_usd: costOf(usage, price), cost_computed: true };
}

export function replyOf({ reply }: Turn, repeated: string | undefined): { result: string; truncated?: true } {
  const whole = reply.text === "" ? (repeated ?? "") : reply.text;
  const isCut = reply.isCut || whole.length > LONGEST_REPLY;
  return { result: plain(whole.slice(0, LONGEST_REPLY)), ...(isCut && { truncated: true }) };
}
