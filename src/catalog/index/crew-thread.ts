// A thread that reads some of the sessions into their shards, once it is told which.
import { flushCompileCache } from "node:module";
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
  await runJobs(takeJobs(share), readers, {
    folder,
    words,
    batch: share.batch,
    onDone: (done: readonly Done[]) => parentPort?.postMessage(done),
  });
  // Whoever waits for it may end the process before this thread has ended by itself.
  flushCompileCache();
  parentPort?.postMessage(DONE);
  parentPort?.close();
}
