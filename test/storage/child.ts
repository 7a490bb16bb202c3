// A process of its own that changes a store and can be ended at any step. It prints what happened as JSON lines.
// Usage: child.ts FOLDER '{"action":"apply","kill":3}'
import { execFileSync } from "node:child_process";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { apply } from "../../src/storage/apply.ts";
import type { Change } from "../../src/storage/changes.ts";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import { facts, picture, placesIn, session } from "./store.ts";

export interface ChildRequest {
  action: "apply" | "undo" | "recover";
  /** End at this step, counted from 0, as `kill -9` does. */
  kill?: number;
  /** As on a disk without hard links. */
  noLinks?: boolean;
  /** Replaces the session with one file of so many pieces of 64 KB. */
  pieces?: number;
  /** The user to be. */
  user?: number;
  /** Shell commands to run before certain steps. */
  shell?: Record<string, string>;
  /** Wait at this step until a line comes in. */
  wait?: string;
  /** Print a line for each step. */
  verbose?: boolean;
}

/** The last line. */
export interface ChildResult {
  state?: string;
  code?: string;
  message?: string;
  hint?: string;
  before: Record<string, string>;
  after: Record<string, string>;
}

const [folder = "", argument = "{}"] = process.argv.slice(2);
const request = JSON.parse(argument) as ChildRequest;
const places = placesIn(folder);
const { batonHome } = places;
let steps = 0;

if (request.noLinks) {
  promises.link = () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM", syscall: "link" }));
  syncBuiltinESMExports();
}
if (request.user !== undefined) {
  process.setgid?.(request.user);
  process.setuid?.(request.user);
}

async function onStep(step: string): Promise<void> {
  if (request.verbose) console.log(JSON.stringify({ step }));
  if (steps++ === request.kill) process.kill(process.pid, "SIGKILL");
  const command = request.shell?.[step];
  if (command) execFileSync("sh", ["-c", command], { env: { ...process.env, STORE: places.store } });
  if (step === request.wait) await new Promise((resume) => process.stdin.once("data", resume));
}

async function* pieces(count: number): AsyncGenerator<Change> {
  for (let at = 0; at < count; at++)
    yield { type: "create", path: places.main, bytes: `${at} `.repeat(1 << 14) };
}

async function act(): Promise<{ state?: string }> {
  const changes = request.pieces === undefined ? session(places) : pieces(request.pieces);
  if (request.action === "apply")
    return apply(changes, { batonHome, facts, onStep, readBack: async () => undefined });
  if (request.action === "undo") return undo(batonHome, undefined, onStep);
  const { settled } = await recover(batonHome, onStep);
  return settled[0] ?? {};
}

/** Without what only fills the disk. */
function seen(): Record<string, string> {
  const { zero: _, ...rest } = picture(places.store);
  return rest;
}

const before = seen();
const outcome = await act().then(
  ({ state }) => ({ state }),
  ({ code, message, hint }) => ({ code, message, hint }),
);
console.log(JSON.stringify({ ...outcome, before, after: seen() }));
process.stdin.destroy();
