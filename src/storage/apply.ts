// The one place that changes an agent's store. Every change is journaled before it happens, new files are
// complete before they are visible, existing files are only ever extended, and a process that ends at any point
// leaves the store as it was or complete once `recover` has run.
import { rmSync } from "node:fs";
import { appendFile, chmod, constants, copyFile, readFile, unlink } from "node:fs/promises";
import { BatonError } from "../session/error.ts";
import type { Change } from "./changes.ts";
import { diskError, isDiskError, UNCHANGED } from "./disk.ts";
import { type Journal, newJournal, type Operation } from "./journal.ts";
import { publish, takeBack } from "./publish.ts";
import { recover } from "./recover.ts";
import { type OnStep, type OnWritten, stage } from "./stage.ts";

export interface ApplyOptions {
  /** Where the journal is kept. */
  batonHome: string;
  facts: Operation["facts"];
  /**
   * Checks the result while nothing of it is visible; throwing leaves the store as it was. `staged` tells where
   * the bytes of a path are now: new files are complete there, extended files are a copy with the new bytes.
   */
  readBack?(staged: (path: string) => string): Promise<void>;
  /** Told whenever more of a new file is there: its path, where its bytes are now, how many. */
  onWritten?: OnWritten;
  /** For tests: called before everything that changes the disk. */
  onStep?: OnStep;
}

/**
 * Changes may come in any order and size; memory stays bounded except for the bytes of appends. The file at
 * `facts.path` becomes visible last, before it the others in the opposite of the order in which they were named.
 */
export async function apply(changes: AsyncIterable<Change>, options: ApplyOptions): Promise<Operation> {
  await recover(options.batonHome);
  const step: OnStep = options.onStep ?? (() => undefined);
  const journal = await newJournal(options.batonHome, options.facts);
  // Ctrl-C ends the process at any point: what has no name yet goes at once, the rest when `recover` runs.
  const removeStaged = () => {
    // Rows may be in the database already, and recovery has to know which.
    for (const { staged, type } of journal.operation.files)
      if (type !== "rows") rmSync(staged, { force: true });
  };
  process.once("exit", removeStaged);
  try {
    const staged = await stage(journal, changes, step, options.onWritten);
    if (options.readBack) {
      await copyExtended(journal.operation, step);
      await options.readBack(staged);
      await removeCopies(journal.operation, step);
    }
    await publish(journal, step);
    await step("journal done");
    await journal.save("done");
  } catch (error) {
    throw await giveUp(journal, error, step);
  } finally {
    process.off("exit", removeStaged);
  }
  await step("close");
  await journal.close();
  return journal.operation;
}

async function copyExtended({ files }: Operation, step: OnStep): Promise<void> {
  for (const [number, file] of files.entries()) {
    if (file.type !== "append") continue;
    await step(`copy ${number}`);
    await copyFile(file.path, file.staged, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(file.staged, 0o600);
    await appendFile(file.staged, await readFile(file.bytes));
  }
}

async function removeCopies({ files }: Operation, step: OnStep): Promise<void> {
  for (const [number, file] of files.entries()) {
    if (file.type !== "append") continue;
    await step(`remove copy ${number}`);
    await unlink(file.staged);
  }
}

/** Puts everything back and returns the error to throw. */
async function giveUp(journal: Journal, error: unknown, step: OnStep): Promise<unknown> {
  const { operation } = journal;
  const reason = isDiskError(error) ? diskError(error) : error;
  operation.error = reason instanceof Error ? reason.message : String(reason);
  try {
    operation.problems = await takeBack(operation, step);
    await step("journal failed");
    await journal.save("failed");
    await journal.close();
  } catch (second) {
    // The note that it has failed helps recovery, but recovery must do without where nothing can be written.
    await journal.save().catch(() => undefined);
    journal.abandon();
    const hint = `Not everything could be put back yet: ${diskError(second).message} Baton tries again at its next write.`;
    return withHint(reason, hint);
  }
  return operation.problems.length === 0 ? reason : withHint(reason, operation.problems.join(" "));
}

function withHint(reason: unknown, hint: string): unknown {
  if (!(reason instanceof BatonError)) return reason;
  return new BatonError(reason.code, reason.message, `${hint} ${reason.hint.replace(UNCHANGED, "")}`, reason);
}
