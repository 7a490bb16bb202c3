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

/** Every conversation that another provider ever took over, also where all of that was taken back. */
export async function lineages(batonHome: string): Promise<Lineage[]> {
  const { operations: all } = await operations(batonHome);
  const hops = all.flatMap(hopOf).toReversed();
  const switched = all.filter(({ facts }) => facts.switch !== undefined);
  const names = new Set(switched.flatMap(({ facts }) => facts.source ?? []));
  const found = [...names].map((name) => lineageAlong(hops, name));
  return [...new Map(found.map((lineage) => [lineage.root, lineage])).values()];
}

function lineageAlong(hops: readonly Hop[], name: string): Lineage {
  const root = rootOf(hops, name);
  const members = new Set([root]);
  const own: Hop[] = [];
  for (const hop of hops) {
    if (!members.has(hop.from)) continue;
    members.add(hop.to);
    own.push(hop);
  }
  return { root, hops: own };
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

function hopOf({ id, state, created, facts }: Operation): Hop[] {
  const { source, agent, originalId, path, kind } = facts;
  if (state !== "done" || source === undefined || !KINDS.has(kind)) return [];
  const { ends, ...own } = factsSchema.safeParse(facts).data ?? {};
  const to = `${agent}:${originalId}`;
  const fromPath = ends?.source.path;
  return [{ operation: id, from: source, to, path, fromPath, at: created, kind, ...own }];
}

/** A session that was restored from the archive is the same one. */
const KINDS = new Set(["resume", "fork", "return"]);

/** Back along what each session was made from. Turns that return extend a session that was there before. */
function rootOf(hops: readonly Hop[], name: string): string {
  const madeFrom = new Map<string, string>();
  // Whatever was first written under a name made the session; a return to an original comes later, or never did.
  for (const { from, to, kind } of hops) if (kind !== "return" && !madeFrom.has(to)) madeFrom.set(to, from);
  for (const { from, to } of hops)
    if (!madeFrom.has(to) && !isAncestor(madeFrom, to, from)) madeFrom.set(to, from);
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
