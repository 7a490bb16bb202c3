// Settles operations that were cut off, by a crash or a kill: finished where everything is in place, otherwise
// taken back. An operation whose process still works on it is left alone.
import { codeOf, diskError, namesIn, unlinkIfAny } from "./disk.ts";
import { type Journal, type Operation, openJournal, operationsFolder } from "./journal.ts";
import { isPublished, takeBack } from "./publish.ts";
import { finishUndo } from "./remove.ts";
import type { OnStep } from "./stage.ts";

export interface Recovery {
  /** Operations that were settled now. */
  settled: Operation[];
  /** Ids of operations that somebody is working on. */
  running: string[];
  /** What could not be settled and will be tried again, in sentences. */
  problems: string[];
}

const LOCK = ".lock";

/** Cheap when there is nothing to do: every unfinished operation has a lock file, and no finished one has. */
export async function recover(batonHome: string, onStep: OnStep = () => undefined): Promise<Recovery> {
  const recovery: Recovery = { settled: [], running: [], problems: [] };
  for (const name of await namesIn(operationsFolder(batonHome))) {
    if (!name.endsWith(LOCK)) continue;
    const id = name.slice(0, -LOCK.length);
    try {
      const journal = await journalIfAny(batonHome, id);
      if (journal === "running") recovery.running.push(id);
      else if (journal && (await settle(journal, onStep))) recovery.settled.push(journal.operation);
    } catch (error) {
      recovery.problems.push(diskError(error).message);
    }
  }
  return recovery;
}

async function journalIfAny(batonHome: string, id: string): Promise<Journal | "running" | undefined> {
  try {
    return (await openJournal(batonHome, id)) ?? "running";
  } catch (error) {
    // A process that ended before it wrote its journal has done nothing.
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** False when it was settled already and only its lock was left. */
async function settle(journal: Journal, step: OnStep): Promise<boolean> {
  const { operation } = journal;
  const { state } = operation;
  try {
    if (state === "planned" || state === "staged") await settleApply(journal, step);
    else if (state === "undoing") await finishUndo(journal, step);
  } catch (error) {
    journal.abandon();
    throw error;
  }
  await step("recover close");
  await journal.close();
  return operation.state !== state;
}

async function settleApply(journal: Journal, step: OnStep): Promise<void> {
  const { operation } = journal;
  // Whoever was told that it failed must not find it done later.
  if (operation.error === undefined && (await isPublished(operation))) {
    for (const { staged, type } of operation.files) if (type !== "rows") await unlinkIfAny(staged);
    await step("recover done");
    return journal.save("done");
  }
  operation.problems = await takeBack(operation, step);
  operation.error ??= "It was cut off before it was complete.";
  await step("recover failed");
  await journal.save("failed");
}
