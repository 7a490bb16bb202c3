// What is known of live runs, for whoever asks in another process: a small file each, and a lock that the process that
// runs it cannot leave behind, so that a run which died is not taken for one that still goes on.
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { escapedControls } from "../session/escapes.ts";
import { jsonIn } from "../session/json.ts";
import { codeOf, namesIn, ownTemporary, unlinkIfAny, writeAtomically } from "./disk.ts";
import { acquire, type Lock } from "./lock.ts";

export interface RunRecord {
  id: string;
  agent: string;
  /** The native id of its session; empty while it has none. */
  session: string;
  cwd: string;
  /** The beginning of the last prompt. */
  prompt: string;
  state: "running" | "waiting" | "finished";
  /** What it waits for, in words. */
  waitingFor?: string;
  /** How the last turn ended. */
  outcome?: "success" | "refusal" | "interrupted" | "error";
  /** Why, where it failed. */
  error?: string;
  started: string;
  updated: string;
}

/** `isLive`: the process that runs it is still there. */
export type KnownRun = RunRecord & { isLive: boolean };

export interface RunFile {
  /** Writes one after the other; the newest counts. */
  write(record: RunRecord): void;
  /** The last record is written, or forgotten where it tells nothing, and nobody runs it any more. */
  close(isKept: boolean): Promise<void>;
}

const PATIENCE_MS = 2000;
/** How the locks of sessions begin. */
const SESSION = "session-";
const KEPT_MS = 7 * 86_400_000;

export async function openRunFile(
  batonHome: string,
  id: string,
  onProblem: (error: unknown) => void,
): Promise<RunFile> {
  const folder = runsFolder(batonHome);
  let lock: Lock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whoever asks whether it is held holds it for a moment.
    lock = await acquire(lockPath(folder, id), PATIENCE_MS);
  } catch (error) {
    onProblem(error);
    return { write: () => undefined, close: async () => undefined };
  }
  let next: RunRecord | undefined;
  let writing = Promise.resolve();
  const flush = async () => {
    const record = next;
    next = undefined;
    const path = join(folder, `${id}.json`);
    if (record) await writeAtomically(path, JSON.stringify(record), ownTemporary(path)).catch(onProblem);
  };
  return {
    write(record) {
      if (next === undefined) writing = writing.then(flush);
      next = record;
    },
    async close(isKept) {
      await writing;
      if (!isKept) await unlinkIfAny(join(folder, `${id}.json`)).catch(onProblem);
      lock?.release();
      await removeOld(folder).catch(onProblem);
    },
  };
}

/**
 * Lets nobody else go on with the session until it is let go of, by which two runs that begin at once are kept apart;
 * undefined = a run has it, also one that began without knowing which session it would be.
 */
export async function holdSession(
  batonHome: string,
  { agent, session }: Pick<RunRecord, "agent" | "session">,
): Promise<(() => void) | undefined> {
  const folder = runsFolder(batonHome);
  const name = hash("sha256", `${agent}:${session}`).slice(0, 16);
  let lock: Lock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = await acquire(join(folder, `${SESSION}${name}.lock`), PATIENCE_MS / 10);
  } catch {
    // Where nothing can be written no run is known either; the run's own file tells that to whoever starts it.
    return () => undefined;
  }
  if (!lock) return undefined;
  if (!(await isRun(batonHome, { agent, session }))) return lock.release;
  lock.release();
  return undefined;
}

/** Whether a run that goes on has the session. */
export async function isRun(
  batonHome: string,
  { agent, session }: Pick<RunRecord, "agent" | "session">,
): Promise<boolean> {
  const folder = runsFolder(batonHome);
  const records = await recordsIn(folder);
  const ofSession = records.filter((one) => one.agent === agent && one.session === session);
  const held = await Promise.all(ofSession.map(({ id }) => isHeld(lockPath(folder, id))));
  return held.includes(true);
}

/** Arguments of a call that a line of its run cannot hold as they are, whole, as JSON; where they are. */
export function keepInput(batonHome: string, run: string, call: string, input: unknown): string {
  const folder = join(runsFolder(batonHome), run);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An agent chooses the ids of its calls, so they are no names of files.
  const path = join(folder, `${hash("sha256", call).slice(0, 16)}.json`);
  writeFileSync(path, escapedControls(JSON.stringify(input)), { mode: 0o600 });
  return path;
}

export async function knownRuns(batonHome: string): Promise<KnownRun[]> {
  const folder = runsFolder(batonHome);
  const asked = (await recordsIn(folder)).map(async (record) => ({
    ...record,
    isLive: await isHeld(lockPath(folder, record.id)),
  }));
  return (await Promise.all(asked)).sort((a, b) => (a.updated < b.updated ? 1 : -1));
}

async function recordsIn(folder: string): Promise<RunRecord[]> {
  return (await namesIn(folder)).flatMap((name) =>
    name.endsWith(".json") ? (recordIn(join(folder, name)) ?? []) : [],
  );
}

function runsFolder(batonHome: string): string {
  return join(batonHome, "runs");
}

function lockPath(folder: string, id: string): string {
  return join(folder, `${id}.lock`);
}

/** Somebody else who only asks holds it for a moment too. */
async function isHeld(path: string): Promise<boolean> {
  const lock = await acquire(path, PATIENCE_MS / 10);
  lock?.release();
  return lock === undefined;
}

function recordIn(path: string): RunRecord | undefined {
  const value = jsonIn(textIn(path));
  const isRecord = typeof value === "object" && value !== null && "id" in value && "state" in value;
  return isRecord ? (value as RunRecord) : undefined;
}

function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // Removed meanwhile.
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

async function removeOld(folder: string): Promise<void> {
  const oldest = new Date(Date.now() - KEPT_MS).toISOString();
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    // Asking takes away what a process that was killed has left.
    if (name.startsWith(SESSION) && name.endsWith(".lock")) await isHeld(path);
    const record = name.endsWith(".json") ? recordIn(path) : undefined;
    if (!record || record.updated >= oldest) continue;
    await unlinkIfAny(path);
    await rm(join(folder, record.id), { recursive: true, force: true });
  }
}
