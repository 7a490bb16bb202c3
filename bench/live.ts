// The bars of live runs: what an event costs on its way from the agent to whoever reads the stream, and that memory
// stays the same however many there are. The agent is a program that says what Claude Code says, with the time in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { bar, explain, interleave, MB, median, percentile, quick, title } from "./report.ts";

const AGENT = join(import.meta.dirname, "live-agent.mjs");
const BATON = join(import.meta.dirname, "../bin/baton.js");
const PACED = quick ? 500 : 2000;
/** Half of it for the engine, which lets its heap grow until it has collected all of it a few times. */
const FLOOD = quick ? 40_000 : 400_000;

export async function liveBars(): Promise<void> {
  title("Live runs");
  const home = await mkdtemp(join(tmpdir(), "baton-bench-live-"));
  try {
    await symlink(AGENT, join(home, "claude"));
    await latencyBar(home);
    await memoryBar(home);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Both are read by the same reader, so what it takes itself is in both. */
async function latencyBar(home: string): Promise<void> {
  const env = { BENCH_EVENTS: String(PACED), BENCH_PACE: "2" };
  const measured = await interleave({
    floor: () => follow([AGENT], home, { ...env, BENCH_FLOOR: "1" }),
    baton: () => follow([BATON, ...RUN], home, env),
  });
  const p95 = (name: keyof typeof measured) =>
    median(measured[name].map(({ latencies }) => percentile(latencies, 0.95)));
  bar("an event on its way through Baton, p95", p95("baton") - p95("floor"), 1, "ms");
  const counted = median(measured.baton.map(({ latencies }) => latencies.length));
  explain(
    `${counted} pieces of text, 2 ms apart: ${p95("baton").toFixed(2)} ms, floor (a plain pipe) ${p95("floor").toFixed(2)} ms`,
  );
}

async function memoryBar(home: string): Promise<void> {
  const env = { BENCH_EVENTS: String(FLOOD) };
  const { run } = await interleave({ run: () => follow([BATON, ...RUN], home, env) });
  const halves = run.map(({ memory }) => {
    const middle = memory.length / 2;
    return [Math.max(...memory.slice(0, middle)), Math.max(...memory.slice(middle))] as const;
  });
  const growth = median(halves.map(([early, late]) => Math.max(0, late - early)));
  const first = median(run.map(({ memory: [start = 0] }, at) => (halves[at]?.[0] ?? 0) - start));
  const most = median(halves.map((both) => Math.max(...both)));
  bar(`${FLOOD} events, memory of the second half beyond the first`, growth / MB, 10, "MB");
  const counted = median(run.map(({ latencies }) => latencies.length));
  const seconds = median(run.map(({ ms }) => ms)) / 1000;
  explain(
    `${counted} pieces in ${seconds.toFixed(1)} s, at most ${(most / MB).toFixed(0)} MB; the first half took ${(first / MB).toFixed(0)} MB`,
  );
}

const RUN = ["run", "claude", "-p", "Go", "--output-format", "stream-json"];

interface Followed {
  latencies: number[];
  /** Resident, of the process itself, now and then. */
  memory: number[];
  ms: number;
}

const TIME = /"text":"t(\d+) /g;

async function follow(
  command: readonly string[],
  home: string,
  env: Record<string, string>,
): Promise<Followed> {
  const start = performance.now();
  const child = spawn(process.execPath, [...command], {
    cwd: home,
    env: { ...env, PATH: [home, dirname(process.execPath), process.env.PATH].join(delimiter), HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const latencies: number[] = [];
  const memory: number[] = [];
  let rest = "";
  for await (const chunk of child.stdout) {
    const now = process.hrtime.bigint();
    const text = rest + chunk;
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    for (const [, sent] of text.slice(0, end).matchAll(TIME))
      latencies.push(Number(now - BigInt(sent ?? 0)) / 1e6);
    if (latencies.length / 500 > memory.length) memory.push(residentOf(child.pid));
  }
  const status = child.exitCode ?? (await once(child, "exit"))[0];
  if (status !== 0 || latencies.length !== Number(env.BENCH_EVENTS))
    throw new Error(`${latencies.length} of ${env.BENCH_EVENTS} pieces came, and it ended with ${status}.`);
  return { latencies, memory, ms: performance.now() - start };
}

function residentOf(pid = 0): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
