// Which sessions a list shows: filters, order and paging over a scan of the stores.
import { isAbsolute, relative } from "node:path";
import type { Adapter, Home } from "../adapters/adapter.ts";
import type { OnProblem } from "../adapters/folder.ts";
import { badgeOf } from "../session/vendor.ts";
import { type Found, findSessions, type SessionSummary, summarise } from "./scan.ts";

export const SORTS = [
  "updated",
  "created",
  "title",
  "project",
  "agent",
  "model",
  "messages",
  "size",
  "tokens",
  "cost",
] as const;
export type Sort = (typeof SORTS)[number];

export interface Query {
  agents?: readonly string[];
  /** Whose badge the session carries. */
  provider?: string;
  /** A folder: sessions in it or below. */
  project?: string;
  /** A part of the model's name. */
  model?: string;
  since?: Date;
  /** Only sessions whose files have a problem. */
  errors?: boolean;
  /** US dollars, recorded by the agent. */
  minCost?: number;
  subagents?: boolean;
  sort?: Sort;
  limit?: number;
  offset?: number;
}

export interface Page {
  sessions: SessionSummary[];
  total: number;
  hasMore: boolean;
}

export interface Watch {
  onRead?(done: number, total: number): void;
  /** A part of a store that could not be looked at. */
  onProblem?: OnProblem;
}

export async function query(
  home: Home,
  adapters: readonly Adapter[],
  wanted: Query,
  watch: Watch = {},
): Promise<Page> {
  const asked = adapters.filter((adapter) => isAsked(adapter, wanted));
  const all = await findSessions(home, asked, watch.onProblem);
  const found = await ofProvider(
    all.filter(({ ref }) => wanted.subagents || !ref.parent),
    wanted.provider,
  );
  const end = (wanted.offset ?? 0) + (wanted.limit ?? Number.POSITIVE_INFINITY);
  const isNewest = (wanted.sort ?? "updated") === "updated";
  const rows: SessionSummary[] = [];
  for (const [at, one] of found.entries()) {
    // They come newest first, so a page of the newest needs no more files than it has rows.
    if (rows.length >= end && isNewest && !isFiltered(wanted)) break;
    const row = await summarise(one);
    if (matches(row, wanted)) rows.push(row);
    watch.onRead?.(at + 1, found.length);
  }
  if (!isNewest) rows.sort(ORDERS[wanted.sort ?? "updated"]);
  const sessions = rows.slice(wanted.offset ?? 0, end);
  const total = isFiltered(wanted) ? rows.length : found.length;
  return { sessions, total, hasMore: end < total };
}

function isAsked(adapter: Adapter, wanted: Query): boolean {
  if (wanted.agents && !wanted.agents.includes(adapter.id)) return false;
  if (wanted.provider === undefined || adapter.badgeOf) return true;
  return [adapter.badge, adapter.provider].includes(wanted.provider);
}

/** A store that holds several providers' sessions is read for whose they are; the others are known by their agent. */
async function ofProvider(found: readonly Found[], provider: string | undefined): Promise<Found[]> {
  const kept: Found[] = [];
  for (const one of found) {
    const isMixed = provider !== undefined && one.adapter.badgeOf !== undefined;
    if (!isMixed || (await summarise(one)).provider === badgeOf(provider)) kept.push(one);
  }
  return kept;
}

function isFiltered({ project, model, since, errors, minCost }: Query): boolean {
  return [project, model, since, minCost].some((filter) => filter !== undefined) || errors === true;
}

function matches(row: SessionSummary, wanted: Query): boolean {
  if (wanted.project !== undefined && !isInside(row.project, wanted.project)) return false;
  if (wanted.model !== undefined && !row.model.toLowerCase().includes(wanted.model.toLowerCase()))
    return false;
  if (wanted.since && !(Date.parse(row.updated) >= wanted.since.getTime())) return false;
  if (wanted.errors && row.problems.length === 0) return false;
  return wanted.minCost === undefined || (row.cost ?? 0) >= wanted.minCost;
}

function isInside(path: string, folder: string): boolean {
  if (path === "") return false;
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== "..";
}

type Order = (a: SessionSummary, b: SessionSummary) => number;

const text =
  (pick: (row: SessionSummary) => string): Order =>
  (a, b) =>
    pick(a).localeCompare(pick(b)) || newest(a, b);
const most =
  (pick: (row: SessionSummary) => number): Order =>
  (a, b) =>
    pick(b) - pick(a) || newest(a, b);
const newest: Order = (a, b) => compare(b.updated, a.updated) || compare(a.id, b.id);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const ORDERS: Record<Sort, Order> = {
  updated: newest,
  created: (a, b) => compare(b.created, a.created) || newest(a, b),
  title: text(({ title }) => title),
  project: text(({ project }) => project),
  agent: text(({ agent }) => agent),
  model: text(({ model }) => model),
  messages: most(({ messageCount }) => messageCount),
  size: most(({ size }) => size),
  tokens: most(({ tokens }) => (tokens ? tokens.input + tokens.output : 0)),
  cost: most(({ cost }) => cost ?? 0),
};
