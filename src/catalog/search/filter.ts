// What a search is narrowed to, as conditions on the rows of `entry` (e) and `session`.
import type { SQLInputValue } from "node:sqlite";
import { inFolder } from "../query.ts";
import { SCOPES, type Scope } from "../schema.ts";
import { sinceOf } from "../since.ts";
import type { Filter } from "./query.ts";

export interface Narrowing {
  scopes?: readonly Scope[];
  agents?: readonly string[];
  /** A folder: sessions in it or below. */
  project?: string;
  since?: Date;
}

export interface Conditions {
  where: string[];
  values: SQLInputValue[];
}

/** `modelsNamed`: the models whose id, or the name that is shown, has the words in it. */
export function conditionsOf(
  filters: readonly Filter[],
  { scopes, agents, project, since }: Narrowing,
  modelsNamed: (words: string) => readonly string[],
): Conditions {
  const entry: Condition[] = [];
  const session: Condition[] = [];
  if (scopes) entry.push(scopeIn(scopes));
  if (agents) session.push(anyOf("agent", agents));
  if (project !== undefined) session.push(inFolder(project));
  if (since) session.push(["updated >= ?", since.getTime()]);
  for (const filter of filters) {
    const [condition, ...values] = conditionOf(filter, modelsNamed);
    const target = ["scope", "tool", "file"].includes(filter.name) ? entry : session;
    target.push([filter.isExcluded ? `NOT (${condition})` : condition, ...values]);
  }
  // A list of the sessions is made once; asking each text's session would be a look-up for every one.
  if (session.length > 0)
    entry.push([
      `e.session IN (SELECT key FROM session WHERE ${session.map(([condition]) => condition).join(" AND ")})`,
      ...session.flatMap(([, ...values]) => values),
    ]);
  return {
    where: entry.map(([condition]) => condition),
    values: entry.flatMap(([, ...values]) => values),
  };
}

type Condition = [sql: string, ...values: SQLInputValue[]];

function conditionOf({ name, values }: Filter, modelsNamed: (words: string) => readonly string[]): Condition {
  switch (name) {
    case "agent":
      return anyOf("agent", values);
    case "scope":
      return scopeIn(values);
    case "project":
      return any(values.map((value) => ["instr(lower(project), ?) > 0", lower(value)]));
    case "model":
      return anyOf("model", values.flatMap(modelsNamed));
    case "since":
      return any(values.map((value) => ["updated >= ?", sinceOf(value)?.getTime() ?? 0]));
    case "file":
      return named("file", any(values.map((value) => ["instr(lower(value), ?) > 0", lower(value)])));
    case "tool":
      return named("tool", any(values.map(isTool)));
  }
}

function any(conditions: readonly Condition[]): Condition {
  const [sql, values] = [conditions.map(([one]) => one), conditions.flatMap(([, ...own]) => own)];
  return [`(${sql.join(" OR ")})`, ...values];
}

function anyOf(column: string, values: readonly string[]): Condition {
  return [`${column} IN (${values.map(() => "?").join()})`, ...values];
}

function scopeIn(scopes: readonly string[]): Condition {
  const numbers = scopes.map((scope) => (SCOPES as readonly string[]).indexOf(scope));
  return [`e.scope IN (${numbers.join()})`];
}

/** Texts that are about no tool and no file have a number that no name has. */
function named(column: "tool" | "file", [sql, ...values]: Condition): Condition {
  return [`coalesce(e.${column}, -1) IN (SELECT key FROM name WHERE ${sql})`, ...values];
}

/** A tool's names stand in lines of their own: the universal one, and the agent's. */
function isTool(value: string): Condition {
  const line = (names: string) => `instr(char(10) || lower(value) || char(10), char(10) || ${names}) > 0`;
  return value.endsWith("*") ? [line("?"), lower(value.slice(0, -1))] : [line("? || char(10)"), lower(value)];
}

/** SQLite's `lower` knows ASCII only. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}
