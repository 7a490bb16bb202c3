// Which sessions a home has: whose they are, how long, in which project, when. Sizes are log-normal with a heavy tail.
import { generator, normalQuantile, type Random } from "./random.ts";

export type Agent = "claude" | "codex" | "opencode" | "gemini";

export interface Planned {
  number: number;
  agent: Agent;
  bytes: number;
  /** Index of the project. */
  project: number;
  /** When it ended, in milliseconds. */
  ended: number;
}

const LAST = Date.parse("2026-11-10T18:00:00Z");
const YEAR = 365 * 24 * 3600 * 1000;
const SMALLEST = 3000;
const LARGEST = 50e6;
/** How far sizes spread: one in a thousand is above 10 MB when the median is 40 KB. */
const SPREAD = 1.7;

/** Who writes stops behind the size that was asked for, never before it. */
const SHORTENED = 0.92;

/** 1,000 sessions make 180 MB, ten times as many 1.5 GB: who has more sessions has more short ones. */
function bytesOf(sessions: number): number {
  return sessions * (sessions <= 1000 ? 180e3 : 150e3) * SHORTENED;
}

export function plan(sessions: number): Planned[] {
  const random = generator(42);
  const sizes = shuffled(random, sizesOf(sessions, bytesOf(sessions)));
  const projects = Math.max(12, Math.round(sessions / 40));
  return sizes.map((bytes, number) => ({
    number,
    bytes,
    agent: agentOf(random),
    // A few projects have most of the sessions.
    project: Math.floor(random() ** 2 * projects),
    // More of late than a year ago.
    ended: Math.floor(LAST - random() ** 1.5 * YEAR),
  }));
}

function agentOf(random: Random): Agent {
  const roll = random();
  if (roll < 0.5) return "claude";
  if (roll < 0.75) return "codex";
  return roll < 0.9 ? "opencode" : "gemini";
}

/** One size of each quantile, scaled so that they add up. */
function sizesOf(count: number, total: number): number[] {
  const shares = Array.from({ length: count }, (_, at) =>
    Math.exp(SPREAD * normalQuantile((at + 0.5) / count)),
  );
  const sum = shares.reduce((all, one) => all + one, 0);
  return shares.map((share) => Math.min(LARGEST, Math.max(SMALLEST, (share / sum) * total)));
}

function shuffled<T>(random: Random, all: T[]): T[] {
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}
