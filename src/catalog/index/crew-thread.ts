// A thread that reads some of the sessions into their shards, once it is told which.
import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { readers } from "../../adapters/readers.ts";
import { type Done, type RunOptions, runJobs } from "./run.ts";
import { type Share, takeJobs } from "./shares.ts";

export type CrewTask = Pick<RunOptions, "folder" | "words">;

/** The last of what it says: everything is stored. */
export const DONE = "done";

parentPort?.once("message", run);

/** What goes wrong ends the thread, and whoever started it hears of it. */
async function run(share: Share): Promise<void> {
  const { folder, words } = workerData as CrewTask;
  compile("in place");
  await runJobs(takeJobs(share), readers, {
    folder,
    words,
    batch: share.batch,
    onDone: (done: readonly Done[]) => parentPort?.postMessage(done),
  });
  compile("beside");
  // Whoever waits for it may end the process before this thread has ended by itself.
  flushCompileCache();
  parentPort?.postMessage(DONE);
  parentPort?.close();
}

/**
 * Every core has a thread that reads: compilers beside them would only take turns with these. And what they make of code
 * that has run for a second is hardly worth what the best of them takes for it. Only once everything is loaded: what
 * Node has compiled for other flags than those of the moment, its own parts included, is not taken.
 */
function compile(where: "in place" | "beside"): void {
  const isBeside = where === "beside";
  setFlagsFromString(isBeside ? "--concurrent-recompilation" : "--no-concurrent-recompilation");
  setFlagsFromString(`--invocation-count-for-turbofan=${isBeside ? USUAL : 40_000}`);
}

/** As Node 22.18 to 26 have it. */
const USUAL = 3000;
