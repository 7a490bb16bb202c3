// The list of everything Baton has done to stores.
import { readFileSync, statSync } from "node:fs";
import { BatonError } from "../session/error.ts";
import { diskError, namesIn } from "./disk.ts";
import { journalPath, type Operation, operationsFolder, parseOperation } from "./journal.ts";

export interface Operations {
  /** Newest first. */
  operations: Operation[];
  /** Journals that cannot be used, a sentence each. */
  damaged: string[];
}

const JOURNAL = ".json";

export async function operations(batonHome: string): Promise<Operations> {
  const list: Operations = { operations: [], damaged: [] };
  for (const name of await namesIn(operationsFolder(batonHome))) {
    if (!name.endsWith(JOURNAL)) continue;
    try {
      list.operations.push(operationIn(batonHome, name.slice(0, -JOURNAL.length)));
    } catch (error) {
      list.damaged.push(diskError(error).message);
    }
  }
  list.operations.sort((first, second) => (first.created < second.created ? 1 : -1));
  return list;
}

/** Of each path: the file as it was when it was read, and what it said. */
const known = new Map<string, { ino: number; size: number; mtimeMs: number; operation: Operation }>();

/** A journal that has not changed is read once. There may be thousands, which is faster without waiting for each. */
function operationIn(batonHome: string, id: string): Operation {
  const path = journalPath(batonHome, id);
  // Before its text: one that changes in between is read again the next time.
  const { ino, size, mtimeMs } = statSync(path);
  const before = known.get(path);
  if (before?.ino === ino && before.size === size && before.mtimeMs === mtimeMs) return before.operation;
  const operation = parseOperation(batonHome, id, readFileSync(path, "utf8"));
  known.set(path, { ino, size, mtimeMs, operation });
  return operation;
}

/** The one whose id begins like this, or the newest that is done. */
export async function findOperation(batonHome: string, id?: string): Promise<Operation> {
  const { operations: all } = await operations(batonHome);
  const found = id === undefined ? newestDone(all) : all.filter((operation) => operation.id.startsWith(id));
  const [operation, other] = found;
  if (operation && !other) return operation;
  if (other) {
    const candidates = found.map((one) => one.id).join(", ");
    throw new BatonError(
      "ambiguous",
      `Several operations begin with ${id}: ${candidates}.`,
      "Name more of the id.",
    );
  }
  const message = id === undefined ? "There is nothing to undo." : `There is no operation ${id}.`;
  throw new BatonError("not_found", message, "`baton operations` shows what can be undone.");
}

function newestDone(all: readonly Operation[]): Operation[] {
  return all.filter(({ state }) => state === "done").slice(0, 1);
}
