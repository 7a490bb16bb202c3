// Writes a session, or what is new of it, into an agent's store: change the dialect, apply, read back, record.
// Written once for everything that moves a session.
import type { Adapter, Command, Home, Target, WrittenRecord } from "../adapters/adapter.ts";
import { batchesOf } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { EntryType } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { apply } from "../storage/apply.ts";
import type { Change } from "../storage/changes.ts";
import type { Operation } from "../storage/journal.ts";
import { compare, compareEnd, type Ledger, newLedger, recordsOnly } from "./ledger.ts";
import type { ProviderSwitch } from "./lineage.ts";
import { marksIn } from "./marks.ts";
import { newReadBack } from "./read-back.ts";
import type { Recording } from "./record.ts";
import { type Standing, standingAfter } from "./standing.ts";

/** What is to be written, and where. */
export interface Performance {
  stream: Stream;
  to: Adapter;
  target: Target;
  batonHome: string;
  facts: Facts;
  model?: string;
  /** Analyse only: everything but the disk. */
  dryRun?: boolean;
  /** Go on although content would be missing. */
  yes?: boolean;
  /** Entries that were edited: a writer that cannot say one of them must not go on. */
  edited?: readonly string[];
  /** Where what is written is entered as it goes by, for whoever wants to know before the end. */
  ledger?: Ledger;
  /** What else is written with the session, and goes with it when that is taken back. */
  recording?: Recording | undefined;
}

/** What the operation keeps, besides what it wrote. */
export interface Facts {
  kind: "resume" | "fork" | "return";
  source: string;
  reason?: string;
  /** The session it was made from, as it stood; absent for a file. */
  stood?: Standing;
  /** How many entries the extended session had before. */
  before?: number;
  /** Folders that were renamed on the way, old and new. */
  remapped?: readonly (readonly [string, string])[];
  /** Entries were taken out or replaced on the way. */
  edited?: boolean;
  /** Another provider took over. */
  switch?: ProviderSwitch;
  title?: string;
  /** What was asked for: the same again need not be written again. */
  asked?: string;
  /** Tokens of what is written, as far as they were counted. */
  after?: number;
}

export interface Carried {
  agent: string;
  originalId: string;
  path: string;
  command: Command;
  losses: Loss[];
  counts: Record<EntryType, number>;
  /** The journaled operation that undo takes back; null after a dry run. */
  operation: string | null;
  /** The conversation as a file, as it was at this moment. */
  backup: string | null;
  /** It was there already, as it would be now. */
  isReused?: boolean;
  /** What could not be done beside it, a sentence each. */
  problems?: string[];
}

export async function perform(performance: Performance): Promise<Carried> {
  const { to, target, stream, model } = performance;
  const able = writerOf(to);
  const { ledger = newLedger() } = performance;
  const records = recordsOnly(able.write(stream, target), ledger);
  const check = () => refuse(performance, ledger, [...stream.losses, ...ledger.losses]);
  const operation = performance.dryRun
    ? await drain(records, check)
    : await applyAndReadBack(performance, able.plan(records, target), ledger, check);
  return {
    agent: to.id,
    originalId: target.originalId,
    path: able.pathOf(target),
    command: commandFor(able, target, model),
    losses: [...stream.losses, ...ledger.losses],
    counts: ledger.counts,
    operation,
    backup: operation === null ? null : (performance.recording?.path ?? null),
  };
}

type Writer = Adapter & Required<Pick<Adapter, "write" | "plan" | "pathOf" | "resumeCommand">>;

export function writerOf(to: Adapter): Writer {
  const { write, plan, pathOf, resumeCommand } = to;
  if (write && plan && pathOf && resumeCommand) return { ...to, write, plan, pathOf, resumeCommand };
  throw new BatonError("unsupported", `Baton cannot write ${to.label} sessions yet.`, "Pick another agent.");
}

export function commandFor(
  to: Writer,
  { originalId, cwd, home }: Pick<Target, "originalId" | "cwd" | "home">,
  model: string | undefined,
): Command {
  const options: { home: Home; model?: string } = { home, ...(model !== undefined && { model }) };
  return to.resumeCommand(originalId, { project: { path: cwd } }, options);
}

/** Stops before anything reaches the store. */
function refuse({ to, yes, edited = [] }: Performance, { counts }: Ledger, losses: readonly Loss[]): void {
  if (counts.user + counts.assistant + counts.tool_call + counts.compaction === 0)
    throw new BatonError(
      "refused",
      "There is nothing to carry: this session holds no message that a model would see.",
      "Pick another session; `baton list` shows how many messages each one has.",
    );
  const missing = losses.filter(
    ({ kind, severity, at }) =>
      severity === "error" || (kind === "edit_ignored" && edited.includes(at.entry ?? "")),
  );
  if (missing.length === 0 || yes) return;
  const listed = missing.slice(0, 5).map(({ kind, detail }) => `  ${kind}: ${detail}`);
  throw new BatonError(
    "refused",
    `${missing.length} thing(s) would be missing in ${to.label}:\n${listed.join("\n")}`,
    "Look at all of them with --dry-run --json, or go on with --yes.",
  );
}

async function drain(records: AsyncIterable<WrittenRecord>, check: () => void): Promise<null> {
  for await (const _ of batchesOf(records));
  check();
  return null;
}

async function* both<T>(first: AsyncIterable<T>, second: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* second;
}

async function applyAndReadBack(
  { to, target, batonHome, facts, recording }: Performance,
  changes: AsyncIterable<Change>,
  ledger: Ledger,
  check: () => void,
): Promise<string> {
  const path = to.pathOf?.(target) ?? "";
  const back = newReadBack(to, { path, originalId: target.originalId });
  const ends: { source?: Standing; target?: Standing } = { ...(facts.stood && { source: facts.stood }) };
  try {
    const operation = await apply(recording ? both(changes, recording.changes) : changes, {
      batonHome,
      facts: {
        ...operationFacts(to, target, path, facts),
        ...(recording && { conversation: recording.path }),
        ends,
        counts: ledger.counts,
      },
      onWritten: (file, staged, size) => {
        if (file === path) back.grew(staged, size);
      },
      async readBack(staged) {
        check();
        for (const [file, meant] of ledger.marks) {
          const at = to.pathOf?.(target, file) ?? path;
          const other = { path: at, staged: staged(at), originalId: target.originalId };
          const found = at === path ? await back.marks(staged(path)) : await marksIn(to.fold, other);
          if (target.onto && at === path) compareEnd(to, meant, found);
          else compare(to, meant, found);
          // The journal is saved once more when all of it is visible.
          // Reading back counts what a log holds, also versions of a message that count no more.
          const entries = target.onto ? (facts.before ?? 0) + meant.length : found.length;
          if (at === path) ends.target = standingAfter(path, entries, meant);
        }
      },
    });
    return operation.id;
  } finally {
    await back.close();
  }
}

function operationFacts(to: Adapter, target: Target, path: string, facts: Facts): Operation["facts"] {
  const { kind, source, reason, remapped, edited, switch: made, title, asked, after } = facts;
  return {
    kind,
    agent: to.id,
    originalId: target.originalId,
    path,
    source,
    ...(reason !== undefined && { reason }),
    ...(remapped && remapped.length > 0 && { remapped }),
    ...(edited && { edited }),
    ...(made && { switch: made }),
    ...(title !== undefined && { title }),
    ...(asked !== undefined && { asked }),
    ...(after !== undefined && { after }),
  };
}
