// The threads that read sessions beside this one. They can be started before it is known what there is to read:
// loading the program takes them about as long as it takes to find all sessions.
import { getCompileCacheDir } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, extname } from "node:path";
import type { Worker } from "node:worker_threads";
import { SHARDS } from "../catalog.ts";
import type { CrewTask, DONE } from "./crew-thread.ts";
import type { Job } from "./job.ts";
import type { Done, RunOptions } from "./run.ts";
import { bytesOf, type Share, sharesOf, takeJobs, type Wanted } from "./shares.ts";

export interface Crew {
  /** Starts the threads, unless they are there already. */
  start(): void;
  /** Shares the jobs out, one share to `own`, which is this thread, unless it has something else to do. */
  run(
    jobs: readonly Job[],
    wanted: Wanted,
    own: (share: Iterable<Job>, batch: number) => Promise<void>,
    meanwhile?: () => Promise<unknown>,
  ): Promise<void>;
  end(): Promise<void>;
}

export function newCrew({ folder, words, onDone }: RunOptions): Crew {
  const members: Member[] = [];
  const others = Math.min(SHARDS, availableParallelism()) - 1;
  const add = () => members.push(newMember({ folder, words }, onDone));
  const crew: Crew = {
    start() {
      if (members.length < others) compile("in place");
      while (members.length < others) add();
    },
    async run(jobs, wanted, own, meanwhile) {
      crew.start();
      const isMuch = bytesOf(jobs) >= MUCH;
      if (isMuch && words) keepMemorySmall();
      const isFree = !isMuch && !meanwhile;
      if (!isFree) add();
      const shares = sharesOf(jobs, isFree ? members.length + 1 : members.length, wanted);
      const first = isFree ? shares.shift() : undefined;
      const all = [...shares.map((share, at) => members[at]?.run(share)), meanwhile?.()];
      // What goes wrong with one does not end the others.
      const ended = await Promise.allSettled([first && own(takeJobs(first), first.batch), ...all]);
      for (const one of ended) if (one.status === "rejected") throw one.reason;
    },
    async end() {
      if (members.length > 0) compile("beside");
      await Promise.all(members.map((member) => member.end()));
    },
  };
  return crew;
}

/** This thread does not read so much: the memory of others can be bounded. */
const MUCH = 512 << 20;
const YOUNG_MB = 16;

/**
 * Objects live until they are stored, and the engine would let several hundred megabytes of them pile up. What is left
 * of finding the sessions, which this thread will not look at again soon, would stay as long as it waits.
 */
function keepMemorySmall(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--expose-gc");
  // Only a context that is made behind the flag has it.
  const collect: unknown = process.getBuiltinModule("node:vm").runInNewContext("globalThis.gc");
  if (typeof collect === "function") collect();
}

/**
 * Every core has a thread that reads: compilers beside them would only take turns with these. And what they make of code
 * that has run for a second is hardly worth what the best of them takes for it. Threads have to be made after that.
 */
function compile(where: "in place" | "beside"): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const isBeside = where === "beside";
  setFlagsFromString(isBeside ? "--concurrent-recompilation" : "--no-concurrent-recompilation");
  setFlagsFromString(`--invocation-count-for-turbofan=${isBeside ? USUAL : 40_000}`);
}

/** As Node 22.18 to 26 have it. */
const USUAL = 3000;

interface Member {
  run(share: Share): Promise<void>;
  end(): Promise<unknown>;
}

/**
 * A thread does not know by itself where the program keeps what it has compiled, and starts slowly without: it has
 * to be told before it loads any of our files.
 */
const BEGIN = `
const { compiled, program } = require("node:worker_threads").workerData;
if (compiled) require("node:module").enableCompileCache(compiled);
import(program);`;

function newMember(task: CrewTask, onDone: RunOptions["onDone"]): Member {
  const threads = process.getBuiltinModule("node:worker_threads");
  // The sources in a clone, the compiled program elsewhere.
  const program = new URL(`./crew-thread${extname(import.meta.url)}`, import.meta.url).href;
  const worker = new threads.Worker(BEGIN, {
    eval: true,
    workerData: { ...task, program, compiled: compiledIn() },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  let isDone = false;
  const done = doneBy(worker, onDone).then(() => {
    isDone = true;
  });
  // Whoever gives it something to do hears of it.
  done.catch(() => undefined);
  return {
    run(share) {
      worker.postMessage(share);
      return done;
    },
    // One that is done ends by itself, and takes a while to take apart all that it has made.
    end: async () => (isDone ? undefined : worker.terminate()),
  };
}

function doneBy(worker: Worker, onDone: RunOptions["onDone"]): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: readonly Done[] | typeof DONE) =>
      typeof message === "string" ? resolve() : onDone(message),
    );
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("a thread that reads sessions has ended")));
  });
}

function compiledIn(): string | undefined {
  const folder = getCompileCacheDir();
  // It names the folder of this version of Node inside the one that was given.
  return folder === undefined ? undefined : dirname(folder);
}
