// What came of each prompt, in universal terms: files, tools, tokens, cost, time, errors and the answer. One pass over
// a stream; of a turn's texts only the beginnings are kept.
import type { Entry, Header, ToolCall, ToolResult, Usage } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { type FileFacts, newFiles } from "./touched.ts";

export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

export interface Spent {
  /** Null where no usage was recorded. */
  tokens: Tokens | null;
  /** US dollars; null where nothing is known of them. */
  cost: number | null;
  /** How much of the cost was not recorded but worked out from prices. */
  computed: number;
}

export interface TurnFacts extends Spent {
  /** The id of the prompt's entry; null for what comes before the first prompt. */
  entry: string | null;
  /** Its beginning. */
  prompt: string;
  start: string | null;
  end: string | null;
  /** From the prompt to the last thing that came of it. */
  ms: number | null;
  models: string[];
  /** Calls by tool; one that no agent shares goes by its own name. */
  tools: Record<string, number>;
  files: FileFacts[];
  /** Results that say that the call failed. */
  errors: number;
  /** Calls that have no result, and were not left to the model's provider. */
  unanswered: number;
  /** The beginning of the last thing that the model said. */
  answer: string;
  replies: number;
}

/** A message's tokens in US dollars, where the agent did not say; undefined where nobody knows. */
export type PriceOf = (usage: Usage, entry: Entry, model: Header["model"]) => number | undefined;

export interface FactsOptions {
  /** Paths below it are told from there, so that a project may have moved. */
  project: string;
  /** Of the session, for messages that do not say theirs. */
  model: Header["model"];
  priceOf?: PriceOf;
}

export function factsOptions({ project, model }: Header, priceOf: PriceOf | undefined): FactsOptions {
  return { project: project.path, model, ...(priceOf && { priceOf }) };
}

export function isPrompt(entry: Entry): boolean {
  return entry.type === "user" && !entry.injected && !entry.note;
}

/** What comes before the first prompt is a turn only if something was said or done there. */
export async function* turnFacts(stream: Stream, priceOf?: PriceOf): AsyncGenerator<TurnFacts> {
  const options = factsOptions(stream.header, priceOf);
  let turn = newTurn(options);
  for await (const entry of stream.entries()) {
    if (isPrompt(entry)) {
      if (turn.isWorthTelling()) yield turn.facts();
      turn = newTurn(options);
    }
    turn.add(entry);
  }
  if (turn.isWorthTelling()) yield turn.facts();
}

/** Gathers one turn, entry by entry. */
export interface TurnTally {
  add(entry: Entry): void;
  isWorthTelling(): boolean;
  facts(): TurnFacts;
}

const BEGINNING = 2000;

export function newTurn({ project, ...prices }: FactsOptions): TurnTally {
  const found = { entry: null as string | null, prompt: "", answer: "", replies: 0, errors: 0 };
  const times = { start: null as string | null, end: null as string | null };
  const tools = new Map<string, number>();
  const models = new Set<string>();
  const files = newFiles(project);
  const spent = newSpent(prices);
  const calls = new Map<string, ToolCall>();

  function called(call: ToolCall): void {
    const name = toolName(call);
    tools.set(name, (tools.get(name) ?? 0) + 1);
    if (!call.hosted) calls.set(call.id, call);
  }

  function answered(result: ToolResult): void {
    if (!result.success) found.errors++;
    const call = calls.get(result.callId);
    if (call) files.add(call, result);
    calls.delete(result.callId);
  }

  return {
    add(entry) {
      if (entry.note) return;
      times.start ??= entry.timestamp;
      times.end = entry.timestamp;
      spent.add(entry);
      if (entry.type === "tool_call") called(entry);
      else if (entry.type === "tool_result") answered(entry);
      else if (isPrompt(entry) && entry.type === "user") {
        found.entry = entry.id;
        found.prompt = entry.content.slice(0, BEGINNING);
      } else if (entry.type === "assistant") {
        found.replies++;
        if (entry.content.trim() !== "") found.answer = entry.content.trim().slice(0, BEGINNING);
      }
      if ((entry.type === "assistant" || entry.type === "tool_call") && entry.model !== undefined)
        models.add(entry.model);
    },
    isWorthTelling: () => found.entry !== null || found.replies > 0 || tools.size > 0,
    facts() {
      // What was never answered may have happened or not: it was tried.
      for (const call of calls.values()) files.add(call, undefined);
      return {
        ...found,
        ...times,
        ms: between(times.start, times.end),
        models: [...models],
        tools: Object.fromEntries([...tools].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        files: files.list(),
        unanswered: calls.size,
        ...spent.total(),
      };
    },
  };
}

/** Agents differ in how they join a server's name and its tool's. */
function toolName({ tool, originalTool }: ToolCall): string {
  if (tool !== "unknown" || originalTool === undefined) return tool;
  return originalTool.replace(/^mcp_+/, "").replaceAll(/__|\./g, "_");
}

function between(start: string | null, end: string | null): number | null {
  const ms = Date.parse(end ?? "") - Date.parse(start ?? "");
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

const NOTHING: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Each model message has its usage once. */
export function newSpent({ priceOf, model }: Pick<FactsOptions, "priceOf" | "model">): {
  add(entry: Entry): void;
  total(): Spent;
} {
  let total: Spent = { tokens: null, cost: null, computed: 0 };
  return {
    add(entry) {
      const { usage } = entry;
      if (!usage) return;
      const tokens = { ...NOTHING, ...onlyTokens(usage) };
      const recorded = recordedCost(usage.cost, tokens);
      const computed = recorded === undefined ? priceOf?.(usage, entry, model) : undefined;
      const cost = recorded ?? computed;
      total = plus(total, {
        tokens,
        cost: cost ?? null,
        computed: computed ?? 0,
      });
    },
    total: () => total,
  };
}

/** Zero beside tokens says that the agent knows no price, or that a subscription pays. */
function recordedCost(cost: number | undefined, { input, output, cacheRead, cacheWrite }: Tokens) {
  return cost === 0 && input + output + cacheRead + cacheWrite > 0 ? undefined : cost;
}

function onlyTokens(usage: Usage): Partial<Tokens> {
  const names = Object.keys(NOTHING) as (keyof Tokens)[];
  return Object.fromEntries(names.map((name) => [name, usage[name] ?? 0]));
}

export function plus(first: Spent, second: Spent): Spent {
  return {
    tokens: plusTokens(first.tokens, second.tokens),
    cost: first.cost === null ? second.cost : first.cost + (second.cost ?? 0),
    computed: first.computed + second.computed,
  };
}

function plusTokens(first: Tokens | null, second: Tokens | null): Tokens | null {
  if (!first || !second) return first ?? second;
  return {
    input: first.input + second.input,
    output: first.output + second.output,
    cacheRead: first.cacheRead + second.cacheRead,
    cacheWrite: first.cacheWrite + second.cacheWrite,
    reasoning: first.reasoning + second.reasoning,
  };
}
