// What other programs take for the same job on the same home, in the same run: ccusage for tokens per day, codbash for
// lists and full text. They are installed once, at exact versions, into a folder outside the checkout.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Ran, runBaton, runNode } from "./child.ts";
import { cachedHome } from "./home.ts";
import { compare, explain, interleave, median, title } from "./report.ts";

const PINNED = join(import.meta.dirname, "peers");
const SESSIONS = 1000;
/** Neither frequent nor rare, and in the first words of many texts: one of them looks at nothing else. */
const WORD = "merge";

export async function peerBars(): Promise<void> {
  title(`Others, at the same job on the same ${SESSIONS} sessions (whole processes)`);
  const modules = await installed();
  if (modules === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-peers-run-"));
  try {
    await compareAll(modules, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where they are; undefined when they cannot be had. */
async function installed(): Promise<string | undefined> {
  const lock = readFileSync(join(PINNED, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `baton-bench-peers-${hash}`);
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`;
    cpSync(PINNED, made, { recursive: true });
    try {
      // Not `npm ci`: it wants the packages of every platform in the lock file, and some registries have not got them.
      await promisify(execFile)("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
        cwd: made,
      });
    } catch (error) {
      rmSync(made, { recursive: true });
      explain(`skipped: they could not be installed (${String(error).split("\n")[0]})`);
      return undefined;
    }
    renameSync(made, folder);
  }
  return join(folder, "node_modules");
}

async function compareAll(modules: string, folder: string): Promise<void> {
  const home = privateHome(folder);
  const batonHome = join(folder, "baton");
  const temporary = join(folder, "tmp");
  const baton = (...args: string[]) => runBaton(args, { home, batonHome });
  const peer = (script: string, ...args: string[]) =>
    runNode([join(modules, script), ...args], peerEnvironment(home, temporary));
  const ccusage = () => peer("ccusage/src/cli.js", "daily", "--json", "--offline");
  const codbash = (...args: string[]) => peer("codbash-app/bin/cli.js", ...args);
  const fresh = () => {
    for (const kept of [batonHome, temporary]) rmSync(kept, { recursive: true, force: true });
    mkdirSync(temporary);
  };
  const all = String(10 * SESSIONS);
  const jobs: [string, () => Promise<Ran>, () => Promise<Ran>][] = [
    ["tokens per day (ccusage)", () => baton("usage", "--by", "day", "--json"), ccusage],
    ["list of everything (codbash)", () => baton("list", "--limit", all), () => codbash("list", all)],
    ["full text search (codbash)", () => baton("search", WORD), () => codbash("search", WORD)],
  ];
  for (const [what, ours, theirs] of jobs) {
    await measure(`${what}, cold`, ours, theirs, fresh);
    await baton("sync");
    await measure(`${what}, warm`, ours, theirs, () => undefined);
  }
}

async function measure(
  what: string,
  ours: () => Promise<Ran>,
  theirs: () => Promise<Ran>,
  before: () => void,
): Promise<void> {
  const after = (run: () => Promise<Ran>) => () => {
    before();
    return run();
  };
  const measured = await interleave({ ours: after(ours), theirs: after(theirs) });
  const middle = (all: Ran[]) => median(all.map(({ ms }) => ms));
  compare(what, middle(measured.ours), middle(measured.theirs));
}

/** The stores are those of the corpus; what somebody leaves beside them is not. */
function privateHome(folder: string): string {
  const home = join(folder, "home");
  mkdirSync(home);
  for (const store of [".claude", ".codex", ".gemini", ".local"])
    symlinkSync(join(cachedHome(SESSIONS), store), join(home, store));
  return home;
}

/** Nothing listens at the proxy: whoever asks the network is refused at once. */
function peerEnvironment(home: string, temporary: string): NodeJS.ProcessEnv {
  const proxy = "http://127.0.0.1:9";
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: temporary,
    SHELL: "/bin/sh",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_COLOR: "1",
  };
}
