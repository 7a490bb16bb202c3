// Tokens and cost of all sessions, summed by day, agent, model, project or session. A cost that an agent wrote down,
// one that follows from a price, one of estimated tokens, and tokens that have no price are kept apart.
import { isAbsolute, relative } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { modelOf } from "../../models/names.ts";
import { costOf, type FindPrice, type Price } from "../../models/prices.ts";
import type { IsHere } from "../here.ts";
import { type Message, messagesOnce, type SessionFacts, sessionsOf } from "./messages.ts";
import { wholeCosts } from "./whole.ts";

export const GROUPINGS = ["day", "agent", "model", "project", "session"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface UsageQuery {
  by: Grouping;
  since?: Date;
  agents?: readonly string[];
  /** A folder: sessions in it or below. */
  project?: string;
  /** Absent = every session counts. */
  isHere?: IsHere;
}

export interface TokenSums {
  /** Without what came from a cache or went into one. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `output`. */
  reasoning: number;
}

export interface UsageSums {
  tokens: TokenSums;
  /** US dollars, each message in one of them. */
  cost: {
    /** The agent wrote it down. */
    recorded: number;
    /** What the tokens would cost at the vendor's API; nobody was billed that. */
    computed: number;
    /** The same where the agent only estimated the tokens. */
    estimated: number;
  };
  /** Messages of models that have no price: their tokens, which cost nobody knows what. */
  unpriced: TokenSums & { messages: number };
  messages: number;
  sessions: number;
}

export interface UsageRow extends UsageSums {
  key: string;
  /** Of a session. */
  title?: string;
  agent?: string;
}

export interface UsageReport {
  by: Grouping;
  rows: UsageRow[];
  total: UsageSums;
  /** Every model that was used, and whose price was taken for it; null = it has none. */
  models: ({ model: string } & (
    | Pick<Price, "matched" | "source" | "prices" | "tiers">
    | { matched: null }
  ))[];
}

export function usageOf(shards: readonly DatabaseSync[], query: UsageQuery, find: FindPrice): UsageReport {
  const sessions = sessionsOf(shards, query.isHere);
  const groups = new Map<string, Sums>();
  const total = newSums();
  const models = new Map<string, Price | undefined>();
  const spelled = oneSpelling();
  for (const [message, cost, price] of costedMessages(shards, sessions, find)) {
    if (!isAsked(message, query)) continue;
    if (message.count > 0) models.set(message.model, price);
    const key = query.by === "model" ? spelled(message.model) : keyOf(message, query.by);
    const group = groups.get(key) ?? newSums();
    groups.set(key, group);
    for (const sums of [group, total]) sums.add(message, cost);
  }
  const titles = new Map(sessions.map((session) => [session.id, session]));
  return {
    by: query.by,
    rows: ordered(
      query.by,
      [...groups].map(([key, sums]) =>
        rowOf(key, sums, query.by === "session" ? titles.get(key) : undefined),
      ),
    ),
    total: total.finish(),
    models: [...models]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([model, price]) => modelRow(model, price)),
  };
}

/** Each message once, with what it cost and the price of its model. */
export function* costedMessages(
  shards: readonly DatabaseSync[],
  sessions: readonly SessionFacts[],
  find: FindPrice,
): Generator<[message: Message, cost: Cost, price: Price | undefined]> {
  const whole = wholeCosts(shards, sessions, find);
  for (const message of messagesOnce(shards, sessions)) {
    const price = find(message.model, message.provider, message.time);
    yield [message, whole.costOf(message) ?? costFor(message, price), price];
  }
  // Sessions of which only the cost is known.
  for (const [message, dollars] of whole.others()) yield [message, { kind: "recorded", dollars }, undefined];
}

export interface Cost {
  kind: "recorded" | "computed" | "estimated" | "unpriced";
  dollars: number;
}

/** A recorded zero says that the agent knows no price, or that a subscription pays. */
function costFor(message: Message, price: Price | undefined): Cost {
  if (message.cost !== null && (message.cost > 0 || allTokens(message) === 0))
    return { kind: "recorded", dollars: message.cost };
  if (price === undefined) return { kind: "unpriced", dollars: 0 };
  return { kind: message.estimated ? "estimated" : "computed", dollars: costOf(message, price) };
}

function allTokens({ input, output, cacheRead, cacheWrite }: TokenSums): number {
  return input + output + cacheRead + cacheWrite;
}

function isAsked({ session, time }: Message, { since, agents, project }: UsageQuery): boolean {
  if (since && time < since.getTime()) return false;
  if (agents && !agents.includes(session.agent)) return false;
  return project === undefined || isInside(session.project, project);
}

function isInside(path: string, folder: string): boolean {
  if (path === "") return false;
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== "..";
}

/** All spellings of a model's id are one: that in which it was met first. */
function oneSpelling(): (model: string) => string {
  const first = new Map<string, string>();
  return (model) => {
    const known = modelOf(model)?.id ?? model;
    const spelling = first.get(known) ?? model;
    first.set(known, spelling);
    return spelling;
  };
}

function keyOf({ session, time }: Message, by: Exclude<Grouping, "model">): string {
  switch (by) {
    case "day":
      return dayOf(time);
    case "agent":
      return session.agent;
    case "project":
      return session.project;
    case "session":
      return session.id;
    default:
      return by satisfies never;
  }
}

/** In the user's time zone. */
function dayOf(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

type Sums = ReturnType<typeof newSums>;

function newSums() {
  const sums: UsageSums = {
    tokens: noTokens(),
    cost: { recorded: 0, computed: 0, estimated: 0 },
    unpriced: { messages: 0, ...noTokens() },
    messages: 0,
    sessions: 0,
  };
  const sessions = new Set<SessionFacts>();
  return {
    add(message: Message, { kind, dollars }: Cost) {
      addTokens(sums.tokens, message);
      sessions.add(message.session);
      sums.messages += message.count;
      if (kind !== "unpriced") sums.cost[kind] += dollars;
      else {
        addTokens(sums.unpriced, message);
        sums.unpriced.messages += message.count;
      }
    },
    finish(): UsageSums {
      const { recorded, computed, estimated } = sums.cost;
      const cost = {
        recorded: rounded(recorded),
        computed: rounded(computed),
        estimated: rounded(estimated),
      };
      return { ...sums, cost, sessions: sessions.size };
    },
  };
}

function noTokens(): TokenSums {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}

function addTokens(sums: TokenSums, message: TokenSums): void {
  sums.input += message.input;
  sums.output += message.output;
  sums.cacheRead += message.cacheRead;
  sums.cacheWrite += message.cacheWrite;
  sums.reasoning += message.reasoning;
}

/** Sums of binary fractions end in noise. */
export function rounded(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9;
}

function rowOf(key: string, sums: Sums, session: SessionFacts | undefined): UsageRow {
  return { key, ...(session && { title: session.title, agent: session.agent }), ...sums.finish() };
}

/** Days in their order, everything else by what it cost. */
function ordered(by: Grouping, rows: UsageRow[]): UsageRow[] {
  if (by === "day") return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return rows.toSorted(
    (a, b) =>
      dollarsOf(b) - dollarsOf(a) || allTokens(b.tokens) - allTokens(a.tokens) || (a.key < b.key ? -1 : 1),
  );
}

export function dollarsOf({ cost }: UsageSums): number {
  return cost.recorded + cost.computed + cost.estimated;
}

function modelRow(model: string, price: Price | undefined): UsageReport["models"][number] {
  return price ? { model, ...price } : { model, matched: null };
}
