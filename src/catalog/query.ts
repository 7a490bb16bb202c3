// Which sessions a list shows: filters, order and paging over the catalog.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type Overrides, readOverrides } from "../models/overrides.ts";
import { sessionId } from "../session/id.ts";
import { badgeOf } from "../session/vendor.ts";
import type { Catalog } from "./catalog.ts";
import type { IsHere } from "./here.ts";
import { recordedCost, type SessionSummary } from "./scan.ts";
import type { SessionCosts } from "./usage/session-costs.ts";

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
  /** A part of the model's id or of the name that the list shows. */
  model?: string;
  since?: Date;
  /** Only sessions whose files have a problem. */
  errors?: boolean;
  /** US dollars. */
  minCost?: number;
  subagents?: boolean;
  /** Sessions whose native file is gone, too. */
  archived?: boolean;
  sort?: Sort;
  limit?: number;
  offset?: number;
}

export interface Page {
  sessions: SessionSummary[];
  total: number;
  hasMore: boolean;
}

export interface Facts {
  /** Absent = as models.json has them, or nothing when that is damaged. */
  models?: Overrides;
  /** Absent = only what an agent wrote down for a session as a whole. */
  costs?: SessionCosts;
  /** Absent = every session that is gone is one of this home. */
  isHere?: IsHere;
  /** How many match, where that is known; absent = they are counted. */
  total?: number;
}

/** The sessions that a list shows, from what the catalog knows. */
export function listSessions(catalog: Catalog, wanted: Query, facts: Facts = {}): Page {
  const { sort = "updated", offset = 0, limit = Number.POSITIVE_INFINITY, minCost } = wanted;
  const end = offset + limit;
  const displayName = oncePerId((facts.models ?? namesIn(catalog)).displayName);
  const { where, values } = conditions(wanted, () => modelsNamed(catalog, wanted.model ?? "", displayName));
  const isNewest = sort === "updated" && minCost === undefined && !wanted.archived;
  // Of each shard no more of the newest are needed than are shown in all.
  const page = isNewest && Number.isFinite(end) ? `ORDER BY updated DESC, id LIMIT ${Math.floor(end)}` : "";
  const rows: Listed[] = [];
  let total = 0;
  for (const [number, shard] of catalog.shards.entries()) {
    const found = shard.prepare(`SELECT ${COLUMNS} FROM session WHERE ${where} ${page}`).all(...values);
    for (const row of found as unknown as Row[]) {
      if (facts.isHere && !facts.isHere(row)) continue;
      const summary = summaryOf(row, displayName, costOf(row, number, facts.costs));
      if (minCost === undefined || (summary.cost ?? 0) >= minCost) rows.push({ summary, time: row.updated });
    }
    if (page !== "" && facts.total === undefined) total += countOf(shard, where, values);
  }
  if (page === "") total = rows.length;
  total = facts.total ?? total;
  rows.sort(ORDERS[sort]);
  const sessions = rows.slice(offset, end).map(({ summary }) => summary);
  return { sessions, total, hasMore: end < total };
}

/** The condition that a session's project is this folder or below, and its values. */
export function inFolder(project: string): [condition: string, ...values: SQLInputValue[]] {
  const folder = project.replace(/[\\/]+$/, "");
  // SQLite counts whole characters, of which some are two here.
  const length = [...folder].length + 1;
  return ["(project = ? OR substr(project, 1, ?) IN (?, ?))", folder, length, `${folder}/`, `${folder}\\`];
}

/** The folders that sessions were in. */
export function projectsIn(catalog: Catalog): string[] {
  const found = catalog.shards.flatMap((shard) => shard.prepare(NEXT_PROJECT).all());
  return [...new Set(found.map(({ value }) => String(value)))];
}

/** From each to the next by the index, instead of over all rows. */
const NEXT_PROJECT = `WITH RECURSIVE next(value) AS (
  SELECT min(project) FROM session WHERE project > ''
  UNION ALL
  SELECT (SELECT min(project) FROM session WHERE project > value) FROM next WHERE value IS NOT NULL
) SELECT value FROM next WHERE value IS NOT NULL`;

/** A row without files is that of a session whose first piece is being read. */
export const IS_READ = "files != '[]'";

/** Whose badges they carry. */
export function providersIn(catalog: Catalog): string[] {
  return valuesIn(catalog, "provider");
}

function valuesIn(catalog: Catalog, column: "provider" | "model"): string[] {
  const found = catalog.shards.flatMap((shard) =>
    shard.prepare(`SELECT DISTINCT ${column} AS value FROM session WHERE ${column} != ''`).all(),
  );
  return [...new Set(found.map(({ value }) => String(value)))];
}

function countOf(shard: DatabaseSync, where: string, values: SQLInputValue[]): number {
  return Number(shard.prepare(`SELECT count(*) AS count FROM session WHERE ${where}`).get(...values)?.count);
}

/** There are few models, and many sessions with each. */
function oncePerId(nameOf: (model: string) => string): (model: string) => string {
  const names = new Map<string, string>();
  return (model) => {
    const name = names.get(model) ?? nameOf(model);
    names.set(model, name);
    return name;
  };
}

function namesIn({ batonHome }: Catalog): Overrides {
  return readOverrides(batonHome, () => undefined);
}

/** All spellings that hold the words, in the id or in the name that is shown. */
export function modelsNamed(
  catalog: Catalog,
  words: string,
  displayName: (model: string) => string = namesIn(catalog).displayName,
): string[] {
  const wanted = words.trim().toLowerCase();
  return valuesIn(catalog, "model").filter((model) =>
    [model, displayName(model)].some((name) => name.toLowerCase().includes(wanted)),
  );
}

function costOf(row: Row, shard: number, costs: SessionCosts | undefined): CostFacts {
  if (!costs) return recordedCost(row.cost);
  const { dollars = null, kind = null, unpriced = 0 } = costs[shard]?.get(row.key) ?? {};
  return { cost: dollars, costKind: kind, ...(unpriced > 0 && { unpricedMessages: unpriced }) };
}

type CostFacts = Pick<SessionSummary, "cost" | "costKind" | "unpricedMessages">;

const COLUMNS = `key, id, agent, original_id, provider, title, summary, project, model, messages, created, updated, path,
  size, tokens, cost, problems, parent, gone`;

interface Row {
  key: number;
  id: string;
  agent: string;
  original_id: string;
  provider: string;
  title: string;
  summary: string;
  project: string;
  model: string;
  messages: number;
  created: string;
  updated: number;
  path: string;
  size: number;
  tokens: string | null;
  cost: number | null;
  problems: string;
  parent: string | null;
  gone: number | null;
}

function summaryOf(row: Row, displayName: (model: string) => string, cost: CostFacts): SessionSummary {
  const { id, agent, original_id: originalId, provider, title, summary, project, model, messages } = row;
  const { created, updated, path, size, tokens, problems, parent, gone } = row;
  return {
    ...{ id, agent, originalId, provider, title, summary, project, model },
    modelDisplay: displayName(model),
    messageCount: messages,
    created,
    updated: new Date(updated).toISOString(),
    path,
    size,
    tokens: tokens === null ? null : (JSON.parse(tokens) as SessionSummary["tokens"]),
    ...cost,
    problems: problems === "[]" ? [] : (JSON.parse(problems) as string[]),
    ...(parent !== null && { parent: sessionId(agent, parent) }),
    ...(gone !== null && { gone: new Date(gone).toISOString() }),
  };
}

function conditions(wanted: Query, models: () => string[]): { where: string; values: SQLInputValue[] } {
  const parts = [IS_READ];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: SQLInputValue[]) => {
    parts.push(condition);
    values.push(...given);
  };
  const { agents, provider, project, model, since, errors, subagents, archived } = wanted;
  const addAny = (column: string, given: readonly string[]) =>
    add(`${column} IN (${given.map(() => "?").join()})`, ...given);
  if (agents) addAny("agent", agents);
  if (provider !== undefined) add("provider = ?", badgeOf(provider));
  if (project !== undefined) add(...inFolder(project));
  if (model !== undefined) addAny("model", models());
  if (since) add("updated >= ?", since.getTime());
  if (errors) add("problems != '[]'");
  if (!subagents) add("parent IS NULL");
  if (!archived) add("gone IS NULL");
  return { where: parts.join(" AND "), values };
}

/** The time is that of the database, which the text has less exactly: both have to order alike. */
interface Listed {
  summary: SessionSummary;
  time: number;
}

type Order = (a: Listed, b: Listed) => number;

const text =
  (pick: (row: SessionSummary) => string): Order =>
  (a, b) =>
    pick(a.summary).localeCompare(pick(b.summary)) || newest(a, b);
const most =
  (pick: (row: SessionSummary) => number): Order =>
  (a, b) =>
    pick(b.summary) - pick(a.summary) || newest(a, b);
const newest: Order = (a, b) => b.time - a.time || compare(a.summary.id, b.summary.id);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const ORDERS: Record<Sort, Order> = {
  updated: newest,
  created: (a, b) => compare(b.summary.created, a.summary.created) || newest(a, b),
  title: text(({ title }) => title),
  project: text(({ project }) => project),
  agent: text(({ agent }) => agent),
  model: text(({ model }) => model),
  messages: most(({ messageCount }) => messageCount),
  size: most(({ size }) => size),
  tokens: most(({ tokens }) => (tokens ? tokens.input + tokens.output : 0)),
  cost: most(({ cost }) => cost ?? 0),
};
