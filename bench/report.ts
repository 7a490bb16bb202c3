// What the bench prints, and how many rounds it takes: ratios of medians, each beside its bar.
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export const MB = 1e6;
export const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 1 : Number(process.env.BENCH_ROUNDS ?? 5);

let missed = 0;

/** How many bars were not met. */
export const misses = (): number => missed;

export function printMachine(): void {
  const memory = `${(totalmem() / 1e9).toFixed(0)} GB`;
  const name = cpus()[0]?.model ?? "unknown processor";
  console.log(`${name}, ${availableParallelism()} cores, ${memory}, Node ${process.versions.node}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)} before the start (ratios suffer when it is not near 0)`);
  console.log(`${ROUNDS} round(s); "floor" reads the same files and parses each line, no more\n`);
}

export function title(text: string): void {
  console.log(`\n${text}`);
}

export function bar(what: string, value: number, limit: number, unit: string): void {
  const met = value <= limit;
  if (!met) missed++;
  const number = value.toFixed(2).padStart(9);
  console.log(`${met ? "ok  " : "MISS"}  ${what.padEnd(58)} ${number} ${unit}  (bar ${limit})`);
}

/** A line of a comparison that has no bar. */
export function compare(what: string, ours: number, theirs: number, unit = "ms"): void {
  const times = (theirs / ours).toFixed(1);
  console.log(
    `      ${what.padEnd(58)} ${ours.toFixed(0).padStart(6)} ${unit}, theirs ${theirs.toFixed(0)} (${times} x)`,
  );
}

export function explain(text: string): void {
  console.log(`      ${text}`);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Every task once a round, so that what disturbs the machine disturbs all of them. */
export async function interleave<Name extends string, Result>(
  tasks: Record<Name, () => Promise<Result>>,
  rounds = ROUNDS,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(tasks) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of names) results[name].push(await tasks[name]());
  return results;
}
