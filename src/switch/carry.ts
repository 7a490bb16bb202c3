// Carries a session into an agent: prepare the content, change the dialect, apply it to the store, read it
// back. Written once for resume, fork and whatever moves a session next.
import type { Adapter, Command, Home, Target, Written, WrittenRecord } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { EntryType } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { apply } from "../storage/apply.ts";
import type { Change } from "../storage/changes.ts";
import { thread, visible } from "../transform/visible.ts";
import { markOf } from "./marks.ts";
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
  const { to } = request;
  if (!to.write || !to.plan || !to.pathOf || !to.resumeCommand)
    throw new BatonError(
      "unsupported",
      `Baton cannot write ${to.label} sessions yet.`,
      "Pick another agent.",
    );
  const target = await targetOf(request);
  const stream = streamFor(request);
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

/** The same agent gets its own records back; another one gets what the model sees, prepared for it. */
function streamFor({ source, to, history, thinking }: CarryRequest): Stream {
  if (source.header.source.cli === to.id) return thread(source);
  return prepare(visible(source, { history: history ?? "visible" }), { thinking: thinking ?? "drop" });
}

/** What the writer has said so far. */
interface Ledger {
  losses: Loss[];
  counts: Record<EntryType, number>;
  /** A mark for each entry of the main file, which reading back must find again in this order. */
  marks: number[];
}

function newLedger(): Ledger {
  const counts = { user: 0, assistant: 0, tool_call: 0, tool_result: 0, system: 0, switch: 0, compaction: 0 };
  return { losses: [], counts, marks: [] };
}

async function* recordsOnly(written: AsyncIterable<Written>, ledger: Ledger): AsyncGenerator<WrittenRecord> {
  for await (const item of written) {
    if (item.type === "loss") {
      ledger.losses.push(item.loss);
      continue;
    }
    if (item.file === "main")
      for (const [type, text] of item.says) {
        ledger.counts[type]++;
        ledger.marks.push(markOf(type, text));
      }
    yield item;
  }
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
  for await (const _ of records);
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
  const back = newReadBack(to, target.originalId);
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
        compare(to, ledger.marks, await back.marks(staged(path)));
      },
    });
    return operation.id;
  } finally {
    await back.close();
  }
}

/** Compares what the finished file says, still under its temporary name, with what was meant. */
function compare(to: Adapter, meant: readonly number[], found: ArrayLike<number>): void {
  if (found.length !== meant.length)
    throw unlike(to, `${meant.length} entries were written and ${found.length} read back`);
  const wrong = meant.findIndex((mark, at) => mark !== found[at]);
  if (wrong !== -1) throw unlike(to, `entry ${wrong + 1} reads back as another one`);
}

function unlike(to: Adapter, what: string): BatonError {
  return new BatonError(
    "failed",
    `The ${to.label} session did not read back as it was meant: ${what}. Nothing was written.`,
    "This is a bug in Baton: please report it with `baton convert SESSION --to universal`.",
  );
}
