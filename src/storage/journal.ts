// The journal: one small JSON file per operation under $BATON_HOME/operations, written before anything happens
// to a store. It is all that undo and recovery need to know.
import { randomBytes } from "node:crypto";
import { access, constants, mkdir, readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { BatonError } from "../session/error.ts";
import { codeOf, diskError, writeAtomically } from "./disk.ts";
import { acquire, type Lock } from "./lock.ts";

const createdFile = z.object({
  type: z.literal("create"),
  /** The real path, behind all symbolic links. */
  path: z.string(),
  /** The file that makes the session visible. */
  main: z.boolean(),
  /** The temporary name beside it. */
  staged: z.string(),
  /** Known as soon as the file is complete under its temporary name. */
  written: z.object({ inode: z.number(), size: z.number(), sha256: z.string() }).optional(),
  /** On a disk without hard links: an empty file holds the name until ours takes it. */
  reserved: z.boolean().optional(),
  /** Where undo keeps it. */
  trash: z.string().optional(),
});

const appendedFile = z.object({
  type: z.literal("append"),
  path: z.string(),
  main: z.boolean(),
  /** A copy with the new bytes, for reading back. */
  staged: z.string(),
  /** Where the new bytes wait, so that recovery can tell them from others. */
  bytes: z.string(),
  inode: z.number(),
  previousSize: z.number(),
  written: z.object({ size: z.number(), sha256: z.string() }).optional(),
  /** Set before the one write: without it, nothing at the end of the file can be ours. */
  begun: z.boolean().optional(),
  trash: z.string().optional(),
});

const rowsFile = z.object({
  type: z.literal("rows"),
  /** What the caller calls these rows. */
  path: z.string(),
  main: z.boolean(),
  database: z.string(),
  /** The rows as lines. They stay, because undo takes out nothing but these. */
  staged: z.string(),
  schema: z.object({ tables: z.array(z.string()), hash: z.string() }).optional(),
  guards: z.array(z.object({ table: z.string(), column: z.string(), value: z.string(), count: z.number() })),
  /** The vendor's own import puts them in, not in one transaction; the session is new. */
  imported: z.boolean().optional(),
  /** How many rows each guard must find afterwards. */
  counts: z.array(z.number()).optional(),
  written: z.object({ size: z.number(), sha256: z.string() }).optional(),
  trash: z.string().optional(),
});

const operationSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  /** planned → staged → done → undoing → undone; failed = the store is as it was, except for `problems`. */
  state: z.enum(["planned", "staged", "done", "failed", "undoing", "undone"]),
  created: z.string(),
  updated: z.string(),
  /** What the caller says about it. */
  facts: z.looseObject({
    /** What was asked for. */
    kind: z.string(),
    /** Whose store was written. */
    agent: z.string(),
    /** The native id of the session. */
    originalId: z.string(),
    /** Its main file, as the caller calls it. */
    path: z.string(),
    /** The session it was made from. */
    source: z.string().optional(),
    /** How the agent is started with it. */
    command: z
      .object({ argv: z.array(z.string()), cwd: z.string() })
      .loose()
      .optional(),
  }),
  /** Folders that did not exist before, parents first. */
  folders: z.array(z.string()),
  /** In the order in which they were first named. */
  files: z.array(z.discriminatedUnion("type", [createdFile, appendedFile, rowsFile])),
  /** What could not be put back, in sentences. */
  problems: z.array(z.string()),
  error: z.string().optional(),
});

export type Operation = z.infer<typeof operationSchema>;
export type CreatedFile = z.infer<typeof createdFile>;
export type AppendedFile = z.infer<typeof appendedFile>;
export type RowsFile = z.infer<typeof rowsFile>;
export type OperationFile = Operation["files"][number];

/** The files with their numbers in the order in which they become visible; taking back goes the other way. */
export function mainLast({ files }: Operation): [number, OperationFile][] {
  return [...files.entries()]
    .toReversed()
    .sort(([, first], [, second]) => Number(first.main) - Number(second.main));
}

/** An operation that this process, and no other, is working on. */
export interface Journal {
  operation: Operation;
  batonHome: string;
  /** Puts the operation on the disk, in a new state if one is given; it has that state only if this succeeds. */
  save(state?: Operation["state"]): Promise<void>;
  /** Called when the operation has reached a state that needs no more work. */
  close(): Promise<void>;
  /** Lets go without having finished; recovery will see to it. */
  abandon(): void;
}

export function operationsFolder(batonHome: string): string {
  return join(batonHome, "operations");
}

const LOCK_PATIENCE = 5000;

export async function newJournal(batonHome: string, facts: Operation["facts"]): Promise<Journal> {
  const id = randomBytes(5).toString("hex");
  const created = nextTime();
  const operation: Operation = {
    version: 1,
    id,
    state: "planned",
    created,
    updated: created,
    facts,
    folders: [],
    files: [],
    problems: [],
  };
  try {
    await mkdir(operationsFolder(batonHome), { recursive: true, mode: 0o700 });
    await access(operationsFolder(batonHome), constants.W_OK);
    // Before the journal, so that an unfinished operation always has a lock that recovery can find.
    const lock = await acquire(lockPath(batonHome, id), LOCK_PATIENCE);
    if (!lock) throw busy(id);
    return await started(journalOf(batonHome, operation, lock));
  } catch (error) {
    throw diskError(error, operationsFolder(batonHome));
  }
}

async function started(journal: Journal): Promise<Journal> {
  try {
    await journal.save();
    return journal;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

let lastTime = 0;

/** Two operations of one process never share a time, so that "newest" means something. */
function nextTime(): string {
  lastTime = Math.max(Date.now(), lastTime + 1);
  return new Date(lastTime).toISOString();
}

/** The journal of an earlier operation, or undefined while somebody else works on it. */
export async function openJournal(batonHome: string, id: string, patience = 0): Promise<Journal | undefined> {
  const lock = await acquire(lockPath(batonHome, id), patience);
  if (!lock) return undefined;
  try {
    return journalOf(batonHome, await readOperation(batonHome, id), lock);
  } catch (error) {
    // A journal that a newer Baton wrote is for that one to settle, so its lock must stay to be found.
    if (codeOf(error) === "ENOENT") lock.release();
    else lock.leave();
    throw error;
  }
}

function journalOf(batonHome: string, operation: Operation, lock: Lock): Journal {
  return {
    operation,
    batonHome,
    async save(state = operation.state) {
      const saved = { ...operation, state, updated: new Date().toISOString() };
      await writeAtomically(journalPath(batonHome, operation.id), `${JSON.stringify(saved, null, 1)}\n`);
      Object.assign(operation, saved);
    },
    async close() {
      try {
        await removeLeftovers(batonHome, operation.id);
      } finally {
        lock.release();
      }
    },
    abandon: () => lock.leave(),
  };
}

/** The temporary name of a file of this operation: hidden, and with no ending that an agent would look for. */
export function stagedName(id: string, number: number): string {
  return `.baton-${id}-${number}.tmp`;
}

/** Where the bytes of an append wait. */
export function bytesPath(batonHome: string, id: string, number: number): string {
  return join(operationsFolder(batonHome), `${id}.${number}.bytes`);
}

/** Where the lines of rows are kept. */
export function rowsPath(batonHome: string, id: string, number: number): string {
  return join(operationsFolder(batonHome), `${id}.${number}.rows`);
}

export function journalPath(batonHome: string, id: string): string {
  return join(operationsFolder(batonHome), `${id}.json`);
}

function lockPath(batonHome: string, id: string): string {
  return join(operationsFolder(batonHome), `${id}.lock`);
}

/** Everything of an operation that is of no use once it has ended. */
async function removeLeftovers(batonHome: string, id: string): Promise<void> {
  for (const name of await readdir(operationsFolder(batonHome))) {
    if (name.startsWith(`${id}.`) && /\.(bytes|tmp)$/.test(name))
      await unlink(join(operationsFolder(batonHome), name));
  }
}

/** A journal that is missing throws what reading it throws; one that cannot be trusted is a `damaged` error. */
async function readOperation(batonHome: string, id: string): Promise<Operation> {
  return parseOperation(batonHome, id, await readFile(journalPath(batonHome, id), "utf8"));
}

export function parseOperation(batonHome: string, id: string, text: string): Operation {
  const path = journalPath(batonHome, id);
  const parsed = operationSchema.safeParse(parseJson(text));
  if (!parsed.success) throw damaged(path, z.prettifyError(parsed.error));
  const operation = parsed.data;
  // Recovery removes what a journal names, so a name that is not ours makes the whole journal useless.
  const isOurs = operation.files.every(
    (file, at) =>
      (file.type === "rows"
        ? file.staged === rowsPath(batonHome, id, at)
        : file.staged === join(dirname(file.path), stagedName(id, at))) &&
      (file.type !== "append" || file.bytes === bytesPath(batonHome, id, at)),
  );
  if (operation.id !== id || !isOurs) throw damaged(path, "it names files that Baton does not write");
  return operation;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(path: string, reason: string): BatonError {
  return new BatonError(
    "damaged",
    `The journal ${path} cannot be used: ${reason.split("\n")[0]}.`,
    "A newer version of Baton may have written it. Otherwise move it away; that operation cannot be undone.",
  );
}

export function busy(id: string): BatonError {
  return new BatonError(
    "busy",
    `Another Baton is working on operation ${id}.`,
    "Wait for it, then try again.",
  );
}
