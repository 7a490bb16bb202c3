// The same switch once more: where the session, what was asked for and what was written are as they were, there is
// nothing to write, and the agent can be started again.
import type { Adapter, Home, SessionRef } from "../adapters/adapter.ts";
import type { Source } from "../session/source.ts";
import type { Operation } from "../storage/journal.ts";
import { operations } from "../storage/operations.ts";
import { recover } from "../storage/recover.ts";
import { isAsWritten } from "../storage/undo.ts";
import { type Move, movedPath } from "../transform/remap.ts";
import { nameOf } from "./name.ts";
import { type Carried, commandFor, writerOf } from "./perform.ts";
import { type Standing, standingOf } from "./standing.ts";

interface Again {
  source: Source;
  from?: SessionRef | undefined;
  to: Adapter;
  home: Home;
  batonHome: string;
  asked?: string;
  cwd?: string;
  moves?: readonly Move[];
  model?: string;
  /** Nothing is to be written, not even what an interrupted operation has left to do. */
  dryRun?: boolean;
}

export interface Reused extends Carried {
  /** Tokens of what was written. */
  after: number | undefined;
}

export async function carriedBefore(request: Again): Promise<Reused | undefined> {
  if (!request.from) return undefined;
  // One that was cut off when all of it was there is as good as any other.
  if (!request.dryRun) await recover(request.batonHome);
  const { operations: all } = await operations(request.batonHome);
  if (!all.some(({ facts }) => facts.asked === request.asked)) return undefined;
  const stood = await standingOf(request.source, request.from);
  const name = nameOf(request.source.header);
  const found = all.find((one) => isSame(one, request, name, stood));
  if (!found || !(await isAsWritten(found))) return undefined;
  return carriedOf(found, request);
}

function isSame({ state, facts }: Operation, { to, asked }: Again, name: string, stood: Standing): boolean {
  const ends = facts.ends as { source?: Standing } | undefined;
  return (
    state === "done" &&
    facts.source === name &&
    facts.agent === to.id &&
    facts.asked === asked &&
    JSON.stringify(ends?.source) === JSON.stringify(stood)
  );
}

function carriedOf(
  { id, facts }: Operation,
  { to, home, model, source, cwd, dryRun, moves = [] }: Again,
): Reused {
  const { originalId, path } = facts;
  const folder = cwd ?? movedPath(source.header.project.path, moves);
  return {
    agent: to.id,
    originalId,
    path,
    command: commandFor(writerOf(to), { originalId, cwd: folder, home }, model),
    losses: [],
    counts: facts.counts as Carried["counts"],
    operation: dryRun ? null : id,
    after: typeof facts.after === "number" ? facts.after : undefined,
    backup: typeof facts.conversation === "string" ? facts.conversation : null,
    isReused: true,
  };
}
