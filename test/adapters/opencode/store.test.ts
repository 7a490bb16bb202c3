// Where sessions are found, how they are named, and what a database that somebody else uses does to reading it.
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Home, SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { locate } from "../../../src/catalog/locate.ts";
import { findSessions } from "../../../src/catalog/scan.ts";
import { carry } from "../../../src/switch/carry.ts";
import { visible } from "../../../src/transform/visible.ts";
import { buildDatabases, emptyStore, newGoDatabase } from "./database.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

async function homeWith(...fixtures: string[]): Promise<Home & { store: string }> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const store = join(dir, ".local", "share", "opencode");
  for (const fixture of fixtures) cpSync(join(FIXTURES, fixture, "native"), store, { recursive: true });
  mkdirSync(store, { recursive: true });
  buildDatabases(store);
  return { dir, env: {}, store };
}

const found = (home: Home) => Array.fromAsync(opencode.discover(home));
const words = async (ref: SessionRef | undefined) => {
  const entries = await Array.fromAsync(visible(await opencode.open(ref as SessionRef)).entries());
  return entries.map(
    (entry) =>
      `${entry.type}: ${"content" in entry ? entry.content : "output" in entry ? entry.output : entry.id}`,
  );
};

describe("sessions", () => {
  it("of the database and of the tree are listed, one that both hold once, from the database", async () => {
    const home = await homeWith("recorded", "tree");
    const before = await found(home);
    expect(before.map(({ path }) => path.endsWith(".db"))).toEqual([true, false]);
    const [{ originalId } = { originalId: "" }] = before;
    const storage = join(home.store, "storage");
    const [, tree] = before;
    cpSync(tree?.path ?? "", join(storage, "session", "global", `${originalId}.json`));
    cpSync(join(storage, "message", tree?.originalId ?? ""), join(storage, "message", originalId), {
      recursive: true,
    });
    expect((await found(home)).map((ref) => ref.originalId)).toEqual(before.map((ref) => ref.originalId));
    expect((await found(home))[0]?.path).toBe(before[0]?.path);
  });

  it("of the tree are not hidden by a row without messages", async () => {
    const home = await homeWith("recorded", "tree");
    const [first, tree] = await found(home);
    const database = new DatabaseSync(first?.path ?? "");
    database.exec("PRAGMA foreign_keys = OFF");
    database.prepare("UPDATE session SET id = ?").run(tree?.originalId ?? "");
    database.close();
    const [only, ...others] = await findSessions(home, [opencode]);
    expect(others).toEqual([]);
    expect(only?.ref.path).toBe(tree?.path);
  });

  it("that were exported are known by what they hold, whatever the file is called", async () => {
    const home = await homeWith("parts");
    const [ref] = await found(home);
    const path = join(home.dir, "stdin");
    const user = { id: "msg_1", role: "user", time: { created: 1 } };
    const parts = [{ id: "prt_1", type: "text", text: "From a pipe" }];
    writeFileSync(path, JSON.stringify({ info: { id: ref?.originalId }, messages: [{ info: user, parts }] }));
    const piped = await opencode.recognise(path);
    expect(piped).toMatchObject({ originalId: ref?.originalId, path });
    expect(await words(piped)).toEqual(["user: From a pipe"]);
  });

  it("have the size and the time of their own, and subagents name their parent", async () => {
    const home = await homeWith("parts");
    const [first, second] = await found(home);
    expect(first?.files[0]?.size).toBeGreaterThan(second?.files[0]?.size ?? 0);
    expect(second?.parent).toBe(first?.originalId);
    expect(new Date(first?.files[0]?.mtimeMs ?? 0).getUTCFullYear()).toBe(2026);
  });

  it("follow XDG_DATA_HOME", async () => {
    const { dir } = await homeWith("recorded");
    const moved = { dir: "/nowhere", env: { XDG_DATA_HOME: join(dir, ".local", "share") } };
    expect(await found(moved)).toHaveLength(1);
  });

  it("of the Go version are found in the folders of projects", async () => {
    const home = await homeWith();
    const project = join(home.dir, "shop");
    const parts = (...list: object[]) => JSON.stringify(list);
    newGoDatabase(join(project, ".opencode", "opencode.db"), [
      {
        table: "sessions",
        row: { id: "0a1b", title: "Prices", cost: 0.5, created_at: 1_750_000_000, updated_at: 1_750_000_100 },
      },
      message("m1", "user", 1, parts({ type: "text", data: { text: "What does it cost?" } })),
      message(
        "m2",
        "assistant",
        2,
        parts(
          { type: "reasoning", data: { thinking: "Look." } },
          { type: "text", data: { text: "Looking." } },
          {
            type: "tool_call",
            data: { id: "c1", name: "view", input: '{"file_path":"a.ts"}', type: "", finished: true },
          },
          { type: "finish", data: { reason: "tool_use", time: 3 } },
        ),
      ),
      message(
        "m3",
        "tool",
        3,
        parts({
          type: "tool_result",
          data: { tool_call_id: "c1", name: "view", content: "7", is_error: false },
        }),
      ),
    ]);
    expect(await found(home)).toEqual([]);
    const [ref] = await found({ ...home, projects: [project] });
    const source = await opencode.open(ref as SessionRef);
    expect(source.header).toMatchObject({
      title: "Prices",
      project: { path: project },
      metadata: { cost: 0.5 },
    });
    expect(await Array.fromAsync(source.entries())).toMatchObject([
      { type: "user", content: "What does it cost?" },
      { type: "assistant", content: "Looking.", turn: "m2" },
      { type: "tool_call", id: "c1", tool: "read", input: { path: "a.ts" }, turn: "m2" },
      { type: "tool_result", callId: "c1", output: "7", success: true },
    ]);
    // Its rows have no place in today's tables: a copy is written anew.
    const path = emptyStore(home.dir);
    const batonHome = join(home.dir, ".baton");
    const copy = await carry({ source, to: opencode, home, batonHome, cwd: project, kind: "fork" });
    const [now] = await found(home);
    expect(now).toMatchObject({ path, originalId: copy.originalId });
    expect(await words(now)).toEqual([
      "user: What does it cost?",
      "assistant: Looking.",
      "tool_call: c1",
      "tool_result: 7",
    ]);
  });

  function message(id: string, role: string, time: number, parts: string) {
    const row = {
      id,
      session_id: "0a1b",
      role,
      parts,
      created_at: 1_750_000_000 + time,
      updated_at: 1_750_000_000 + time,
    };
    return { table: "messages", row };
  }

  it("are not named by the path of a database that holds several", async () => {
    const home = await homeWith("recorded");
    const [one] = await found(home);
    const path = one?.path ?? "";
    expect((await locate(path, home, [opencode])).ref.originalId).toBe(one?.originalId);
    const database = new DatabaseSync(path);
    database.exec(
      "INSERT INTO session SELECT 'ses_second', project_id, workspace_id, parent_id, slug, directory, path, title, version, share_url, summary_additions, summary_deletions, summary_files, summary_diffs, metadata, cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write, revert, permission, agent, model, time_created, time_updated, time_compacting, time_archived FROM session",
    );
    database.exec(
      "INSERT INTO message SELECT 'second_' || id, 'ses_second', time_created, time_updated, data FROM message",
    );
    database.close();
    await expect(locate(path, home, [opencode])).rejects.toMatchObject({ code: "ambiguous" });
    rmSync(`${path}-wal`, { force: true });
    const copy = join(home.dir, "copy.db");
    cpSync(path, copy);
    await expect(opencode.recognise(copy)).rejects.toMatchObject({
      code: "ambiguous",
      message: expect.stringContaining("ses_second"),
    });
  });

  it("of two databases are told apart, and exact copies count once", async () => {
    const home = await homeWith("recorded");
    cpSync(join(home.store, "opencode.db"), join(home.store, "opencode-beta.db"));
    expect(await findSessions(home, [opencode])).toHaveLength(1);
  });

  it("in something that is no database are a problem that is told", async () => {
    const home = await homeWith();
    mkdirSync(home.store, { recursive: true });
    writeFileSync(join(home.store, "opencode.db"), "not a database at all, but long enough to look at");
    const problems: string[] = [];
    const onProblem = (path: string, error: Error) => problems.push(`${path} ${error.message}`);
    expect([...opencode.discover(home, { onProblem })]).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});

describe("while OpenCode uses the database", () => {
  it("what it has committed is seen, and what it is about to commit is not", async () => {
    const home = await homeWith("recorded");
    const [ref] = await found(home);
    const before = await words(ref);
    const running = new DatabaseSync(ref?.path ?? "");
    running.exec("BEGIN IMMEDIATE");
    running.exec("DELETE FROM part WHERE id IN (SELECT id FROM part ORDER BY id DESC LIMIT 2)");
    expect(await words(ref)).toEqual(before);
    running.exec("COMMIT");
    expect((await words(ref)).length).toBe(before.length - 1);
    running.close();
  });

  it("a change of the session between two passes is noticed, one of another session does not matter", async () => {
    const home = await homeWith("recorded");
    const [ref] = await found(home);
    const source = await opencode.open(ref as SessionRef);
    const running = new DatabaseSync(ref?.path ?? "");
    onTestFinished(() => running.close());
    running.exec("UPDATE project SET time_updated = 1");
    expect(await Array.fromAsync(source.entries())).toHaveLength(source.skeleton.length);
    running.exec(
      `UPDATE message SET time_updated = time_updated + 1 WHERE session_id = '${ref?.originalId}'`,
    );
    await expect(Array.fromAsync(source.entries())).rejects.toMatchObject({ code: "busy" });
  });

  it("a store that is read-only can be read", async () => {
    const home = await homeWith("recorded");
    const database = join(home.store, "opencode.db");
    const opened = new DatabaseSync(database);
    opened.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    opened.close();
    chmodSync(database, 0o400);
    chmodSync(home.store, 0o500);
    onTestFinished(() => chmodSync(home.store, 0o700));
    const [ref] = await found(home);
    expect(await words(ref)).toContain("user: second");
  });
});

it("what the model no longer sees is left out", async () => {
  const [ref] = await found(await homeWith("compacted"));
  expect(await words(ref)).toEqual([
    "user: What did we do so far?",
    "assistant: They talked about firsts.",
    "user: The prompt that stays",
    "assistant: The reply that stays",
    "tool_call: toolu_stays",
    "tool_result: stays\n",
    "user: Continue if you have next steps",
    "assistant: Going on.",
  ]);
});
