// Stores that are only read, one of them inside project folders: found, listed, shown, carried into an agent.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { projectsOf } from "../../src/catalog/projects.ts";

const BATON = join(import.meta.dirname, "../../bin/baton.js");
const FIXTURES = join(import.meta.dirname, "../adapters");
const home = mkdtempSync(join(tmpdir(), "baton-stores-"));
const project = join(home, "shop");
const elsewhere = join(home, "..", "elsewhere");

beforeAll(() => {
  cpSync(join(FIXTURES, "yume/fixtures/gemini/native"), join(home, ".yume/sessions"), { recursive: true });
  cpSync(join(FIXTURES, "yume/fixtures/openai-tools/native"), join(home, ".yume/sessions"), {
    recursive: true,
  });
  cpSync(join(FIXTURES, "conversation/fixtures/several-models/native"), join(project, ".conversations"), {
    recursive: true,
  });
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ projects: { [project]: {}, [elsewhere]: {} } }));
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, ".codex/config.toml"), `[projects."${home}/blog"]\ntrust_level = "trusted"\n`);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function baton(...args: string[]): string {
  return execFileSync(process.execPath, [BATON, ...args, "--home", home], {
    encoding: "utf8",
    cwd: tmpdir(),
  });
}

interface Row {
  agent: string;
  originalId: string;
  provider: string;
  project: string;
  title: string;
}

function rows(...args: string[]): Row[] {
  return JSON.parse(baton("list", "--json", ...args)).sessions;
}

describe("projects", () => {
  const env = { dir: home, env: {} };

  it("are what the agents know, and the current folder", async () => {
    const found = await projectsOf(env, adapters, { here: "/here", isNamed: false });
    expect(found).toEqual(["/here", project, elsewhere, join(home, "blog")]);
  });

  it("outside a home that was named are not looked at", async () => {
    expect(await projectsOf(env, adapters, { here: dirname(home), isNamed: true })).toEqual([
      project,
      join(home, "blog"),
    ]);
    const inside = await projectsOf(env, adapters, { here: join(home, "x"), isNamed: true });
    expect(inside).toContain(join(home, "x"));
  });
});

describe("a store that is only read", () => {
  it("is listed with each session's own provider", () => {
    const found = rows().map(({ agent, originalId, provider }) => `${agent}:${originalId} ${provider}`);
    expect(found.toSorted()).toEqual([
      "conversation:conv_1 gemini",
      "yume:sess-abc123 gemini",
      "yume:sess-def456 openai",
    ]);
    expect(rows("--provider", "openai").map(({ originalId }) => originalId)).toEqual(["sess-def456"]);
    expect(rows("--provider", "google").length).toBe(2);
    expect(rows("--project", project).map(({ title }) => title)).toEqual(["Explain this error"]);
  });

  it("is shown and converted", () => {
    expect(baton("show", "sess-def456")).toContain("Let me look.");
    const document = JSON.parse(baton("convert", "conversation:conv_1", "--to", "anthropic"));
    expect(document.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  it("is carried into an agent, and says so when it is to be resumed by itself", () => {
    for (const name of ["yume:sess-def456", "conversation:conv_1"]) {
      const own = spawnSync(process.execPath, [BATON, "resume", name, "--json", "--home", home], {
        encoding: "utf8",
      });
      expect(JSON.parse(own.stdout).error).toMatchObject({
        code: "unsupported",
        hint: expect.stringContaining("--in AGENT"),
      });
      const { agent, counts, path } = JSON.parse(
        baton("resume", name, "--in", "claude", "--json", "--yes", "--cwd", project),
      );
      expect({ agent, path, counts }).toMatchObject({ agent: "claude", path: expect.stringContaining(home) });
    }
  });

  it("with a file of another provider in a folder is listed with that problem", () => {
    const path = join(home, ".yume/sessions/gemini/wrong.json");
    writeFileSync(path, JSON.stringify({ id: "wrong", provider: "openai", model: "o3", history: [] }));
    const row = rows().find(({ originalId }) => originalId === "wrong");
    rmSync(path);
    expect(row).toMatchObject({ problems: [expect.stringContaining("in the folder of gemini")] });
  });
});
