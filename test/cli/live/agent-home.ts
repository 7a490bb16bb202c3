// A private home in which a small program stands for Claude Code, and Baton's launcher run there.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent } from "../../../src/session/events.ts";
import { agent } from "../../run/fake.ts";

export const LAUNCHER = join(import.meta.dirname, "../../../bin/baton.js");
/** As a program reads it. */
export const STREAM = ["--output-format", "stream-json"];

export interface AgentHome {
  dir: string;
  env: Record<string, string>;
  /** `input` may be an open file. */
  start(args: readonly string[], input?: "pipe" | "ignore" | number): ChildProcess;
  baton(
    args: readonly string[],
    input?: string,
  ): Promise<{ status: number | null; stdout: string; stderr: string }>;
  remove(): void;
}

export function makeAgentHome(): AgentHome {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "baton-run-")));
  const bin = join(dir, "bin");
  mkdirSync(bin);
  symlinkSync(agent("claude.mjs"), join(bin, "claude"));
  const env = { PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter), HOME: dir };
  const start: AgentHome["start"] = (args, input = "pipe") =>
    spawn(process.execPath, [LAUNCHER, ...args], { cwd: dir, env, stdio: [input, "pipe", "pipe"] });
  return {
    dir,
    env,
    start,
    async baton(args, input = "") {
      const child = start(args);
      child.stdin?.on("error", () => undefined).end(input);
      const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
      if (child.exitCode === null) await once(child, "exit");
      return { status: child.exitCode, stdout, stderr };
    },
    remove: () => rmSync(dir, { recursive: true, maxRetries: 5 }),
  };
}

/** All of a stream that keeps the protocol's rules. */
export function eventsIn(stdout: string): AgentEvent[] {
  const checker = newEventChecker();
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
  return events;
}
