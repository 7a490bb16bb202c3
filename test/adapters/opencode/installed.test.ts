// What is known of the user's OpenCode: its configuration, whether it works on a session, and a private copy of one.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Home, SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { collect } from "../../../src/session/source.ts";
import { buildDatabases } from "./database.ts";

async function privateHome(files: Record<string, string> = {}): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return { dir, env: {} };
}

async function parts(): Promise<{ home: Home; ref: SessionRef }> {
  const home = await privateHome();
  const store = join(home.dir, ".local", "share", "opencode");
  cpSync(join(import.meta.dirname, "fixtures", "parts", "native"), store, { recursive: true });
  buildDatabases(store);
  const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
  return { home, ref };
}

describe("the configuration", () => {
  it("may hold comments, and names the model and the servers", async () => {
    const config =
      '{\n// the best\n"model": "anthropic/claude-sonnet-4-5", /* and */ "mcp": {"b": {}, "a": {"url": "http://x//y"}}}';
    const home = await privateHome({ ".config/opencode/opencode.jsonc": config });
    expect(await opencode.configuration(home)).toEqual({
      model: "anthropic/claude-sonnet-4-5",
      provider: "anthropic",
      mcpServers: ["a", "b"],
    });
  });

  it("goes by the model that was used last where none is set", async () => {
    const recent = JSON.stringify({ recent: [{ providerID: "openai", modelID: "gpt-5.5" }] });
    const home = await privateHome({ ".local/state/opencode/model.json": recent });
    expect((await opencode.configuration(home)).model).toBe("openai/gpt-5.5");
    expect(await opencode.configuration(await privateHome())).toEqual({ mcpServers: [] });
  });

  it("and the database name the folders that it was used in", async () => {
    const { home } = await parts();
    expect(await opencode.projects?.(home)).toEqual(["/home/dev/project"]);
    expect(await opencode.projects?.(await privateHome())).toEqual([]);
  });
});

// Who holds a file is told by /proc, which only Linux has.
describe.runIf(process.platform === "linux")("a session", () => {
  it("is live while a process holds the database and its last message is not complete", async () => {
    const { ref } = await parts();
    expect(await opencode.isLive(ref)).toBe(false);
    const database = new DatabaseSync(ref.path);
    const sql = `INSERT INTO message VALUES ('msg_z', '${ref.originalId}', ${Date.now()}, ${Date.now()}, '{"role":"user"}')`;
    database.exec(sql);
    database.close();
    expect(await opencode.isLive(ref)).toBe(false);
    const program =
      "const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(process.argv[1]).exec('SELECT 1'); console.log('open'); setInterval(() => 0, 1000)";
    const holder = spawn(process.execPath, ["-e", program, ref.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    expect(await opencode.isLive(ref)).toBe(true);
  });
});

describe("a private copy", () => {
  it("holds the session with its subagents and nothing else, in the folder it is given", async () => {
    const { ref } = await parts();
    const other: DatabaseSync = new DatabaseSync(ref.path);
    other.exec(
      "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('ses_other', 'global', 's', '/x', 't', '1', 1, 1)",
    );
    other.exec("INSERT INTO migration VALUES ('first', 1)");
    other.close();
    const to = await privateHome();
    const copy = await opencode.copy!(ref, to, "/private/project");
    const [mine, original] = await Promise.all([opencode.open(copy), opencode.open(ref)]);
    expect((await collect(mine)).timeline).toEqual((await collect(original)).timeline);
    expect(mine.header.project.path).toBe("/private/project");
    const ids = (await Array.fromAsync(opencode.discover(to))).map(({ originalId }) => originalId);
    expect(ids).toHaveLength(2);
    expect(ids).not.toContain("ses_other");
    const database = new DatabaseSync(copy.path, { readOnly: true });
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT id FROM migration").all()).toMatchObject([{ id: "first" }]);
  });
});
