// Takes an operation back, as long as the store still holds exactly what it wrote.
import { BatonError } from "../session/error.ts";
import { diskError } from "./disk.ts";
import { busy, type Journal, type Operation, openJournal } from "./journal.ts";
import { findOperation } from "./operations.ts";
import { recover } from "./recover.ts";
import { finishUndo, generatedIn, goneOn, remainsOf, remove, stays } from "./remove.ts";
import type { OnStep } from "./stage.ts";

const PATIENCE = 2000;

/**
 * Undoes the newest operation that is done, or the one named (a unique beginning of its id is enough). Created
 * files move to `$BATON_HOME/trash`, appended bytes are cut off. Undoing twice is the same as once.
 */
export async function undo(
  batonHome: string,
  id?: string,
  onStep: OnStep = () => undefined,
): Promise<Operation> {
  await recover(batonHome);
  const found = await findOperation(batonHome, id);
  const journal = await openJournal(batonHome, found.id, PATIENCE);
  if (!journal) throw busy(found.id);
  try {
    await undoOperation(journal, onStep);
  } catch (error) {
    if (journal.operation.state === "undoing") journal.abandon();
    else await journal.close();
    throw diskError(error);
  }
  await journal.close();
  return journal.operation;
}

/** Whether the session of an operation is there, exactly as it was written. */
export async function isAsWritten(operation: Operation): Promise<boolean> {
  const remains = await remainsOf(operation);
  return (
    remains.some(({ file }) => file.main) &&
    remains.every(({ file, status }) => !file.main || status === "untouched")
  );
}

async function undoOperation(journal: Journal, step: OnStep): Promise<void> {
  const { operation } = journal;
  if (operation.state === "undone") return;
  if (operation.state === "undoing") return finishUndo(journal, step);
  if (operation.state !== "done") {
    throw new BatonError(
      "refused",
      `Operation ${operation.id} did not complete, so there is nothing to undo.`,
      "`baton operations` shows what can be undone.",
    );
  }
  const remains = await remainsOf(operation);
  const changed = remains.filter(({ status }) => status === "changed");
  const generated = await generatedIn(journal.batonHome);
  const gone = changed.find(({ file }) => !generated(file));
  if (gone) throw goneOn(gone.file.path);
  operation.problems = changed.map(stays);
  await remove(journal, remains, step);
}
