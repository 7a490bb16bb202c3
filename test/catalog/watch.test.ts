// Watches real folders and waits for what the system tells.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { opencode } from "../../src/adapters/opencode/index.ts";
import { watch } from "../../src/catalog/watch.ts";
import { emptyStore } from "../adapters/opencode/database.ts";

vi.mock("node:fs", { spy: true });

const CLAUDE = ".claude/projects/-p/1.jsonl";
const ID = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const CODEX = `.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}.jsonl`;
const GEMINI = ".gemini/tmp/p/chats/session-2026-01-02T03-04-0199a213.jsonl";

afterEach(() => vi.restoreAllMocks());

describe("a change", () => {
  it.each([CLAUDE, CODEX, GEMINI, ".yume/sessions/openai/1.json"])("to %s is told", async (path) => {
    const { put, changed } = await watchedHome({ [path]: "{}\n" });
    put(path, "{}\n");
    expect(await changed()).toEqual([path]);
  });

  it("to the names of sessions is told, and to nothing else beside them", async () => {
    const { put, changed, calls, told } = await watchedHome({ [CODEX]: "{}\n" });
    put(".codex/session_index.jsonl", "{}\n");
    expect(await changed()).toEqual([CODEX]);
    put(".codex/session_index.jsonl", "{}\n");
    expect(await changed()).toEqual([CODEX]);
    const before = calls();
    put(".codex/history.jsonl", "{}\n");
    await told(".codex/history.jsonl");
    expect(calls()).toBe(before);
  });

  it("to a long output is told as one to its session, and to nothing else beside that", async () => {
    const session = `.claude/projects/-p/${ID}.jsonl`;
    const output = `.claude/projects/-p/${ID}/tool-results/toolu_1.txt`;
    const { put, changed, calls, told, toldOf } = await watchedHome({ [session]: "{}\n" });
    put(output, "a\n");
    expect(await changed()).toEqual([session]);
    put(output, "b\n");
    await changed();
    expect(toldOf()).toEqual([session]);
    const before = calls();
    put(".claude/projects/-p/sessions-index.json", "{}\n");
    await told(".claude/projects/-p/sessions-index.json");
    expect(calls()).toBe(before);
  });

  it.each([
    `.claude/projects/-p/${ID}/subagents/agent-1.jsonl`,
    `.claude/projects/-p/${ID}/subagents/workflows/1/agent-2.jsonl`,
    `.gemini/tmp/p/chats/${ID}/session-2026-01-02T03-05-0199a214.jsonl`,
    `.gemini/tmp/p/chats/${ID}.agents/session-2026-01-02T03-05-0199a214.jsonl`,
  ])("to a subagent, %s, is told, also to the first one", async (path) => {
    const { put, changed } = await watchedHome({ [CLAUDE]: "{}\n", [GEMINI]: "{}\n" });
    put(path, "{}\n");
    expect(await changed()).toContain(path);
    put(path, "{}\n");
    expect(await changed()).toContain(path);
  });

  it("is told in a project that is new, and in one that was moved here", async () => {
    const { dir, put, changed } = await watchedHome({ [CLAUDE]: "{}\n" });
    const [made, moved] = [".claude/projects/-new/2.jsonl", ".claude/projects/-moved/3.jsonl"];
    put(made, "{}\n");
    expect(await changed()).toContain(made);
    put(made, "{}\n");
    await changed();
    put("elsewhere/3.jsonl", "{}\n");
    renameSync(join(dir, "elsewhere"), dirname(join(dir, moved)));
    expect(await changed()).toContain(moved);
    put(moved, "{}\n");
    await changed();
  });

  it("is told on a new day of a new month of a new year", async () => {
    const { put, changed } = await watchedHome({ [CODEX]: "{}\n" });
    const next = CODEX.replace("2026/01/02", "2027/02/03").replace("035a53", "035a54");
    put(next, "{}\n");
    expect(await changed()).toContain(next);
    put(next, "{}\n");
    await changed();
  });

  it("is told of stores that were not there, and that come back after they were moved away", async () => {
    const { dir, put, changed } = await watchedHome({});
    for (const path of [CLAUDE, CODEX, GEMINI]) {
      put(path, "{}\n");
      expect(await changed()).toContain(path);
      put(path, "{}\n");
      await changed();
    }
    renameSync(join(dir, ".codex"), join(dir, "away"));
    expect(await changed()).not.toContain(CODEX);
    renameSync(join(dir, "away"), join(dir, ".codex"));
    expect(await changed()).toContain(CODEX);
    put(CODEX, "{}\n");
    await changed();
  });

  it("is told when a project's folder is removed and made again", async () => {
    const { dir, put, changed } = await watchedHome({ [CLAUDE]: "{}\n" });
    rmSync(join(dir, ".claude/projects/-p"), { recursive: true });
    expect(await changed()).toEqual([]);
    put(CLAUDE, "{}\n");
    expect(await changed()).toEqual([CLAUDE]);
    put(CLAUDE, "{}\n");
    await changed();
  });

  it("is told behind a link to another disk", async () => {
    const { dir, put, changed } = await watchedHome({ [CLAUDE]: "{}\n" });
    put("disk/-linked/4.jsonl", "{}\n");
    symlinkSync(join(dir, "disk/-linked"), join(dir, ".claude/projects/-linked"));
    expect(await changed()).toContain(".claude/projects/-linked/4.jsonl");
    put("disk/-linked/4.jsonl", "{}\n");
    await changed();
  });
});

describe("what happens together", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    return () => vi.useRealTimers();
  });

  it("is told once: a thousand lines are one change", async () => {
    const { put, changed, calls, told } = await watchedHome({ [CLAUDE]: "{}\n" });
    const before = calls();
    for (let line = 0; line < 1000; line++) put(CLAUDE, "{}\n");
    await told(CLAUDE);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    await changed();
    expect([calls() - before, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("is told within a second, although it does not end", async () => {
    const { put, changed, calls, told } = await watchedHome({ [CLAUDE]: "{}\n" });
    const before = calls();
    for (let time = 0; time < 1000; time += 50) {
      expect(calls()).toBe(before);
      put(CLAUDE, "{}\n");
      await told(CLAUDE);
      vi.advanceTimersByTime(50);
    }
    await changed();
    expect(calls()).toBe(before + 1);
  });

  it("is told of a database while only its log has it, and reading it is nothing that happens", async () => {
    const dir = await newFolder();
    const path = emptyStore(dir);
    const { changed, told } = await watchedHome({}, dir);
    const settle = async () => {
      await told(".local/share/opencode/any");
      while (vi.getTimerCount() > 0) {
        vi.advanceTimersByTime(100);
        await changed();
        await told(".local/share/opencode/any");
      }
    };
    await settle();
    const writer = new DatabaseSync(path);
    const before = fs.statSync(path).mtimeMs;
    writer.exec("UPDATE project SET name = 'another'");
    await told(".local/share/opencode/any");
    expect([vi.getTimerCount(), fs.statSync(path).mtimeMs]).toEqual([1, before]);
    writer.close();
    await settle();
    expect([...opencode.discover({ dir, env: {} })]).toEqual([]);
    await settle();
    // The log is there now, and reading it again changes nothing but when it was touched.
    expect([...opencode.discover({ dir, env: {} })]).toEqual([]);
    await told(".local/share/opencode/any");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer behind when it concerns no session", async () => {
    const stores = { [CLAUDE]: "", [CODEX]: "", [GEMINI]: "", ".local/share/opencode/log/dev.log": "" };
    const { put, told } = await watchedHome(stores);
    const noise = [
      ".bash_history",
      ".claude/settings.json",
      ".claude/projects/-p/notes.md",
      ".codex/history.jsonl",
      ".gemini/tmp/p/logs.json",
      ".gemini/tmp/p/tool-outputs/x/1.json",
      ".local/share/opencode/log/dev.log",
    ];
    for (const path of noise) {
      put(path, "x\n");
      await told(path);
      put(path, "x\n");
      await told(path);
    }
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the system", () => {
  it("is asked for one descriptor, however many sessions there are", async () => {
    const dir = await newFolder();
    for (let at = 0; at < 2000; at++) {
      const path = join(dir, ".claude", "projects", `-p${at % 60}`, `${at}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "{}\n");
    }
    const before = descriptors();
    const { put, changed } = await watchedHome({}, dir);
    expect(descriptors() - before).toBeLessThanOrEqual(1);
    // The folders of projects, that of all projects, and the nearest above each store.
    expect(vi.mocked(fs.watch).mock.calls.length).toBeLessThan(60 + 10);
    put(".claude/projects/-p59/1.jsonl", "{}\n");
    await changed();
  });

  it.each(["ENOSPC", "EMFILE"])(
    "that refuses with %s is looked at every few seconds, which is said",
    async (code) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const real = vi.mocked(fs.watch).getMockImplementation();
      vi.mocked(fs.watch).mockImplementation(() => {
        throw Object.assign(new Error("no more"), { code });
      });
      const { put, changed, notices } = await watchedHome({ [CLAUDE]: "{}\n" });
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      expect(notices).toEqual([expect.stringContaining("looked through every few seconds")]);
      vi.advanceTimersToNextTimer();
      await changed();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      // Once there is room again it is watched again.
      vi.mocked(fs.watch).mockRestore();
      expect(real).toBeUndefined();
      vi.advanceTimersToNextTimer();
      await changed();
      expect(vi.getTimerCount()).toBe(0);
      put(CLAUDE, "{}\n");
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      vi.advanceTimersToNextTimer();
      await changed();
      expect(notices).toHaveLength(1);
    },
  );
});

describe("the end", () => {
  it("comes with the signal, after the call that is under way, and closes everything", async () => {
    const before = descriptors();
    const { end, calls } = await watchedHome({ [CLAUDE]: "{}\n" });
    await end();
    expect(calls()).toBe(1);
    expect(vi.mocked(fs.watch).mock.results.length).toBeGreaterThan(0);
    expect(descriptors() - before).toBeLessThanOrEqual(1);
  });

  it("comes with an error of the one who is told", async () => {
    const dir = await newFolder();
    const { signal } = new AbortController();
    const work = async () => Promise.reject(new Error("the catalog is damaged"));
    await expect(watch({ dir, env: {} }, adapters, work, { signal })).rejects.toThrow(
      "the catalog is damaged",
    );
  });

  it("has come when the signal was given before", async () => {
    const signal = AbortSignal.abort();
    const work = async () => expect.unreachable("nobody wants to know");
    const home = { dir: await newFolder(), env: {} };
    await expect(watch(home, adapters, work, { signal })).resolves.toBeUndefined();
  });
});

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "baton-watch-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A home that is watched, once the first call is done. */
async function watchedHome(files: Readonly<Record<string, string>>, given?: string) {
  const dir = given ?? (await newFolder());
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    appendFileSync(join(dir, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const ending = new AbortController();
  const notices: string[] = [];
  let calls = 0;
  let seen = 0;
  let found: string[] = [];
  const { promise: wasCalled, ...bell } = bells();
  let toldOf: string[] | undefined;
  const onChange = async (paths: ReadonlySet<string> | undefined) => {
    toldOf = paths && Array.from(paths, (path) => relative(dir, path));
    const refs = adapters.flatMap((adapter) => [...adapter.discover({ dir, env: {} })]);
    found = refs.map(({ path }) => relative(dir, path));
    calls++;
    bell.ring();
  };
  const options = { signal: ending.signal, onNotice: (sentence: string) => notices.push(sentence) };
  const done = watch({ dir, env: {} }, adapters, onChange, options);
  const end = async () => {
    ending.abort();
    await done;
  };
  onTestFinished(end);
  /** The sessions that are found, once there was a call that nobody has waited for yet. */
  const changed = async () => {
    while (calls === seen) await wasCalled();
    seen = calls;
    return found;
  };
  await changed();
  return {
    dir,
    put,
    changed,
    calls: () => calls,
    /** Those that changed, as far as that was told. */
    toldOf: () => toldOf,
    notices,
    end,
    told: (path: string) => told(dir, path, put),
  };
}

function bells() {
  let next = Promise.withResolvers<void>();
  return {
    promise: () => next.promise,
    ring() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
  };
}

/** Until the system has told everything that happened so far: it tells in order, and this last. */
async function told(dir: string, path: string, put: (path: string, text: string) => void): Promise<void> {
  const folder = dirname(join(dir, path));
  const watcher = fs.watch(folder);
  // A new one each time: about the last one there may be more to tell.
  const last = `and-then-${randomUUID()}`;
  put(join(dirname(path), last), "x");
  for await (const [, name] of on(watcher)) if (name === last) break;
  watcher.close();
}

async function* on(watcher: fs.FSWatcher): AsyncGenerator<unknown[]> {
  while (true) yield await once(watcher, "change");
}

/** Other systems do not list them. */
function descriptors(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}
