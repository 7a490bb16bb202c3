// Which session another one was made from, and how both stood when they last had the same turns: what the journal
// of operations says, through forks in the same agent.
import { z } from "zod";
import { BatonError } from "../session/error.ts";
import type { Header } from "../session/session.ts";
import type { Operation } from "../storage/journal.ts";
import { operations } from "../storage/operations.ts";
import { nameOf } from "./name.ts";
import { type Standing, standingSchema } from "./standing.ts";

export interface Origin {
  agent: string;
  originalId: string;
  /** The session that was asked about, as it stood then. */
  here: Standing;
  /** The original, as it stood then. */
  there: Standing;
  /** Folders that were renamed on the way here. */
  remapped: readonly (readonly [string, string])[];
  /** Entries were taken out or replaced on the way here, which the original still has as they were. */
  edited: boolean;
}

export async function originOf(batonHome: string, header: Header): Promise<Origin> {
  const done = await doneIn(batonHome);
  const found = findOrigin(done, header);
  if (found) return found;
  throw unknown(done, header);
}

/** The same for a session that need not have one. */
export async function originIfAny(batonHome: string, header: Header): Promise<Origin | undefined> {
  return findOrigin(await doneIn(batonHome), header);
}

async function doneIn(batonHome: string): Promise<Operation[]> {
  const { operations: all } = await operations(batonHome);
  return all.filter(({ state }) => state === "done");
}

function findOrigin(done: readonly Operation[], header: Header): Origin | undefined {
  const seen = new Set<string>();
  let edited = false;
  for (let names = [nameOf(header)]; names.length > 0; ) {
    for (const name of names) {
      const found = newest(done, name);
      if (found) return { ...found, edited: found.edited || edited };
      edited ||= done.some(({ facts }) => isEdited(facts) && `${facts.agent}:${facts.originalId}` === name);
      seen.add(name);
    }
    names = names.flatMap((name) => copiedFrom(done, name, header)).filter((name) => !seen.has(name));
  }
  return undefined;
}

/** The last time that this session and its original had the same turns: when it was made, or returned. */
function newest(done: readonly Operation[], name: string): Origin | undefined {
  for (const { facts } of done) {
    const { source = "", agent, originalId } = facts;
    const ends = endsOf(facts);
    const isReturned = facts.kind === "return" && source === name;
    const isMade = facts.kind !== "return" && `${agent}:${originalId}` === name && agentOf(source) !== agent;
    if (!ends || (!isReturned && !isMade)) continue;
    const remapped = remappedSchema.safeParse(facts.remapped).data ?? [];
    const common = { remapped, edited: isEdited(facts) };
    if (isReturned) return { agent, originalId, here: ends.source, there: ends.target, ...common };
    const original = { agent: agentOf(source), originalId: source.slice(agentOf(source).length + 1) };
    return { ...original, here: ends.target, there: ends.source, ...common };
  }
  return undefined;
}

const endsSchema = z.object({ source: standingSchema, target: standingSchema });
const remappedSchema = z.array(z.tuple([z.string(), z.string()]));

function endsOf({ ends }: Operation["facts"]): z.infer<typeof endsSchema> | undefined {
  return endsSchema.safeParse(ends).data;
}

function isEdited({ edited }: Operation["facts"]): boolean {
  return edited === true;
}

function agentOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(":")));
}

/** Sessions of the same agent that this one is a copy of, made by us or by the agent itself. */
function copiedFrom(done: readonly Operation[], name: string, header: Header): string[] {
  const ours = done.flatMap(({ facts }) =>
    `${facts.agent}:${facts.originalId}` === name && facts.source ? [facts.source] : [],
  );
  const own = name === nameOf(header) ? (header.links ?? []) : [];
  const native = own.flatMap(({ type, session }) => (type === "fork_of" ? [session] : []));
  return [...ours, ...native].filter((source) => agentOf(source) === agentOf(name));
}

function unknown(done: readonly Operation[], header: Header): BatonError {
  const name = nameOf(header);
  const elsewhere = done.flatMap(({ facts }) =>
    facts.kind !== "return" && facts.source === name ? [`${facts.agent}:${facts.originalId}`] : [],
  );
  const listed = elsewhere.map((session) => `\n  baton return ${session}`).join("");
  if (elsewhere.length > 0)
    return new BatonError(
      "refused",
      `${name} is an original: nothing can be returned from it.`,
      `Return the session it was carried into:${listed}`,
    );
  const made = done.find(
    ({ facts }) => facts.kind !== "return" && `${facts.agent}:${facts.originalId}` === name,
  );
  if (made && agentOf(made.facts.source ?? "") === made.facts.agent)
    return new BatonError(
      "refused",
      `${name} is a fork of ${made.facts.source}, of the same agent: each goes its own way.`,
      "Resume either of them; `baton resume SESSION --in AGENT` carries one into another agent.",
    );
  if (made)
    return new BatonError(
      "refused",
      `Baton made ${name} from ${made.facts.source ?? "a file"}, but did not note which session that was.`,
      "`baton resume SESSION --in AGENT` carries all of it into a new session there.",
    );
  return new BatonError(
    "refused",
    `${name} was not carried here from another agent, so there is nothing to return to.`,
    "`baton resume SESSION --in AGENT` carries it there; `baton operations` lists what was carried.",
  );
}
