// Starts child.ts, alone or in a mount namespace of its own.
import { execFile, execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ChildRequest, ChildResult } from "./child.ts";

const PROGRAM = fileURLToPath(new URL("child.ts", import.meta.url));

/** Undefined when it was killed. */
export function runChild(folder: string, request: ChildRequest): Promise<ChildResult | undefined> {
  return finished(process.execPath, [PROGRAM, folder, JSON.stringify(request)]);
}

export function startChild(folder: string, request: ChildRequest) {
  return spawn(process.execPath, [PROGRAM, folder, JSON.stringify(request)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Runs a shell command before the child, in a place where it may mount what it likes and nobody else sees it. */
export function runMounted(
  prepare: string,
  folder: string,
  request: ChildRequest,
): Promise<ChildResult | undefined> {
  const script = `set -e; cd "$1"; ${prepare}; exec "$0" "$2" "$1" "$3"`;
  const args = ["-rm", "sh", "-c", script, process.execPath, folder, PROGRAM, JSON.stringify(request)];
  return finished("unshare", args);
}

/** Private mounts need user namespaces, which containers and other systems often forbid: such tests are then left out. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /tmp"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

function finished(command: string, args: string[]): Promise<ChildResult | undefined> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const last = stdout.trim().split("\n").at(-1);
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error || !last) reject(new Error(`${error?.message}\n${stderr}`));
      else resolve(JSON.parse(last) as ChildResult);
    });
  });
}
