// One measurement in a process of its own, so that memory is that of the task alone.
// Usage: node bench/measure.ts TASK KIND FILE; prints one JSON line.
import { rmSync } from "node:fs";
import { mkdtemp, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Home } from "../src/adapters/adapter.ts";
import { adapters } from "../src/adapters/index.ts";
import { adapterNamed } from "../src/adapters/named.ts";
import { readRecords } from "../src/storage/records.ts";
import { carry } from "../src/switch/carry.ts";
import { switchOver } from "../src/switch/switch-over.ts";

const [task, kind, file] = process.argv.slice(2) as [string, string, string];

const tasks: Record<string, () => Promise<number>> = {
  floor,
  read,
  open: openWhole,
  carry: carryOver,
  switch: switchProvider,
};

// As the program itself does; the floor is measured as Node comes.
const { keepMemorySmall } = await import(new URL("../bin/memory.js", import.meta.url).href);
if (task !== "floor") keepMemorySmall();
const start = performance.now();
const count = await (tasks[task] as () => Promise<number>)();
const ms = performance.now() - start;
console.log(JSON.stringify({ task, kind, ms, count, rss: process.resourceUsage().maxRSS * 1024 }));

/** What nothing that understands the file can beat on one thread: read it and parse each line. */
async function floor(): Promise<number> {
  const handle = await open(file, "r");
  const buffer = Buffer.allocUnsafe(1 << 20);
  let held = Buffer.alloc(0);
  let lines = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    const bytes =
      held.length > 0 ? Buffer.concat([held, buffer.subarray(0, bytesRead)]) : buffer.subarray(0, bytesRead);
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      JSON.parse(bytes.toString("utf8", from, end));
      lines++;
      from = end + 1;
    }
    held = Buffer.from(bytes.subarray(from));
  }
  await handle.close();
  return lines;
}

/** Every entry with text and tools extracted, in one pass. */
async function read(): Promise<number> {
  const adapter = adapterNamed(kind, adapters);
  const state = adapter.fold.initial({ path: file, originalId: "bench" });
  let entries = 0;
  for await (const batch of readRecords(file))
    for (const record of batch)
      for (const folded of adapter.fold.step(state, record)) if (folded.type === "entry") entries++;
  return entries;
}

async function found() {
  const adapter = adapterNamed(kind, adapters);
  const ref = await adapter.recognise(file);
  if (!ref) throw new Error(`${file} is not recognised as ${kind}`);
  return { ref, source: await adapter.open(ref) };
}

async function source() {
  return (await found()).source;
}

/** The skeleton, then all content once. */
async function openWhole(): Promise<number> {
  let entries = 0;
  for await (const _ of (await source()).entries()) entries++;
  return entries;
}

async function carryOver(): Promise<number> {
  return elsewhere(async (to, home) => {
    const { counts } = await carry({ source: await source(), to, ...home, kind: "resume" });
    return counts.user + counts.assistant + counts.tool_call + counts.tool_result;
  });
}

/** Everything but asking the target's CLI for its version: measured, reduced where it has to be, written, recorded. */
async function switchProvider(): Promise<number> {
  return elsewhere(async (to, home) => {
    const { ref, source } = await found();
    const options = { summarizationStrategy: "hybrid" as const };
    const { analysis } = await switchOver({
      source,
      from: ref,
      to,
      ...home,
      adapters,
      asks: true,
      kind: "resume",
      options,
    });
    return analysis.kept.messages;
  });
}

async function elsewhere(
  work: (to: Adapter, home: { home: Home; batonHome: string }) => Promise<number>,
): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "baton-bench-"));
  try {
    const to = adapters.find(({ id }) => id !== kind);
    if (!to) throw new Error("there is no other agent");
    return await work(to, { home: { dir, env: {} }, batonHome: join(dir, ".baton") });
  } finally {
    // Clearing up is no part of carrying.
    process.once("exit", () => rmSync(dir, { recursive: true }));
  }
}
