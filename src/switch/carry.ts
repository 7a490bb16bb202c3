// Carries a session into an agent: prepare the content, change the dialect, apply it to the store, read it
// back. Written once for resume, fork and whatever moves a session next.
import type { Adapter, Command, Home, Target, WrittenRecord } from "../adapters/adapter.ts";
import { batchesOf } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { EntryType } from "../session/session.ts";
import type { Range, Source, Stream } from "../session/source.ts";
import { apply } from "../storage/apply.ts";
import type { Change } from "../storage/changes.ts";
import { thread, visible } from "../transform/visible.ts";
import { compare, type Ledger, newLedger, recordsOnly, UnlikeError } from "./ledger.ts";
import { marksIn } from "./marks.ts";
import { prepare } from "./prepare.ts";
import { newReadBack } from "./read-back.ts";

export interface CarryRequest {
  source: Source;
  to: Adapter;
  home: Home;
  batonHome: string;
  /** Where the session goes on; absent = where it was. */
  cwd?: string;
  model?: string;
  history?: "visible" | "full";
  thinking?: "drop" | "convert";
  kind: "resume" | "fork";
  /** Why, for the record. */
  reason?: string;
  /** Analyse only: everything but the disk. */
  dryRun?: boolean;
  /** Go on although content would be missing. */
  yes?: boolean;
  now?: Date;
  installed?: { version: string; path: string } | undefined;
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
  backup: string | null;
}

export async function carry(request: CarryRequest): Promise<Carried> {
  // What is not written is not read back, so damage inside a long text has to show at once.
  if (request.dryRun) return attempt(request, "whole");
  try {
    return await attempt(request, "referenced");
  } catch (error) {
    // Damage inside a text that only passed through shows when it is read back. Read whole, it is reported.
    if (!(error instanceof UnlikeError) || isOwn(request)) throw error;
    return attempt(request, "whole");
  }
}

async function attempt(request: CarryRequest, texts: Range["texts"]): Promise<Carried> {
  const { to } = request;
  if (!to.write || !to.plan || !to.pathOf || !to.resumeCommand)
    throw new BatonError(
      "unsupported",
      `Baton cannot write ${to.label} sessions yet.`,
      "Pick another agent.",
    );
  const target = await targetOf(request);
  const stream = streamFor(request, texts);
  const ledger = newLedger();
  const records = recordsOnly(to.write(stream, target), ledger);
  const check = () => refuse(request, ledger, [...stream.losses, ...ledger.losses]);
  const path = to.pathOf(target);
  const operation = request.dryRun
    ? await drain(records, check)
    : await applyAndReadBack(request, target, to.plan(records, target), ledger, check);
  const options = { home: request.home, ...(request.model !== undefined && { model: request.model }) };
  return {
    agent: to.id,
    originalId: target.originalId,
    path,
    command: to.resumeCommand(target.originalId, { project: { path: target.cwd } }, options),
    losses: [...stream.losses, ...ledger.losses],
    counts: ledger.counts,
    operation,
    backup: null,
  };
}

async function targetOf(request: CarryRequest): Promise<Target> {
  const { source, to, home } = request;
  const cwd = request.cwd ?? source.header.project.path;
  if (cwd === "")
    throw new BatonError(
      "refused",
      "This session does not say which folder it belongs to.",
      "Name the folder to go on in with --cwd DIR.",
    );
  return {
    home,
    originalId: to.newId?.() ?? crypto.randomUUID(),
    cwd,
    version: request.installed?.version ?? to.proven.at(-1) ?? "0.0.0",
    now: request.now ?? new Date(),
    configuration: await to.configuration(home),
    ...(request.model !== undefined && { model: request.model }),
    ...(source.header.title !== undefined && { title: source.header.title }),
  };
}

function isOwn({ source, to }: CarryRequest): boolean {
  return source.header.source.cli === to.id;
}

/** The same agent gets its own records back; another one gets what the model sees, prepared for it. */
function streamFor(request: CarryRequest, texts: Range["texts"]): Stream {
  const { source, history = "visible", thinking = "drop" } = request;
  return isOwn(request) ? thread(source) : prepare(visible(source, { history, texts }), { thinking });
}

/** Stops before anything reaches the store. */
function refuse(request: CarryRequest, ledger: Ledger, losses: readonly Loss[]): void {
  const { counts } = ledger;
  if (counts.user + counts.assistant + counts.tool_call + counts.compaction === 0)
    throw new BatonError(
      "refused",
      "There is nothing to carry: this session holds no message that a model would see.",
      "Pick another session; `baton list` shows how many messages each one has.",
    );
  const missing = losses.filter(({ severity }) => severity === "error");
  if (missing.length === 0 || request.yes) return;
  const listed = missing.slice(0, 5).map(({ kind, detail }) => `  ${kind}: ${detail}`);
  throw new BatonError(
    "refused",
    `${missing.length} thing(s) would be missing in ${request.to.label}:\n${listed.join("\n")}`,
    "Look at all of them with --dry-run --json, or go on with --yes.",
  );
}

async function drain(records: AsyncIterable<WrittenRecord>, check: () => void): Promise<null> {
  for await (const _ of batchesOf(records));
  check();
  return null;
}

async function applyAndReadBack(
  request: CarryRequest,
  target: Target,
  changes: AsyncIterable<Change>,
  ledger: Ledger,
  check: () => void,
): Promise<string> {
  const { to, source } = request;
  const path = to.pathOf?.(target) ?? "";
  const back = newReadBack(to, { path, originalId: target.originalId });
  try {
    const operation = await apply(changes, {
      batonHome: request.batonHome,
      facts: {
        kind: request.kind,
        agent: to.id,
        originalId: target.originalId,
        path,
        source: `${source.header.source.cli}:${source.header.source.originalId ?? source.header.id}`,
        ...(request.reason !== undefined && { reason: request.reason }),
      },
      onWritten: (file, staged, size) => {
        if (file === path) back.grew(staged, size);
      },
      async readBack(staged) {
        check();
        for (const [file, meant] of ledger.marks) {
          const at = to.pathOf?.(target, file) ?? path;
          const other = { path: at, staged: staged(at), originalId: target.originalId };
          compare(to, meant, at === path ? await back.marks(staged(path)) : await marksIn(to.fold, other));
        }
      },
    });
    return operation.id;
  } finally {
    await back.close();
  }
}
