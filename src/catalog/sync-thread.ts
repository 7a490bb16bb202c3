// A thread that reads some of the sessions into their shards.
import { parentPort, workerData } from "node:worker_threads";
import { readers } from "../adapters/readers.ts";
import type { Job } from "./index/job.ts";
import { type Done, runJobs } from "./index/run.ts";

export interface ThreadTask {
  folder: string;
  words: boolean;
  jobs: readonly Job[];
}

// In a function, because the built program is CommonJS, which cannot wait outside of one.
void readAll(workerData as ThreadTask);

async function readAll({ folder, words, jobs }: ThreadTask): Promise<void> {
  await runJobs(jobs, readers, {
    folder,
    words,
    onDone: (done: Done) => parentPort?.postMessage(done),
  });
  parentPort?.close();
}
