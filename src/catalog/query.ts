// Which sessions a list shows: filters, order and paging over the catalog.
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { readOverrides } from "../models/overrides.ts";
import { sessionId } from "../session/id.ts";
import { badgeOf } from "../session/vendor.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionSummary } from "./scan.ts";

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

/** The sessions that a list shows, from what the catalog knows. */
export function listSessions(catalog: Catalog, wanted: Query): Page {
  const { sort = "updated", offset = 0, limit = Number.POSITIVE_INFINITY } = wanted;
  const end = offset + limit;
  const { where, values } = conditions(wanted);
  const isNewest = sort === "updated";
  // Of each shard no more of the newest are needed than are shown in all.
  const page = isNewest && Number.isFinite(end) ? `ORDER BY updated DESC, id LIMIT ${Math.floor(end)}` : "";
  const rows: SessionSummary[] = [];
  const { displayName } = readOverrides(dirname(catalog.folder));
  let total = 0;
  for (const shard of catalog.shards) {
    const found = shard.prepare(`SELECT ${COLUMNS} FROM session WHERE ${where} ${page}`).all(...values);
    for (const row of found) rows.push(summaryOf(row as unknown as Row, displayName));
    if (page === "") total += found.length;
    else total += countOf(shard, where, values);
  }
  rows.sort(ORDERS[sort]);
  return { sessions: rows.slice(offset, end), total, hasMore: end < total };
}

/** The folders that sessions were in. */
export function projectsIn(catalog: Catalog): string[] {
  return catalog.shards.flatMap((shard) =>
    shard
      .prepare("SELECT DISTINCT project FROM session WHERE project != ''")
      .all()
      .map(({ project }) => String(project)),
  );
}

function countOf(shard: DatabaseSync, where: string, values: SQLInputValue[]): number {
  return Number(shard.prepare(`SELECT count(*) AS count FROM session WHERE ${where}`).get(...values)?.count);
}

const COLUMNS = `id, agent, original_id, provider, title, summary, project, model, messages, created, updated, path,
  size, tokens, cost, problems, parent, gone`;

interface Row {
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

function summaryOf(row: Row, displayName: (model: string) => string): SessionSummary {
  const { id, agent, original_id: originalId, provider, title, summary, project, model, messages } = row;
  const { created, updated, path, size, tokens, cost, problems, parent, gone } = row;
  return {
    ...{ id, agent, originalId, provider, title, summary, project, model },
    modelDisplay: displayName(model),
    messageCount: messages,
    created,
    updated: new Date(updated).toISOString(),
    path,
    size,
    tokens: tokens === null ? null : (JSON.parse(tokens) as SessionSummary["tokens"]),
    cost,
    problems: problems === "[]" ? [] : (JSON.parse(problems) as string[]),
    ...(parent !== null && { parent: sessionId(agent, parent) }),
    ...(gone !== null && { gone: new Date(gone).toISOString() }),
  };
}

function conditions(wanted: Query): { where: string; values: SQLInputValue[] } {
  // A row without a time is that of a session whose first piece is being read.
  const parts = ["updated > 0"];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: SQLInputValue[]) => {
    parts.push(condition);
    values.push(...given);
  };
  const { agents, provider, project, model, since, errors, minCost, subagents, archived } = wanted;
  if (agents) add(`agent IN (${agents.map(() => "?").join()})`, ...agents);
  if (provider !== undefined) add("provider = ?", badgeOf(provider));
  if (project !== undefined) {
    const folder = project.replace(/[\\/]+$/, "");
    add(
      "(project = ? OR substr(project, 1, ?) IN (?, ?))",
      folder,
      folder.length + 1,
      `${folder}/`,
      `${folder}\\`,
    );
  }
  if (model !== undefined) add("instr(lower(model), ?) > 0", model.toLowerCase());
  if (since) add("updated >= ?", since.getTime());
  if (errors) add("problems != '[]'");
  if (minCost !== undefined) add("coalesce(cost, 0) >= ?", minCost);
  if (!subagents) add("parent IS NULL");
  if (!archived) add("gone IS NULL");
  return { where: parts.join(" AND "), values };
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
