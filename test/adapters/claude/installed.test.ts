// What Baton knows of the Claude Code on this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Home, SessionRef } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "baton-claude-"));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), typeof content === "string" ? content : JSON.stringify(content));
}

describe("the version", () => {
  async function program(script: string): Promise<{ dir: string; env: Record<string, string> }> {
    await put("bin/claude", `#!/bin/sh\n${script}\n`);
    await chmod(join(dir, "bin", "claude"), 0o755);
    return { dir, env: { PATH: `${join(dir, "none")}:${join(dir, "bin")}` } };
  }

  it("is asked of the program on the path", async () => {
    const home = await program("echo '2.1.325 (Claude Code)'");
    expect(await claude.version(home)).toEqual({ version: "2.1.325", path: join(dir, "bin", "claude") });
  });

  it("is not known when there is no program, or one that fails", async () => {
    expect(await claude.version({ dir, env: { PATH: dir } })).toBeUndefined();
    expect(await claude.version(await program("exit 1"))).toBeUndefined();
    expect(await claude.version(await program("echo no number"))).toBeUndefined();
  });
});

describe("the configuration", () => {
  it("holds model, MCP servers and how long sessions are kept", async () => {
    await put(".claude/settings.json", { model: "opus", cleanupPeriodDays: 99 });
    await put(".claude.json", {
      mcpServers: { jira: {} },
      projects: { "/p": { mcpServers: { db: {}, jira: {} } } },
    });
    expect(await claude.configuration({ dir, env: {} })).toEqual({
      provider: "anthropic",
      model: "opus",
      mcpServers: ["db", "jira"],
      retentionDays: 99,
    });
  });

  it("is the CLI's own where nothing is set or the files are damaged", async () => {
    const plain = { provider: "anthropic", mcpServers: [], retentionDays: 30 };
    expect(await claude.configuration({ dir, env: {} })).toEqual(plain);
    await put(".claude/settings.json", "{ not json");
    await put(".claude.json", "[]");
    const damaged = [join(dir, ".claude/settings.json"), join(dir, ".claude.json")];
    expect(await claude.configuration({ dir, env: {} })).toEqual({ ...plain, damaged });
  });

  it("moves with the store", async () => {
    await put("conf/settings.json", { model: "haiku" });
    await put("conf/.claude.json", { mcpServers: { db: {} } });
    const env = { CLAUDE_CONFIG_DIR: join(dir, "conf") };
    expect(await claude.configuration({ dir, env })).toMatchObject({ model: "haiku", mcpServers: ["db"] });
  });
});

describe("a session", () => {
  const ref = (): SessionRef => ({
    agent: "claude",
    originalId: "s1",
    path: join(dir, ".claude/projects/-p/s1.jsonl"),
    files: [],
  });

  it("is live while a running CLI says that it holds it", async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const stat = await readFile(`/proc/${child.pid}/stat`, "utf8").catch(() => "");
    const procStart = stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    await put(`.claude/sessions/${child.pid}.json`, { pid: child.pid, sessionId: "s1", procStart });
    expect(await claude.isLive(ref())).toBe(true);
    expect(await claude.isLive({ ...ref(), originalId: "s2" })).toBe(false);
    expect(await claude.isLive({ ...ref(), originalId: "s1/agent-x", parent: "s1" })).toBe(true);
    child.kill();
    await once(child, "exit");
    expect(await claude.isLive(ref())).toBe(false);
  });

  it("is not live when the process is another one by now, or the file is damaged", async () => {
    await put(`.claude/sessions/${process.pid}.json`, { pid: process.pid, sessionId: "s1", procStart: "1" });
    expect(await claude.isLive(ref())).toBe(process.platform !== "linux");
    await put(`.claude/sessions/${process.pid}.json`, "{");
    expect(await claude.isLive(ref())).toBe(false);
    expect(await claude.isLive({ ...ref(), path: "/elsewhere/s1.jsonl" })).toBe(false);
  });
});

it("a session is resumed by its id, in its folder, with the model that was asked for", () => {
  const project = { path: "/home/dev/project" };
  const home = { dir: "/home/dev", env: {} };
  expect(claude.resumeCommand?.("s1", { project }, { home })).toEqual({
    argv: ["claude", "--resume", "s1"],
    cwd: project.path,
    env: {},
  });
  expect(claude.resumeCommand?.("s1", { project }, { home, model: "opus" }).argv).toEqual([
    "claude",
    "--resume",
    "s1",
    "--model",
    "opus",
  ]);
});

it("a variable of the user's shell does not lead the command to another store", () => {
  vi.stubEnv("CLAUDE_CONFIG_DIR", "/elsewhere");
  onTestFinished(() => void vi.unstubAllEnvs());
  const command = (home: Home) => claude.resumeCommand?.("s1", { project: { path: "/p" } }, { home });
  expect(command({ dir: "/home/dev", env: {} })?.env).toEqual({ CLAUDE_CONFIG_DIR: "/home/dev/.claude" });
  expect(command({ dir: "/home/dev", env: { CLAUDE_CONFIG_DIR: "/elsewhere" } })?.env).toEqual({});
});

it("the sandbox keeps the CLI on loopback and in its private home", () => {
  const { env, resume } = claude.sandbox?.("/private", 4242) ?? { env: {}, resume: () => [] };
  expect(env).toMatchObject({
    ANTHROPIC_BASE_URL: "http://127.0.0.1:4242",
    CLAUDE_CODE_TMPDIR: "/private/tmp",
    DISABLE_AUTOUPDATER: "1",
  });
  expect(resume("s1", "hi").slice(0, 5)).toEqual(["claude", "-p", "hi", "--resume", "s1"]);
});

it("new ids are what the CLI accepts as file names", () => {
  expect(claude.newId?.()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
