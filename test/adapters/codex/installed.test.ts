// The store, the configuration, the CLI itself, and how it is started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { privateHome, put, targetIn } from "./store.ts";

const id = (n: number) => `01a1e000-0000-7000-8000-00000000000${n}`;
const name = (ids: string) => `rollout-2026-01-01T00-00-00-${ids}.jsonl`;
const meta = (thread: string) =>
  `${JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type: "session_meta", payload: { id: thread } })}\n`;

test("sessions are found by name, in CODEX_HOME or below the home, archived ones too", async () => {
  const home = await privateHome();
  await put(home, `.codex/sessions/2026/01/01/${name(id(1))}`, meta(id(1)));
  await put(home, `.codex/archived_sessions/${name(id(2))}`, meta(id(2)));
  await put(home, `.codex/sessions/rollout-2025-05-07-${id(3)}.json`, "{}");
  await put(home, ".codex/sessions/2026/01/01/notes.jsonl", "x");
  await put(home, ".codex/sessions/2026/01/01/rollout-2026.jsonl", "x");
  await put(home, `elsewhere/sessions/2026/01/01/${name(id(4))}`, meta(id(4)));
  const found = async (env: Record<string, string>) =>
    (await Array.fromAsync(codex.discover({ dir: home.dir, env })))
      .map(({ originalId }) => originalId)
      .sort();
  expect(await found({})).toEqual([id(1), id(2), id(3)]);
  expect(await found({ CODEX_HOME: join(home.dir, "elsewhere") })).toEqual([id(4)]);
  expect(await found({ CODEX_HOME: join(home.dir, "nowhere") })).toEqual([]);
});

test("a reverted thread is one session, in its newest file", async () => {
  const home = await privateHome();
  await put(home, `.codex/sessions/2026/01/01/${name(id(1))}`, meta(id(1)));
  const newest = await put(home, `.codex/sessions/2026/01/01/${name(`${id(1)}_${id(5)}`)}`, meta(id(1)));
  await put(home, `.codex/sessions/2026/01/01/${name(`${id(1)}_${id(3)}`)}`, meta(id(1)));
  const refs = await Array.fromAsync(codex.discover(home));
  expect(refs.map(({ path, originalId }) => [path, originalId])).toEqual([[newest, id(1)]]);
  expect(refs[0]?.files.map(({ role }) => role)).toEqual(["main", "parent", "parent"]);
});

test("a subagent is found with the thread that spawned it", async () => {
  const home = await privateHome();
  const spawn = { parent_thread_id: id(1), depth: 1 };
  const line = (payload: object) => `${JSON.stringify({ type: "session_meta", payload })}\n`;
  await put(home, `.codex/sessions/2026/01/01/${name(id(1))}`, line({ id: id(1) }));
  const source = { subagent: { thread_spawn: spawn } };
  await put(home, `.codex/sessions/2026/01/01/${name(id(2))}`, line({ id: id(2), source }));
  const quoted = JSON.stringify({
    type: "response_item",
    payload: { text: `"parent_thread_id":"${id(1)}"` },
  });
  await put(home, `.codex/sessions/2026/01/01/${name(id(3))}`, `${line({ id: id(3) })}${quoted}\n`);
  const refs = await Array.fromAsync(codex.discover(home));
  const parents = refs.map(({ originalId, parent }) => [originalId, parent]).sort();
  expect(parents).toEqual([
    [id(1), undefined],
    [id(2), id(1)],
    [id(3), undefined],
  ]);
});

test("links are followed, what is not a file is not a session", async () => {
  const home = await privateHome();
  const real = await put(home, "real.jsonl", meta(id(1)));
  await put(home, `.codex/sessions/2026/01/01/${name(id(2))}/inside`, "x");
  await symlink(real, join(home.dir, ".codex/sessions/2026/01/01", name(id(1))));
  await symlink("nowhere", join(home.dir, ".codex/sessions/2026/01/01", name(id(3))));
  const refs = await Array.fromAsync(codex.discover(home));
  expect(refs.map(({ originalId }) => originalId)).toEqual([id(1)]);
});

test.each([
  ["a rollout under any name", meta(id(1)), id(1)],
  [
    "a header without an envelope",
    `${JSON.stringify({ id: id(1), timestamp: "2025", instructions: null })}\n`,
    id(1),
  ],
  [
    "a rollout that lost its first line",
    `${JSON.stringify({ type: "response_item", payload: { type: "message", role: "user", content: [] } })}\n`,
    "x.jsonl",
  ],
  [
    "Claude Code's lines",
    `${JSON.stringify({ type: "user", uuid: "u", sessionId: "s", message: { role: "user", content: "x" } })}\n`,
    undefined,
  ],
  [
    "a universal session",
    `${JSON.stringify({ id: "x", version: "1.0", source: { cli: "codex" } })}\n`,
    undefined,
  ],
  ["text", "hello\n", undefined],
  ["nothing", "", undefined],
])("%s is recognised as %s", async (_, content, expected) => {
  const home = await privateHome();
  const path = await put(home, "x.jsonl", content);
  expect((await codex.recognise(path))?.originalId).toBe(expected);
});

test("the configuration names model, provider and MCP servers; a broken one names nothing", async () => {
  const home = await privateHome();
  expect(await codex.configuration(home)).toEqual({ mcpServers: [] });
  await put(
    home,
    ".codex/config.toml",
    'model = "m"\nmodel_provider = "p"\n[mcp_servers.a]\ncommand = "x"\n',
  );
  expect(await codex.configuration(home)).toEqual({ model: "m", provider: "p", mcpServers: ["a"] });
  const damaged = [await put(home, ".codex/config.toml", "= broken")];
  expect(await codex.configuration(home)).toEqual({ mcpServers: [], damaged });
});

test("the CLI is found on the path and asked for its version in a home of its own", async () => {
  const home = await privateHome();
  const bin = join(home.dir, "bin");
  const search = { PATH: `${bin}:/usr/bin:/bin` };
  expect(await codex.version({ dir: home.dir, env: { PATH: bin } })).toBeUndefined();
  const path = await put(
    home,
    "bin/codex",
    '#!/bin/sh\n[ "$HOME" = "$CODEX_HOME" ] && echo "codex-cli 0.166.0"\n',
  );
  await chmod(path, 0o755);
  expect(await codex.version({ dir: home.dir, env: search })).toEqual({ version: "0.166.0", path });
  await put(home, "bin/codex", "#!/bin/sh\nexit 3\n");
  expect(await codex.version({ dir: home.dir, env: search })).toBeUndefined();
});

/** Node cannot lock a file by itself: without util-linux's program nobody could hold the lock. */
const FLOCK = "/usr/bin/flock";

test.runIf(existsSync(FLOCK))("a session is live while its lock is held", async () => {
  const home = await privateHome();
  const path = await put(home, `.codex/sessions/2026/01/01/${name(id(1))}`, meta(id(1)));
  const ref = { agent: "codex", originalId: id(1), path, files: [] };
  expect(await codex.isLive(ref)).toBe(false);
  const lock = await put(home, `.codex/thread-writer-locks/${id(1)}.lock`, "");
  expect(await codex.isLive(ref)).toBe(false);
  const holder = spawn(FLOCK, [lock, "sh", "-c", "echo held; cat"]);
  await once(holder.stdout, "data");
  expect(await codex.isLive(ref)).toBe(true);
  holder.stdin.end();
  await once(holder, "exit");
  expect(await codex.isLive(ref)).toBe(false);
});

test("a written session goes into the folder of its day and is resumed by its id", async () => {
  const home = await privateHome();
  const target = targetIn(home, { originalId: id(1) });
  const expected = join(home.dir, ".codex/sessions/2026/11/15", `rollout-2026-11-15T12-00-00-${id(1)}.jsonl`);
  expect(codex.pathOf?.(target)).toBe(expected);
  const header = { project: { path: "/p" } };
  expect(codex.resumeCommand?.(id(1), header, { home })).toEqual({
    argv: ["codex", "resume", id(1)],
    cwd: "/p",
    env: {},
  });
  expect(codex.resumeCommand?.(id(1), header, { home, model: "m" }).argv).toEqual([
    "codex",
    "resume",
    id(1),
    "-m",
    "m",
  ]);
});

test("ids are of version 7 and sort by time", () => {
  const ids = Array.from({ length: 50 }, () => codex.newId?.() ?? "");
  expect(new Set(ids).size).toBe(ids.length);
  for (const one of ids)
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const time = Number.parseInt(ids[0]!.replaceAll("-", "").slice(0, 12), 16);
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
});

test("the sandbox speaks to loopback only and can list without a terminal", () => {
  const sandbox = codex.sandbox?.("/private", 4242);
  expect(sandbox?.files[".codex/config.toml"]).toContain('base_url = "http://127.0.0.1:4242/v1"');
  expect(sandbox?.env).toMatchObject({ HOME: "/private", CODEX_HOME: "/private/.codex" });
  expect(sandbox?.resume(id(1), "go")).toEqual([
    "codex",
    "exec",
    "resume",
    "--json",
    "--skip-git-repo-check",
    id(1),
    "go",
  ]);
  const list = sandbox?.list?.();
  expect(
    list?.stdin
      ?.trim()
      .split("\n")
      .map((line) => JSON.parse(line).method),
  ).toEqual(["initialize", "initialized", "thread/list"]);
  expect(list?.isComplete?.('{"id":1,"result":{}}\n')).toBe(false);
  expect(list?.isComplete?.('{"id":1,"result":{}}\n{"id":2,"result":{"data":[]}}\n')).toBe(true);
});
