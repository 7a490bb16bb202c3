// Sessions that are carried without their secrets: from every agent into every agent, its own included, and back.
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { loadRedactor } from "../../src/transform/redact.ts";
import { visible } from "../../src/transform/visible.ts";
import { files } from "../cli/transcript.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { WORDS } from "../transform/secrets.ts";
import { begun, carried, find, goesOn, newWorld, returned, seen, type There, type World } from "./world.ts";

const SECRET = WORDS.find(({ kind }) => kind === "github-token")?.secret ?? "";
const MARK = "[redacted: github-token 1]";
const writable = adapters.filter(({ write }) => write);

const timeline = [
  { ...user("u1"), content: `Use ${SECRET} to push.` },
  { ...call("c1"), input: { command: `git push https://me:${SECRET}@github.com/a/b` } },
  { ...result("c1"), output: `remote: hello\n${"x".repeat(100_000)}\n${SECRET}\n` },
  { ...assistant("a1"), content: `Pushed with ${SECRET}.` },
] as Entry[];

async function hidden(world: World, from: There, to: Adapter): Promise<There & { kinds: string[] }> {
  const { ref, source } = await find(world, from);
  const redactor = await loadRedactor();
  const { originalId, losses } = await carry({ ...world, source, from: ref, to, redactor, kind: "resume" });
  return { agent: to, id: originalId, kinds: losses.map(({ kind }) => kind) };
}

/** All that stands in any file of the home, and in any row of a database. */
const contentOf = (world: World) =>
  files(world.home.dir)
    .filter((path) => !/\.db-(?:wal|shm)$/.test(path))
    .map((path) => (path.endsWith(".db") ? rowsOf(path) : readFileSync(path, "latin1")))
    .join("\n");

function rowsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()));
  database.close();
  return rows.join("\n");
}

const times = (text: string, piece: string) => text.split(piece).length - 1;

describe.each(writable)("from $id", (from) => {
  it.each(writable)("into $id", async (to) => {
    const world = await newWorld();
    const there = await begun(world, from, timeline);
    const before = times(contentOf(world), SECRET);
    const here = await hidden(world, there, to);
    expect(here.kinds).toContain("secrets_redacted");
    // What is there keeps it, and nothing new holds it, journal included.
    expect(times(contentOf(world), SECRET)).toBe(before);
    const texts = await seen(world, here);
    expect(texts[0]).toBe(`Use ${MARK} to push.`);
    expect(texts.at(-1)).toBe(`Pushed with ${MARK}.`);
    expect(texts.some((text) => text.includes(`x\n${MARK}\n`))).toBe(true);
  });
});

describe("an agent's own session without its records", () => {
  it.each(writable)("has a result for every call in $id", async (to) => {
    const world = await newWorld();
    const entries = [user("u1"), call("c1"), user("u2"), assistant("a2")];
    const source = sourceOf(session(entries, { source: { cli: to.id } }));
    const { originalId, losses } = await carry({ ...world, source, to, kind: "fork" });
    expect(losses.map(({ kind }) => kind)).toContain("call_completed");
    const { source: made } = await find(world, { agent: to, id: originalId });
    const types = (await Array.fromAsync(made.entries())).map(({ type }) => type);
    expect(types.filter((type) => type !== "system").slice(0, 4)).toEqual([
      "user",
      "tool_call",
      "tool_result",
      "user",
    ]);
  });
});

describe("a compaction that left a call whose result stands behind it", () => {
  // The others record no such list.
  const lists = writable.filter(({ id }) => id === "codex" || id === "gemini");
  it.each(lists)("is written anew for $id with both", async (to) => {
    const world = await newWorld();
    const left = [{ ...user("k1"), content: `Short: ${SECRET}` }, call("c1")] as Entry[];
    const entries = [
      user("u1"),
      call("c1"),
      result("c1"),
      compaction("k", { replacement: left }),
      result("c1", {}, "again"),
      assistant("a1"),
      user("u2"),
    ];
    const source = sourceOf(session(entries, { source: { cli: to.id } }));
    const redactor = await loadRedactor();
    const { originalId, losses } = await carry({ ...world, source, to, redactor, kind: "fork" });
    expect(losses.filter(({ severity }) => severity === "error")).toEqual([]);
    const { source: made } = await find(world, { agent: to, id: originalId });
    const shown = await Array.fromAsync(visible(made).entries());
    const calls = shown.flatMap((one) => (one.type === "tool_call" ? [one.id] : []));
    const results = shown.flatMap((one) => (one.type === "tool_result" ? [one.callId] : []));
    expect(calls).toHaveLength(1);
    expect(results).toEqual(calls);
  });
});

describe("returning", () => {
  const [one, other] = writable as [Adapter, Adapter];
  const more = [{ ...user("u2"), content: `And ${SECRET}?` }, assistant("a2")] as Entry[];

  it("finds its way back into the original, which keeps its secrets", async () => {
    const world = await newWorld();
    const there = await begun(world, one, timeline);
    const here = await hidden(world, there, other);
    await goesOn(world, here, [user("u2"), assistant("a2")]);
    const back = await returned(world, here);
    expect([back.isExtended, back.there.id]).toEqual([true, there.id]);
    expect(back.warnings.join()).toContain("dropped or replaced");
    expect((await seen(world, there)).filter((text) => text.includes(SECRET))).toHaveLength(3);
  });

  it("can leave the secrets of new turns out", async () => {
    const world = await newWorld();
    const there = await begun(world, one, [user("u1"), assistant("a1")]);
    const here = await carried(world, there, other);
    await goesOn(world, here, more);
    const back = await returned(world, here, { redactor: await loadRedactor() });
    expect(back.losses.map(({ kind }) => kind)).toContain("secrets_redacted");
    expect((await seen(world, there)).at(-2)).toBe(`And ${MARK}?`);
  });
});
