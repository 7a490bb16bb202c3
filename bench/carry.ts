// The bars of reading and carrying one session.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { task } from "./child.ts";
import { generate, type Kind } from "./corpus.ts";
import { bar, explain, interleave, MB, median, quick, title } from "./report.ts";

interface Measured {
  ms: number;
  rss: number;
}

const kinds: Kind[] = ["claude", "codex"];

export async function carryBars(): Promise<void> {
  title("Reading and carrying one session");
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-corpus-"));
  try {
    for (const kind of kinds) {
      await readBar(kind, folder);
      await carryBar(kind, folder);
      await smallBar(kind, folder);
      await switchBar(kind, folder, 1, 300);
      await switchBar(kind, folder, 50, 3000);
    }
    if (!quick) for (const kind of kinds) await hugeBar(kind, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readBar(kind: Kind, folder: string) {
  const file = await corpus(kind, folder, 100);
  const { floor, read } = await rounds(kind, file, ["floor", "read"]);
  bar(`${kind}: read 100 MB, text and tools extracted`, ratio(read, floor), 1.5, "x floor");
  explain(`one pass over whole records: ${ms(read)}, floor ${ms(floor)}`);
}

async function carryBar(kind: Kind, folder: string) {
  const file = await corpus(kind, folder, 150);
  const { floor, carry } = await rounds(kind, file, ["floor", "carry"]);
  bar(`${kind}: carry 150 MB, fsync and read-back included`, ratio(carry, floor), 4, "x floor");
  explain(`opened, written, synced, read back: ${ms(carry)}, floor ${ms(floor)}`);
  bar(`${kind}: carry 150 MB, peak memory`, (carry?.rss ?? 0) / MB, 250, "MB");
  explain("the highest resident set of any round, thread included");
}

async function smallBar(kind: Kind, folder: string) {
  const file = await corpus(kind, folder, 1);
  const { carry } = await rounds(kind, file, ["carry"]);
  bar(`${kind}: carry 1 MB`, carry?.ms ?? 0, 300, "ms");
  explain("from opening to published, in a process that has just started");
}

async function switchBar(kind: Kind, folder: string, megabytes: number, limit: number) {
  const file = await corpus(kind, folder, megabytes);
  const measured = (await rounds(kind, file, ["switch"])).switch;
  bar(`${kind}: switch ${megabytes} MB to another provider`, measured?.ms ?? 0, limit, "ms");
  explain(
    `measured, reduced if it has to be, written, read back, recorded; ${((measured?.rss ?? 0) / MB).toFixed(0)} MB`,
  );
}

async function hugeBar(kind: Kind, folder: string) {
  const file = await corpus(kind, folder, 1000);
  const whole = await measure("open", kind, file);
  bar(`${kind}: open and read 1 GB, peak memory`, whole.rss / MB, 250, "MB");
  explain(`skeleton, then every entry once: ${ms(whole)}`);
  await rm(file);
}

async function corpus(kind: Kind, folder: string, megabytes: number): Promise<string> {
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

async function rounds(kind: Kind, file: string, names: string[]): Promise<Record<string, Measured>> {
  const tasks = names.map((name) => [name, () => measure(name, kind, file)] as const);
  const all: Record<string, Measured[]> = await interleave(Object.fromEntries(tasks));
  return Object.fromEntries(Object.entries(all).map(([name, measured]) => [name, middle(measured)]));
}

function middle(all: Measured[]): Measured {
  return { ms: median(all.map(({ ms }) => ms)), rss: Math.max(...all.map(({ rss }) => rss)) };
}

function measure(name: string, kind: Kind, file: string): Promise<Measured> {
  return task("measure.ts", name, kind, file);
}

function ratio(one: Measured | undefined, floor: Measured | undefined): number {
  return (one?.ms ?? Number.NaN) / (floor?.ms ?? Number.NaN);
}

function ms(measured: Measured | undefined): string {
  return `${measured?.ms.toFixed(0) ?? "?"} ms`;
}
