// What is written: rows that the CLI reads in the right order, forks that keep what nobody knows, sessions that are
// gone on with, and what happens where the database is another or none.
import { cpSync, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Home, SessionRef, Target, Written } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Entry, Part, Session, UserEntry } from "../../../src/session/session.ts";
import { sourceOf } from "../../../src/session/source.ts";
import type { RowLine } from "../../../src/storage/rows.ts";
import { undo } from "../../../src/storage/undo.ts";
import { carry } from "../../../src/switch/carry.ts";
import { forkAt } from "../../../src/transform/fork.ts";
import { thread, visible } from "../../../src/transform/visible.ts";
import { buildDatabases, emptyStore } from "./database.ts";

const CWD = "/home/dev/project";
const NOW = new Date("2026-11-16T04:00:00.000Z");

async function privateHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: {} };
}

async function homeWith(fixture: string): Promise<Home> {
  const home = await privateHome();
  const store = join(home.dir, ".local", "share", "opencode");
  cpSync(join(import.meta.dirname, "fixtures", fixture, "native"), store, { recursive: true });
  buildDatabases(store);
  return home;
}

async function target(home: Home, more: Partial<Target> = {}): Promise<Target> {
  const configuration = { model: "anthropic/claude-sonnet-4-5", mcpServers: [] };
  return { home, originalId: "ses_new", cwd: CWD, version: "1.18.33", now: NOW, configuration, ...more };
}

function session(timeline: Entry[]): Session {
  return {
    id: "s",
    version: "1.0",
    source: { cli: "claude", originalId: "s" },
    project: { path: CWD },
    model: { provider: "anthropic", model: "claude-opus-4-6" },
    metadata: { created: "2026-01-01T00:00:00.000Z", lastModified: "2026-01-01T00:00:00.000Z" },
    timeline,
  };
}

async function written(timeline: Entry[], home: Home, more: Partial<Target> = {}) {
  const all = await Array.fromAsync(opencode.write!(sourceOf(session(timeline)), await target(home, more)));
  return { lines: linesOf(all), losses: all.flatMap((one) => (one.type === "loss" ? [one.loss] : [])) };
}

function linesOf(all: readonly Written[]): RowLine[] {
  return all.flatMap((one) => (one.type === "record" ? [JSON.parse(String(one.bytes)) as RowLine] : []));
}

const user = (id: string, content: string, timestamp = "2026-01-01T00:00:00.000Z"): Entry => ({
  id,
  type: "user",
  content,
  timestamp,
});
const reply = (id: string, content: string, timestamp = "2026-01-01T00:00:00.000Z"): Entry => ({
  id,
  type: "assistant",
  content,
  timestamp,
  turn: id,
});

describe("files", () => {
  const file = async (part: Part) => {
    const told = [{ ...(user("u1", "look") as UserEntry), parts: [part] }];
    const { lines, losses } = await written(told, await privateHome());
    const message = lines.find(({ table }) => table === "message");
    return { data: message?.rows?.[0]?.data, losses: losses.map(({ kind }) => kind) };
  };
  const png = "iVBORw0KGgo=";

  it("are called what their bytes are, wherever they stand", async () => {
    const image = { type: "file", mime: "image/png", url: `data:image/png;base64,${png}` };
    const found = await file({ type: "image", mimeType: "image/jpeg", data: png });
    expect(found.data).toMatchObject(image);
    const inUrl = await file({ type: "image", url: `data:image/gif;base64,${png}` });
    expect(inUrl.data).toMatchObject(image);
    const pdf = await file({
      type: "document",
      mimeType: "application/pdf",
      data: "JVBERi0=",
      name: "a.pdf",
    });
    expect(pdf.data).toMatchObject({ type: "file", mime: "application/pdf", filename: "a.pdf" });
    expect(pdf.losses).not.toContain("document_dropped");
  });

  it("whose bytes are something else become a note, and that is reported", async () => {
    const image = await file({ type: "image", mimeType: "image/png", data: "AAAA", name: "a.png" });
    expect(image.data).toEqual({ type: "text", text: "[Image: a.png]" });
    expect(image.losses).toContain("image_dropped");
    const pdf = await file({ type: "document", mimeType: "application/pdf", data: "AAAA", name: "a.pdf" });
    expect(pdf.data).toMatchObject({ type: "text", text: expect.stringContaining("[Document a.pdf") });
    expect(pdf.losses).toContain("document_dropped");
  });
});

describe("times and ids", () => {
  it("never fall, never reach the present, and ids rise within one time", async () => {
    const home = await privateHome();
    const times = [
      "2030-01-01T00:00:00Z",
      "2026-01-02T00:00:00Z",
      "2026-01-01T00:00:00Z",
      "not a time",
      "2026-11-16T04:00:00.000Z",
    ];
    const entries = times.flatMap((time, at) => [
      user(`u${at}`, `prompt ${at}`, time),
      reply(`a${at}`, `reply ${at}`, time),
    ]);
    const { lines } = await written(entries, home);
    const messages = lines.filter(({ table }) => table === "message");
    expect(messages).toHaveLength(10);
    const keys = messages.map(({ row }) => [Number(row.time_created), String(row.id)] as const);
    expect(keys.toSorted(([a, b], [c, d]) => a - c || (b < d ? -1 : 1))).toEqual(keys);
    for (const [time] of keys) expect(time).toBeLessThan(NOW.getTime());
    for (const { rows = [] } of messages) {
      const ids = rows.map(({ row }) => String(row.id));
      expect(ids.toSorted()).toEqual(ids);
    }
  });

  it("ids of calls are those that every vendor takes, each once", async () => {
    const call = (id: string): Entry[] => [
      {
        id,
        type: "tool_call",
        tool: "bash",
        input: { command: "ls" },
        timestamp: "2026-01-01T00:00:00Z",
        turn: `t${id}`,
      },
      {
        id: `${id}-r`,
        type: "tool_result",
        callId: id,
        success: true,
        output: "x",
        timestamp: "2026-01-01T00:00:00Z",
      },
    ];
    const { lines } = await written(
      [user("u", "go"), ...call("call_1"), ...call("call_1"), ...call("x:y/z"), ...call("i".repeat(50))],
      await privateHome(),
    );
    const ids = lines.flatMap(({ rows = [] }) =>
      rows.flatMap(({ data }) => (data as { callID?: string }).callID ?? []),
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,40}$/);
    expect(ids[0]).toBe("call_1");
  });
});

describe("a copy of its own session", () => {
  it("has new ids everywhere, and everything that nobody knows", async () => {
    const home = await homeWith("parts");
    const [ref] = await Array.fromAsync(opencode.discover(home));
    const source = await opencode.open(ref as SessionRef);
    const carried = await carry({
      source,
      to: opencode,
      home,
      batonHome: join(home.dir, ".baton"),
      cwd: CWD,
      kind: "fork",
    });
    const refs = await Array.fromAsync(opencode.discover(home));
    const copy = refs.find(({ originalId }) => originalId === carried.originalId);
    const words = async (one: SessionRef | undefined) =>
      (await Array.fromAsync(visible(await opencode.open(one as SessionRef)).entries())).map((entry) => [
        entry.type,
        "content" in entry ? entry.content : "output" in entry ? entry.output : entry.id,
      ]);
    expect(await words(copy)).toEqual(await words(ref));
    const database = new DatabaseSync(copy?.path ?? "", { readOnly: true });
    onTestFinished(() => database.close());
    const parts = database.prepare("SELECT data FROM part WHERE session_id = ?").all(carried.originalId);
    expect(parts.some(({ data }) => String(data).includes('"what":"ever"'))).toBe(true);
    const [child] = database.prepare("SELECT id FROM session WHERE parent_id = ?").all(carried.originalId);
    expect(parts.some(({ data }) => String(data).includes(`"sessionId":"${child?.id}"`))).toBe(true);
    await undo(join(home.dir, ".baton"));
    expect(await Array.fromAsync(opencode.discover(home))).toHaveLength(2);
  });

  it("has the very text of what nobody changed, only with other ids", async () => {
    const home = await homeWith("recorded");
    const [ref] = await Array.fromAsync(opencode.discover(home));
    const database = new DatabaseSync(ref?.path ?? "");
    onTestFinished(() => database.close());
    const texts = (table: string, session: string) =>
      database
        .prepare(`SELECT data FROM ${table} WHERE session_id = ? ORDER BY time_created, id`)
        .all(session)
        .map(({ data }) => String(data).replaceAll(/msg_\w+/g, "msg"));
    const odd = `substr(data, 1, length(data) - 1) || ',"odd":12345678901234567890, "twice":1,"twice":2}'`;
    database.exec(`UPDATE message SET data = ${odd}`);
    database.exec(`UPDATE part SET data = ${odd}`);
    const source = await opencode.open(ref as SessionRef);
    const batonHome = join(home.dir, ".baton");
    const { originalId } = await carry({ source, to: opencode, home, batonHome, cwd: CWD, kind: "fork" });
    for (const table of ["message", "part"]) {
      const before = texts(table, ref?.originalId ?? "");
      expect(before[0]).toContain('"odd":12345678901234567890, "twice":1,"twice":2}');
      expect(texts(table, originalId)).toEqual(before);
    }
    await undo(batonHome);
    expect(texts("part", originalId)).toEqual([]);
  });

  it("loses its list of tasks where only the CLI's import can write, and says so", async () => {
    const home = await homeWith("recorded");
    const [ref] = await Array.fromAsync(opencode.discover(home));
    const database = new DatabaseSync(ref?.path ?? "");
    const todo = "INSERT INTO todo VALUES (?, 'a task', 'pending', 'high', 0, 1, 1)";
    database.prepare(todo).run(ref?.originalId ?? "");
    database.close();
    const source = thread(await opencode.open(ref as SessionRef));
    const into = async (there: Home, more: Partial<Target> = {}) => {
      const all = await Array.fromAsync(opencode.write!(source, await target(there, more)));
      const told = all.some((one) => one.type === "loss" && one.loss.detail.includes("list of tasks"));
      return { told, kept: JSON.stringify(linesOf(all)).includes("a task") };
    };
    expect(await into(home)).toEqual({ told: false, kept: true });
    expect(await into(await privateHome())).toEqual({ told: true, kept: false });
    // A file to be imported elsewhere: its own records, of which the import takes no list.
    expect(await into(home, { originalId: ref?.originalId ?? "" })).toMatchObject({ told: true });
  });

  it("ends where it was branched off", async () => {
    const home = await homeWith("recorded");
    const [ref] = await Array.fromAsync(opencode.discover(home));
    const source = await opencode.open(ref as SessionRef);
    const at = source.skeleton.id(3);
    const fork = thread(forkAt(source, at));
    const lines = linesOf(await Array.fromAsync(opencode.write!(fork, await target(home))));
    const kept = await Array.fromAsync(fork.entries());
    expect(lines.filter(({ table }) => table === "message")).toHaveLength(
      new Set(kept.map(({ records }) => records?.[0])).size,
    );
  });

  it("takes a changed entry into its part", async () => {
    const home = await homeWith("recorded");
    const [ref] = await Array.fromAsync(opencode.discover(home));
    const source = thread(await opencode.open(ref as SessionRef));
    const change = (entry: Entry): Entry =>
      entry.type === "assistant" && entry.content === "done" ? { ...entry, content: "changed" } : entry;
    const stream = {
      ...source,
      async *entries() {
        for await (const entry of source.entries()) yield change(entry);
      },
    };
    const text = JSON.stringify(linesOf(await Array.fromAsync(opencode.write!(stream, await target(home)))));
    expect(text).toContain('"text":"changed"');
    expect(text).not.toContain('"text":"done"');
    expect(text).toContain('"text":"again"');
  });
});

it("a damaged message of some session keeps nobody from writing another", async () => {
  const home = await homeWith("recorded");
  const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
  const database = new DatabaseSync(ref.path);
  database.exec("UPDATE message SET data = '{\"role\":' WHERE id = (SELECT max(id) FROM message)");
  database.close();
  const { lines } = await written([user("u", "Hello")], home, { configuration: { mcpServers: [] } });
  expect(lines.filter(({ table }) => table === "message")).toHaveLength(1);
});

describe("a session that is gone on with", () => {
  it("says which subagents stay behind", async () => {
    const home = await homeWith("recorded");
    const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
    const to = await target(home, { originalId: ref.originalId, onto: { ref } });
    const child = sourceOf({ ...session([user("c", "dig")]), title: "Digger" });
    const stream = {
      ...sourceOf(session([user("u", "More")])),
      async *children() {
        yield child;
      },
    };
    const all = await Array.fromAsync(opencode.write!(stream, to));
    expect(all).toContainEqual({
      type: "loss",
      loss: expect.objectContaining({ kind: "subagent_dropped", detail: "Digger" }),
    });
  });

  it("gets nothing behind a message from the future", async () => {
    const home = await homeWith("recorded");
    const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
    const database = new DatabaseSync(ref.path);
    database.prepare("UPDATE message SET time_created = ?").run(Date.now() + 3_600_000);
    database.close();
    expect(await opencode.canExtend?.(ref)).toBe(false);
    const to = await target(home, { originalId: ref.originalId, onto: { ref }, now: new Date() });
    const stream = sourceOf(session([user("u", "More")]));
    await expect(Array.fromAsync(opencode.write!(stream, to))).rejects.toMatchObject({ code: "refused" });
  });

  it("gets new messages behind its own, and loses them again by undo", async () => {
    const home = await homeWith("recorded");
    const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
    expect(await opencode.canExtend?.(ref)).toBe(true);
    const before = await Array.fromAsync((await opencode.open(ref)).entries());
    const to = await target(home, { originalId: ref.originalId, onto: { ref } });
    const records = Array.fromAsync(
      opencode.write!(sourceOf(session([user("u", "More"), reply("a", "Gladly")])), to),
    );
    const only = async function* () {
      for (const one of await records) if (one.type === "record") yield one;
    };
    const { apply } = await import("../../../src/storage/apply.ts");
    const batonHome = join(home.dir, ".baton");
    const facts = { kind: "return", agent: "opencode", originalId: ref.originalId, path: ref.path };
    await apply(opencode.plan!(only(), to), { batonHome, facts });
    const after = await Array.fromAsync((await opencode.open(ref)).entries());
    expect(after.slice(before.length)).toMatchObject([
      { type: "user", content: "More" },
      { type: "assistant", content: "Gladly" },
    ]);
    await undo(batonHome);
    expect(await Array.fromAsync((await opencode.open(ref)).entries())).toEqual(before);
  });

  it("is refused where the user went back", async () => {
    const home = await homeWith("compacted");
    const [ref] = (await Array.fromAsync(opencode.discover(home))) as [SessionRef];
    const to = await target(home, { originalId: ref.originalId, onto: { ref } });
    const stream = sourceOf(session([user("u", "More")]));
    await expect(Array.fromAsync(opencode.write!(stream, to))).rejects.toMatchObject({ code: "refused" });
  });
});

describe("a database", () => {
  const timeline = [user("u", "Hello"), reply("a", "Hi")];
  const carryInto = (home: Home) =>
    carry({
      source: sourceOf(session(timeline)),
      to: opencode,
      home,
      batonHome: join(home.dir, ".baton"),
      cwd: CWD,
      kind: "resume",
    });

  it("of a shape that was not proven is not written to", async () => {
    const home = { ...(await privateHome()), env: { PATH: "/nowhere" } };
    const path = emptyStore(home.dir);
    const database = new DatabaseSync(path);
    database.exec("ALTER TABLE message ADD COLUMN mood TEXT");
    database.close();
    await expect(carryInto(home)).rejects.toMatchObject({ code: "agent_not_installed" });
    const opened = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => opened.close());
    expect(opened.prepare("SELECT count(*) n FROM session").get()?.n).toBe(0);
  });

  it("that is not there yet is not made by anybody but OpenCode", async () => {
    const home = { ...(await privateHome()), env: { PATH: "/nowhere" } };
    await expect(carryInto(home)).rejects.toMatchObject({
      code: "agent_not_installed",
      hint: expect.stringContaining("convert"),
    });
    expect(existsSync(join(home.dir, ".local"))).toBe(false);
  });

  it("of a project that it knows gets the session there", async () => {
    const home = await privateHome();
    const path = emptyStore(home.dir);
    const database = new DatabaseSync(path);
    database.exec(
      "INSERT INTO project (id, worktree, vcs, time_created, time_updated, sandboxes) VALUES ('abc', '/home/dev', 'git', 1, 1, '[]')",
    );
    database.close();
    const { originalId } = await carryInto(home);
    const opened = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => opened.close());
    expect(
      opened.prepare("SELECT project_id, directory, path FROM session WHERE id = ?").get(originalId),
    ).toMatchObject({ project_id: "abc", directory: CWD, path: "project" });
  });
});
