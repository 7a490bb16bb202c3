// `npm run bench`: the bars, as ratios in one run, the median of five interleaved rounds beside the floor.
// `npm run bench -- --quick`: one round and no file of 1 GB, for a look in between.
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generate, type Kind } from "./corpus.ts";

interface Measured {
  ms: number;
  rss: number;
}

const MB = 1e6;
const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 1 : Number(process.env.BENCH_ROUNDS ?? 5);
const kinds: Kind[] = ["claude", "codex"];
const folder = await mkdtemp(join(tmpdir(), "baton-bench-corpus-"));
let failed = 0;

try {
  printMachine();
  for (const kind of kinds) {
    await readBar(kind);
    await carryBar(kind);
    await smallBar(kind);
  }
  if (!quick) for (const kind of kinds) await hugeBar(kind);
} finally {
  await rm(folder, { recursive: true });
}
process.exitCode = failed > 0 ? 1 : 0;

function printMachine() {
  const memory = `${(totalmem() / 1e9).toFixed(0)} GB`;
  const name = cpus()[0]?.model ?? "unknown processor";
  console.log(`${name}, ${availableParallelism()} cores, ${memory}, Node ${process.versions.node}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)} before the start (ratios suffer when it is not near 0)`);
  console.log(`${ROUNDS} round(s); "floor" reads the same file and parses each line, no more\n`);
}

async function readBar(kind: Kind) {
  const file = await corpus(kind, 100);
  const { floor, read } = await interleave(kind, file, ["floor", "read"]);
  bar(`${kind}: read 100 MB, text and tools extracted`, ratio(read, floor), 1.5, "x floor");
  explain(`one pass over whole records: ${ms(read)}, floor ${ms(floor)}`);
}

async function carryBar(kind: Kind) {
  const file = await corpus(kind, 150);
  const { floor, carry } = await interleave(kind, file, ["floor", "carry"]);
  bar(`${kind}: carry 150 MB, fsync and read-back included`, ratio(carry, floor), 4, "x floor");
  explain(`opened, written, synced, read back: ${ms(carry)}, floor ${ms(floor)}`);
  bar(`${kind}: carry 150 MB, peak memory`, (carry?.rss ?? 0) / MB, 250, "MB");
  explain("the highest resident set of any round, thread included");
}

async function smallBar(kind: Kind) {
  const file = await corpus(kind, 1);
  const { carry } = await interleave(kind, file, ["carry"]);
  bar(`${kind}: carry 1 MB`, carry?.ms ?? 0, 300, "ms");
  explain("from opening to published, in a process that has just started");
}

async function hugeBar(kind: Kind) {
  const file = await corpus(kind, 1000);
  const whole = await measure("open", kind, file);
  bar(`${kind}: open and read 1 GB, peak memory`, whole.rss / MB, 250, "MB");
  explain(`skeleton, then every entry once: ${ms(whole)}`);
  await rm(file);
}

async function corpus(kind: Kind, megabytes: number): Promise<string> {
  const name =
    kind === "claude"
      ? "5f0a1b1c-0000-4000-8000-000000000001"
      : "rollout-2026-10-01T08-00-00-019a0000-0000-7000-8000-000000000001";
  const file = join(folder, `${name}.jsonl`);
  await rm(file, { force: true });
  await generate(kind, file, megabytes * MB);
  console.error(`${kind}: ${((await stat(file)).size / MB).toFixed(0)} MB generated`);
  return file;
}

async function interleave(kind: Kind, file: string, tasks: string[]): Promise<Record<string, Measured>> {
  const rounds: Record<string, Measured[]> = {};
  for (let round = 0; round < ROUNDS; round++)
    for (const task of tasks) {
      rounds[task] ??= [];
      rounds[task].push(await measure(task, kind, file));
    }
  return Object.fromEntries(Object.entries(rounds).map(([task, all]) => [task, median(all)]));
}

function median(all: Measured[]): Measured {
  const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return { ms: middle(all.map(({ ms }) => ms)), rss: Math.max(...all.map(({ rss }) => rss)) };
}

async function measure(task: string, kind: Kind, file: string): Promise<Measured> {
  const script = join(import.meta.dirname, "measure.ts");
  // As the program itself does: what was compiled once is not compiled again.
  const cache = join(import.meta.dirname, "../node_modules/.cache/baton");
  const { stdout } = await promisify(execFile)(process.execPath, [script, task, kind, file], {
    encoding: "utf8",
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  return JSON.parse(stdout) as Measured;
}

function ratio(task: Measured | undefined, floor: Measured | undefined): number {
  return (task?.ms ?? Number.NaN) / (floor?.ms ?? Number.NaN);
}

function ms(measured: Measured | undefined): string {
  return `${measured?.ms.toFixed(0) ?? "?"} ms`;
}

function explain(text: string) {
  console.log(`      ${text}`);
}

function bar(what: string, value: number, limit: number, unit: string) {
  const met = value <= limit;
  if (!met) failed++;
  console.log(
    `${met ? "ok  " : "MISS"}  ${what.padEnd(58)} ${value.toFixed(2).padStart(8)} ${unit}  (bar ${limit})`,
  );
}
