// The sessions that are one conversation: which one it began in and which it was carried into since, as the journal
// of operations says. However often it crosses, and wherever it returns to, it stays one lineage.
import { z } from "zod";
import { switchSchema } from "../session/schema.ts";
import type { Operation } from "../storage/journal.ts";
import { operations } from "../storage/operations.ts";

export type ProviderSwitch = z.infer<typeof switchSchema>;

export interface Hop {
  operation: string;
  /** `agent:originalId` of both ends. */
  from: string;
  to: string;
  /** The main file of the session that was written, and of the one it was made from. */
  path: string;
  fromPath?: string | undefined;
  at: string;
  kind: string;
  switch?: ProviderSwitch | undefined;
  /** The conversation as a file, as it was when this was done, and its title. */
  conversation?: string | undefined;
  title?: string | undefined;
}

export interface Lineage {
  /** The session that it began in. */
  root: string;
  /** Oldest first. */
  hops: readonly Hop[];
}

/** All sessions of it, in the order in which the conversation reached them. */
export function sessionsOf({ root, hops }: Lineage): string[] {
  return [...new Set([root, ...hops.map(({ to }) => to)])];
}

export async function lineageOf(batonHome: string, name: string): Promise<Lineage> {
  const { operations: all } = await operations(batonHome);
  return lineageIn(all, name);
}

/** `all`: newest first. */
export function lineageIn(all: readonly Operation[], name: string): Lineage {
  return lineageAlong(all.flatMap(hopOf).toReversed(), name);
}

/** Every conversation that another provider ever took over, also where all of that was taken back. `all`: newest first. */
export function lineagesIn(all: readonly Operation[]): Lineage[] {
  const hops = all.flatMap(hopOf).toReversed();
  const switched = all.filter(({ facts }) => facts.switch !== undefined);
  const madeFrom = madeFromIn(hops);
  const roots = new Set(
    switched.flatMap(({ facts }) => (facts.source ? rootOf(madeFrom, facts.source) : [])),
  );
  return lineagesAlong(hops, [...roots]);
}

function lineageAlong(hops: readonly Hop[], name: string): Lineage {
  const root = rootOf(madeFromIn(hops), name);
  return lineagesAlong(hops, [root])[0] ?? { root, hops: [] };
}

/** All of them at once. A session seldom belongs to more than one. */
function lineagesAlong(hops: readonly Hop[], roots: readonly string[]): Lineage[] {
  const found = roots.map((root) => ({ root, hops: [] as Hop[] }));
  const reached = new Map(found.map((lineage) => [lineage.root, new Set([lineage])]));
  for (const hop of hops) {
    const own = reached.get(hop.from);
    if (!own) continue;
    for (const lineage of own) lineage.hops.push(hop);
    reached.set(hop.to, new Set([...(reached.get(hop.to) ?? []), ...own]));
  }
  return found;
}

/**
 * The way of one session: those that it was made from, itself, and those that were made from it as long as there is one
 * way only.
 */
export function wayOf({ hops }: Lineage, name: string): string[] {
  const madeFrom = madeFromIn(hops);
  const way = new Set([name]);
  for (let at = madeFrom.get(name); at !== undefined && !way.has(at); at = madeFrom.get(at)) way.add(at);
  const ordered = [...way].toReversed();
  const made = Map.groupBy(madeFrom, ([, from]) => from);
  for (let at = name; ; ) {
    const [next, other] = made.get(at) ?? [];
    if (!next || other || way.has(next[0])) return ordered;
    [at] = next;
    way.add(at);
    ordered.push(at);
  }
}

/** What was made, later, from the session that an operation wrote: it refers to that one. Newest first. */
export async function madeFromOperation(batonHome: string, operation: Operation): Promise<Operation[]> {
  const { id, created, state, facts } = operation;
  if (state !== "done") return [];
  const name = `${facts.agent}:${facts.originalId}`;
  const { operations: all } = await operations(batonHome);
  return all.filter((one) => one.id !== id && one.created > created && hopOf(one)[0]?.from === name);
}

const factsSchema = z.object({
  switch: switchSchema.optional(),
  conversation: z.string().optional(),
  title: z.string().optional(),
  ends: z
    .object({ source: z.object({ path: z.string() }) })
    .optional()
    .catch(undefined),
});

const hopsOf = new WeakMap<Operation, Hop[]>();

/** An operation that was read once is the same one the next time. */
function hopOf(operation: Operation): Hop[] {
  const known = hopsOf.get(operation) ?? newHop(operation);
  hopsOf.set(operation, known);
  return known;
}

function newHop({ id, state, created, facts }: Operation): Hop[] {
  const { source, agent, originalId, path, kind } = facts;
  if (state !== "done" || source === undefined || !KINDS.has(kind)) return [];
  const { ends, ...own } = factsSchema.safeParse(facts).data ?? {};
  const to = `${agent}:${originalId}`;
  const fromPath = ends?.source.path;
  return [{ operation: id, from: source, to, path, fromPath, at: created, kind, ...own }];
}

/** A session that was restored from the archive is the same one. */
const KINDS = new Set(["resume", "fork", "return"]);

/** What each session was made from. Turns that return extend a session that was there before. */
function madeFromIn(hops: readonly Hop[]): Map<string, string> {
  const madeFrom = new Map<string, string>();
  // Whatever was first written under a name made the session; a return to an original comes later, or never did.
  for (const { from, to, kind } of hops) if (kind !== "return" && !madeFrom.has(to)) madeFrom.set(to, from);
  for (const { from, to } of hops)
    if (!madeFrom.has(to) && !isAncestor(madeFrom, to, from)) madeFrom.set(to, from);
  return madeFrom;
}

function rootOf(madeFrom: ReadonlyMap<string, string>, name: string): string {
  let root = name;
  const seen = new Set([root]);
  for (let from = madeFrom.get(root); from !== undefined && !seen.has(from); from = madeFrom.get(root)) {
    root = from;
    seen.add(root);
  }
  return root;
}

function isAncestor(madeFrom: ReadonlyMap<string, string>, ancestor: string, name: string): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = name; at !== undefined && !seen.has(at); at = madeFrom.get(at)) {
    if (at === ancestor) return true;
    seen.add(at);
  }
  return false;
}
