// A thread that reads some of the sessions into their shards.
import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Done, Job } from "./index-run.ts";

export interface ThreadTask {
  folder: string;
  words: boolean;
  jobs: readonly Job[];
  /** Where the program keeps what it has compiled: a thread does not know by itself, and starts slowly without. */
  compiled: string | undefined;
}

const { folder, words, jobs, compiled } = workerData as ThreadTask;
if (compiled !== undefined) enableCompileCache(compiled);
const [{ adapters }, { runJobs }] = await Promise.all([
  import("../adapters/index.ts"),
  import("./index-run.ts"),
]);
await runJobs(jobs, adapters, {
  folder,
  words,
  onDone: (done: Done) => parentPort?.postMessage(done),
});
parentPort?.close();
