// A thread that reads some of the sessions into their shards.
import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Done, Job } from "./index/run.ts";

export interface ThreadTask {
  folder: string;
  words: boolean;
  jobs: readonly Job[];
  /** Where the program keeps what it has compiled: a thread does not know by itself, and starts slowly without. */
  compiled: string | undefined;
}

const { folder, words, jobs, compiled } = workerData as ThreadTask;
if (compiled !== undefined) enableCompileCache(compiled);
const [{ readers }, { runJobs }] = await Promise.all([
  import("../adapters/readers.ts"),
  import("./index/run.ts"),
]);
await runJobs(jobs, readers, {
  folder,
  words,
  onDone: (done: Done) => parentPort?.postMessage(done),
});
parentPort?.close();
