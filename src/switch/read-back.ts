// Reads a file back while it is being written: a large one in a thread of its own, so that reading costs hardly
// any time beyond writing; a small one at the end, because a thread takes longer to start than to read it.
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Adapter } from "../adapters/adapter.ts";
import { adapters } from "../adapters/index.ts";
import { marksIn, type StagedFile } from "./marks.ts";

export interface ReadBack {
  /** That many bytes of the file are there. */
  grew(staged: string, size: number): void;
  /** The marks of its entries, once it is complete. */
  marks(staged: string): Promise<ArrayLike<number>>;
  close(): Promise<void>;
}

/** What the thread is told when it starts. */
export interface Task extends StagedFile {
  agent: string;
}

/** What it is told while the file grows. */
export interface News {
  size: number;
  complete: boolean;
}

/** Reading this much takes about as long as starting a thread. */
const WORTH_A_THREAD = 8 << 20;

/** `ref`: the file once it has its name. */
export function newReadBack(
  to: Adapter,
  ref: Omit<StagedFile, "staged">,
  threadFrom = WORTH_A_THREAD,
): ReadBack {
  let thread: { worker: Worker; marks: Promise<Int32Array> } | undefined;
  let size = 0;
  const tell = (complete: boolean) => thread?.worker.postMessage({ size, complete } satisfies News);
  return {
    grew(staged, bytes) {
      size = bytes;
      // The thread finds an adapter by its name, so only those on the list can be read there.
      if (size >= threadFrom && adapters.includes(to))
        thread ??= startThread({ agent: to.id, ...ref, staged });
      tell(false);
    },
    async marks(staged) {
      tell(true);
      const here = () => marksIn(to.fold, { ...ref, staged });
      // A thread that fails, for want of memory maybe, costs time and nothing else.
      return thread ? thread.marks.catch(here) : here();
    },
    async close() {
      await thread?.worker.terminate();
    },
  };
}

function startThread(task: Task): { worker: Worker; marks: Promise<Int32Array> } {
  // The sources in a clone, the compiled program elsewhere.
  const file = new URL(`./read-back-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData: task, resourceLimits: { maxYoungGenerationSizeMb: 8 } });
  const marks = new Promise<Int32Array>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that reads back has ended")));
  });
  // Whoever asks for the marks sees it.
  marks.catch(() => undefined);
  return { worker, marks };
}
