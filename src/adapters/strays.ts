// Processes that a run has left behind: all of them have the run's mark in their environment, in whatever group they are.
import { readdirSync, readFileSync } from "node:fs";

export function endStrays(mark: string): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (environmentOf(pid).includes(`BATON_RUN_MARK=${mark}`)) end(pid);
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
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
