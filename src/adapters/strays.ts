// Processes that a run has left behind, in whatever group they are: those with the run's mark in their environment, and
// what they have started without it.
import { readdirSync, readFileSync } from "node:fs";

const MARK = "BATON_RUN_MARK=";

export function endStrays(mark: string): void {
  for (const pid of straysOf(mark)) end(pid);
}

/** What has no mark is known by its parent, as long as that is there. */
export function straysOf(mark: string): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  const strays = new Set<number>();
  if (process.platform !== "linux") return strays;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = environmentOf(pid);
    if (environment.includes(`${MARK}${mark}`)) strays.add(pid);
    // A run within the run has a guard of its own, which ends it.
    else if (!environment.includes(MARK)) add(children, parentOf(pid), pid);
  }
  // A set goes on with what is added to it on the way.
  for (const pid of strays) for (const child of children.get(pid) ?? []) strays.add(child);
  return strays;
}

/** Whether it is of a run of Baton's, whichever. */
export function isOfRun(pid: number): boolean {
  return environmentOf(pid).includes(MARK);
}

function add(lists: Map<number, number[]>, key: number, item: number): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function environmentOf(pid: number): string {
  return factsOf(pid, "environ");
}

/** The field behind the state, which stands behind the name in brackets. */
function parentOf(pid: number): number {
  const facts = factsOf(pid, "stat");
  return Number(facts.slice(facts.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

function factsOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    // Gone, or somebody else's.
    return "";
  }
}

/** A process, or with a negative number a group. */
export function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // Gone already, which is what was wanted; or another user's by now (sudo), which nobody here may end.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
