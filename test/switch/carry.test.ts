// Carrying refuses before it writes, and reads back what it wrote: a writer that says one thing and writes
// another leaves the store as it was.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter, Target, Written } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { loss } from "../../src/session/losses.ts";
import type { Entry } from "../../src/session/session.ts";
import { type Stream, sourceOf } from "../../src/session/source.ts";
import { type CarryRequest, carry } from "../../src/switch/carry.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

const timeline = [user("u1"), call("c1"), result("c1"), assistant("a1")];

async function request(to: Adapter, fields: Partial<CarryRequest> = {}): Promise<CarryRequest> {
  const dir = await mkdtemp(join(tmpdir(), "baton-carry-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  emptyStore(dir);
  return {
    source: sourceOf(session(timeline)),
    to,
    home: { dir, env: {} },
    batonHome: join(dir, ".baton"),
    cwd: "/home/dev/project",
    kind: "resume",
    ...fields,
  };
}

/** Files of stores, and what stands for them in a database. */
async function filesOf({ home }: CarryRequest): Promise<string[]> {
  const found = await readdir(home.dir, { recursive: true, withFileTypes: true });
  const files = found.filter((file) => file.isFile() && !file.parentPath.includes(".baton"));
  const names = files.map(({ name }) => name).filter((name) => !/^opencode\.db/.test(name));
  return [...names, ...rowsOf(join(home.dir, ".local", "share", "opencode", "opencode.db"))];
}

/** Every session, and every row that belongs to none. */
function rowsOf(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const stray = ["message", "part"].map(
    (table) => `SELECT id FROM ${table} WHERE session_id NOT IN (SELECT id FROM session)`,
  );
  const rows = database.prepare(["SELECT id FROM session", ...stray].join(" UNION ALL ")).all();
  database.close();
  return rows.map(({ id }) => String(id));
}

/** The adapter with its writer's records changed on the way. */
function tampered(to: Adapter, change: (written: Written) => Written[]): Adapter {
  return {
    ...to,
    async *write(stream: Stream, target: Target) {
      for await (const written of to.write?.(stream, target) ?? []) yield* change(written);
    },
  };
}

describe.each(adapters.filter(({ write }) => write).map((to) => [to.id, to] as const))("into %s", (_, to) => {
  it("writes one session that can be found again", async () => {
    const asked = await request(to);
    const carried = await carry(asked);
    expect(carried.counts).toMatchObject({ user: 1, assistant: 1, tool_call: 1, tool_result: 1 });
    // Beside the session there may be a mark whose folder it is.
    expect((await filesOf(asked)).filter((name) => !name.startsWith("."))).toHaveLength(1);
    const [ref] = await Array.fromAsync(to.discover(asked.home));
    expect(ref).toMatchObject({ originalId: carried.originalId, path: carried.path });
  });

  it.each([
    ["another text", (text: string) => text.replaceAll("replies a1", "replies b1")],
    ["an entry less", (text: string) => (text.includes("replies a1") ? "" : text)],
    ["a broken line", (text: string) => (text.includes("replies a1") ? text.slice(0, -9) : text)],
  ])("notices %s in what was written and leaves the store as it was", async (__, change) => {
    const liar = tampered(to, (written) =>
      written.type === "record" ? [{ ...written, bytes: change(String(written.bytes)) }] : [written],
    );
    const source = sourceOf(session([user("u1"), assistant("a1"), user("u2")]));
    const asked = await request(liar, { source });
    await expect(carry(asked)).rejects.toMatchObject({ code: "failed" });
    expect(await filesOf(asked)).toEqual([]);
  });

  it.each([
    ["the arguments of a call", (text: string) => text.replaceAll("run c1", "run c2")],
    ["the end of a text", (text: string) => text.replaceAll("the end", "an end")],
  ])("notices other words in %s", async (__, change) => {
    const liar = tampered(to, (written) =>
      written.type === "record" ? [{ ...written, bytes: change(String(written.bytes)) }] : [written],
    );
    const long = { ...user("u1"), content: `${"so it went ".repeat(100)}the end` } as Entry;
    const asked = await request(liar, { source: sourceOf(session([long, call("c1"), result("c1")])) });
    await expect(carry(asked)).rejects.toMatchObject({ code: "failed" });
    expect(await filesOf(asked)).toEqual([]);
  });

  it("reads the files of subagents back as well", async () => {
    const child = session([user("s1"), assistant("s2")], { id: "child" });
    const links = [{ type: "subagent" as const, session: "universal:child", entry: "c1" }];
    const source = sourceOf(session(timeline, { links, children: [child] }));
    const honest = await request(to, { source });
    await carry(honest);
    expect((await filesOf(honest)).length).toBeGreaterThan(1);
    const liar = tampered(to, (written) =>
      written.type === "record"
        ? [{ ...written, bytes: String(written.bytes).replaceAll("replies s2", "replies s3") }]
        : [written],
    );
    const asked = await request(liar, { source });
    await expect(carry(asked)).rejects.toMatchObject({ code: "failed" });
    expect(await filesOf(asked)).toEqual([]);
  });

  it("refuses a loss of severity error unless told to go on", async () => {
    const lossy = tampered(to, (written) => [
      ...(written.type === "record" && written.says.some(([type]) => type === "user")
        ? [{ type: "loss" as const, loss: loss("text_dropped", { entry: "u1" }, "the rest of it") }]
        : []),
      written,
    ]);
    const asked = await request(lossy);
    await expect(carry(asked)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("the rest of it"),
    });
    expect(await filesOf(asked)).toEqual([]);
    await expect(carry({ ...asked, dryRun: true })).rejects.toMatchObject({ code: "refused" });
    expect((await carry({ ...asked, yes: true })).operation).not.toBeNull();
  });

  it("refuses to lose what a subagent has", async () => {
    const child = session([user("s1"), result("c8"), assistant("s2")], { id: "child" });
    const asked = await request(to, { source: sourceOf(session(timeline, { children: [child] })) });
    await expect(carry(asked)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("its call c8 is not there"),
    });
    expect(await filesOf(asked)).toEqual([]);
  });

  it("writes nothing when it only looks, or when there is nothing to carry", async () => {
    const asked = await request(to);
    expect(await carry({ ...asked, dryRun: true })).toMatchObject({ operation: null });
    const empty = { ...asked, source: sourceOf(session([])) };
    await expect(carry(empty)).rejects.toMatchObject({ code: "refused" });
    const { cwd: ___, ...nowhere } = {
      ...asked,
      source: sourceOf(session(timeline, { project: { path: "" } })),
    };
    await expect(carry(nowhere)).rejects.toMatchObject({ code: "refused" });
    expect(await filesOf(asked)).toEqual([]);
  });
});
