// The thread that reads a file back while another one writes it.
import { parentPort, workerData } from "node:worker_threads";
import { adapters } from "../adapters/index.ts";
import { marksIn } from "./marks.ts";
import type { News, Task } from "./read-back.ts";

const { agent, ...file } = workerData as Task;
let news: News = { size: 0, complete: false };
let wake: () => void = () => undefined;

parentPort?.on("message", (newest: News) => {
  news = newest;
  wake();
});

/** Waits until there is more to read than was read already. */
async function grown(read: number): Promise<number> {
  while (news.size <= read && !news.complete)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  return news.size;
}

// In a function, because the built program is CommonJS, which cannot wait outside of one.
void readBack();

async function readBack(): Promise<void> {
  const adapter = adapters.find(({ id }) => id === agent);
  if (!adapter) throw new Error(`there is no adapter named ${agent}`);
  const marks = Int32Array.from(await marksIn(adapter.fold, file, grown));
  parentPort?.postMessage(marks, [marks.buffer]);
  parentPort?.close();
}
