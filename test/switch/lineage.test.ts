// Which sessions are one conversation, however often it crosses, returns, forks, and is taken back; and what a journal
// that says nonsense does to that.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/storage/journal.ts";
import { findOperation } from "../../src/storage/operations.ts";
import { undo } from "../../src/storage/undo.ts";
import { carry } from "../../src/switch/carry.ts";
import { lineageIn, lineageOf, madeFromOperation, wayOf } from "../../src/switch/lineage.ts";
import { settleConversations } from "../../src/switch/record.ts";
import { fc } from "../property.ts";
import { assistant, user } from "../session/build.ts";
import { expectInLine, nameOf, switched } from "./run-switch.ts";
import { begun, find, goesOn, named, newWorld, returned, type There, type World } from "./world.ts";

const BEGINNING = [user("u1"), assistant("a1")];
const said = (id: string) => [user(`u${id}`), assistant(`a${id}`)];

async function begin(): Promise<{ world: World; a: There }> {
  const world = await newWorld();
  return { world, a: await begun(world, named("claude"), BEGINNING) };
}

/** Switched, with something said in it. */
async function on(world: World, from: There, to: string, id: string): Promise<There> {
  const { there } = await switched(world, from, to);
  await goesOn(world, there, said(id));
  return there;
}

async function forked(world: World, from: There): Promise<There> {
  const { ref, source } = await find(world, from);
  const made = await carry({ ...world, source, from: ref, to: from.agent, kind: "fork" });
  return { agent: from.agent, id: made.originalId };
}

const ways = async ({ batonHome }: World, there: There) => {
  const { root, hops } = await lineageOf(batonHome, nameOf(there));
  return { root, hops: hops.map(({ from, to }) => [from, to]) };
};

const way = (...names: There[]) =>
  names.slice(1).map((to, at) => [nameOf(names[at] as There), nameOf(to)] as const);

describe("a conversation that crosses", () => {
  it("from one to the next and to the first agent again is one", async () => {
    const { world, a } = await begin();
    const b = await on(world, a, "codex", "2");
    const c = await on(world, b, "gemini", "3");
    const d = await on(world, c, "claude", "4");
    for (const there of [a, b, c, d])
      expect(await ways(world, there)).toEqual({ root: nameOf(a), hops: way(a, b, c, d) });
    await expectInLine(world, d);
  });

  it("stays one where it returns on the way", async () => {
    const { world, a } = await begin();
    const b = await on(world, a, "codex", "2");
    expect(await returned(world, b)).toMatchObject({ originalId: a.id });
    const c = await on(world, a, "gemini", "3");
    expect(await returned(world, c)).toMatchObject({ originalId: a.id });
    await goesOn(world, b, said("4"));
    const new_ = (await returned(world, b)).there;
    const back = way(a, b, a, c, a);
    expect(await ways(world, c)).toEqual({
      root: nameOf(a),
      hops: [...back, [nameOf(b), nameOf(new_)]],
    });
    for (const there of [a, b]) expect((await ways(world, there)).root).toBe(nameOf(a));
    await expectInLine(world, a);
  });

  it("stays one through a fork, and two sessions of one are one", async () => {
    const { world, a } = await begin();
    const b = await on(world, a, "codex", "2");
    const fork = await forked(world, b);
    const c = await on(world, fork, "gemini", "3");
    const other = await on(world, a, "opencode", "4");
    for (const there of [a, b, fork, c, other]) {
      const { root, hops } = await ways(world, there);
      expect(root).toBe(nameOf(a));
      expect(hops).toEqual([...way(a, b, fork, c), ...way(a, other)]);
    }
  });

  it("has nothing to do with another one", async () => {
    const { world, a } = await begin();
    const b = await on(world, a, "codex", "2");
    const x = await begun(world, named("claude"), BEGINNING);
    const y = await on(world, x, "codex", "2");
    expect(await ways(world, b)).toEqual({ root: nameOf(a), hops: way(a, b) });
    expect(await ways(world, y)).toEqual({ root: nameOf(x), hops: way(x, y) });
    expect(await ways(world, { agent: named("gemini"), id: "nobody" })).toEqual({
      root: "gemini:nobody",
      hops: [],
    });
  });
});

it("the way of one session leaves out what was made beside it", async () => {
  const { world, a } = await begin();
  const b = await on(world, a, "codex", "2");
  const c = await on(world, b, "gemini", "3");
  const way = async (there: There) => wayOf(await lineageOf(world.batonHome, nameOf(there)), nameOf(there));
  for (const there of [a, b, c]) expect(await way(there)).toEqual([a, b, c].map(nameOf));
  await returned(world, c);
  for (const there of [a, b, c]) expect(await way(there)).toEqual([a, b, c].map(nameOf));
  const other = await on(world, a, "opencode", "4");
  expect(await way(a)).toEqual([nameOf(a)]);
  for (const there of [b, c]) expect(await way(there)).toEqual([a, b, c].map(nameOf));
  expect(await way(other)).toEqual([a, other].map(nameOf));
  expect(wayOf({ root: "x:1", hops: [] }, "x:1")).toEqual(["x:1"]);
});

it("what was made from the session of an operation, later and not taken back, is known", async () => {
  const { world, a } = await begin();
  const { batonHome } = world;
  const one = await switched(world, a, "codex");
  const two = await switched(world, one.there, "gemini");
  const three = await switched(world, one.there, "opencode");
  const later = async ({ operation }: { operation: string | null }) => {
    const found = await madeFromOperation(batonHome, await findOperation(batonHome, operation ?? ""));
    return found.map(({ id }) => id);
  };
  expect(await later(one)).toEqual([three.operation, two.operation]);
  expect(await later(two)).toEqual([]);
  await undo(batonHome, three.operation ?? "");
  expect(await later(one)).toEqual([two.operation]);
  await undo(batonHome, two.operation ?? "");
  expect(await later(one)).toEqual([]);
});

describe("after an undo", () => {
  /** Nobody goes on, so that everything can be undone. */
  async function chain() {
    const { world, a } = await begin();
    const one = await switched(world, a, "codex");
    const two = await switched(world, one.there, "gemini");
    const three = await switched(world, two.there, "opencode");
    return { world, a, one, two, three };
  }

  it("of the last, the others are one", async () => {
    const { world, a, one, two, three } = await chain();
    await undo(world.batonHome, three.operation ?? "");
    await settleConversations(world.batonHome);
    expect(await ways(world, two.there)).toEqual({ root: nameOf(a), hops: way(a, one.there, two.there) });
    expect(await ways(world, three.there)).toEqual({ root: nameOf(three.there), hops: [] });
    await expectInLine(world, a);
  });

  it("of one in the middle, what came before and after it are two, each with its files", async () => {
    const { world, a, one, two, three } = await chain();
    await undo(world.batonHome, two.operation ?? "");
    await settleConversations(world.batonHome);
    expect(await ways(world, one.there)).toEqual({ root: nameOf(a), hops: way(a, one.there) });
    expect(await ways(world, three.there)).toEqual({
      root: nameOf(two.there),
      hops: way(two.there, three.there),
    });
    const { batonHome } = world;
    const current = (await lineageOf(batonHome, nameOf(a))).hops.at(-1)?.conversation;
    expect(current).toBe(one.backup);
    const files = readdirSync(join(batonHome, "conversations")).filter((name) => name.endsWith(".meta.json"));
    const metas = files.map((name) =>
      JSON.parse(readFileSync(join(batonHome, "conversations", name), "utf8")),
    );
    expect(metas.map(({ root, current: newest }) => [root, newest]).toSorted()).toEqual(
      [
        [nameOf(a), nameOf(one.there)],
        [nameOf(two.there), nameOf(three.there)],
      ].toSorted(),
    );
  });

  it("of all, there is none", async () => {
    const { world, a, one } = await chain();
    for (let times = 0; times < 3; times++) await undo(world.batonHome);
    await settleConversations(world.batonHome);
    for (const there of [a, one.there])
      expect(await ways(world, there)).toEqual({ root: nameOf(there), hops: [] });
    await expectInLine(world, a);
  });
});

describe("a journal", () => {
  let number = 0;
  const operation = (from: string, to: string, kind = "resume", more: object = {}): Operation => {
    const [agent = "", originalId = ""] = to.split(":");
    return {
      version: 1,
      id: `o${++number}`,
      state: "done",
      created: "",
      updated: "",
      facts: { kind, agent, originalId, path: "p", source: from, ...more },
      folders: [],
      files: [],
      problems: [],
    };
  };
  const lineage = (operations: Operation[], name: string) => {
    const { root, hops } = lineageIn(operations.toReversed(), name);
    return { root, hops: hops.map(({ from, to }) => `${from}>${to}`) };
  };

  it("that goes round in a circle has an end", () => {
    const circle = [operation("a:1", "b:1"), operation("b:1", "c:1"), operation("c:1", "a:1")];
    for (const name of ["a:1", "b:1", "c:1"]) expect(lineage(circle, name).hops.length).toBeGreaterThan(0);
    expect(lineage([operation("a:1", "a:1")], "a:1")).toEqual({ root: "a:1", hops: ["a:1>a:1"] });
  });

  it("in which only the return of a lost session is left knows where it went", () => {
    expect(lineage([operation("b:1", "a:1", "return")], "a:1")).toEqual({ root: "b:1", hops: ["b:1>a:1"] });
    const both = [operation("a:1", "b:1"), operation("b:1", "a:1", "return")];
    for (const name of ["a:1", "b:1"])
      expect(lineage(both, name)).toEqual({ root: "a:1", hops: ["a:1>b:1", "b:1>a:1"] });
  });

  it("counts what is done and moves a session, and nothing else", () => {
    const others = [
      { ...operation("a:1", "b:1"), state: "undone" as const },
      { ...operation("a:1", "b:2"), state: "failed" as const },
      { ...operation("a:1", "b:3"), state: "undoing" as const },
      operation("a:1", "b:4", "restore"),
    ];
    expect(lineage(others, "a:1")).toEqual({ root: "a:1", hops: [] });
  });

  it("with facts that make no sense is read as far as it does", () => {
    const odd = [
      operation("a:1", "b:1", "resume", { switch: { timestamp: 7 }, conversation: [], title: {}, ends: "x" }),
      operation("b:1", "c:1", "resume", { ends: { source: {} }, title: "Two" }),
    ];
    expect(lineage(odd, "c:1").hops).toEqual(["a:1>b:1", "b:1>c:1"]);
    expect(lineageIn(odd.toReversed(), "c:1").hops[1]).toMatchObject({ title: "Two", fromPath: undefined });
  });

  it("of any shape ends in a root that is one of its sessions, the same for all of them", () => {
    const name = fc.constantFrom("a:1", "a:2", "b:1", "b:2", "c:1", "c:2");
    const made = fc
      .tuple(name, name, fc.constantFrom("resume", "fork", "return"))
      .map(([from, to, kind]) => operation(from, to, kind));
    fc.assert(
      fc.property(fc.array(made, { maxLength: 12 }), name, (operations, one) => {
        const { root, hops } = lineage(operations, one);
        const names = new Set([
          one,
          ...operations.flatMap(({ facts }) => [facts.source ?? "", `${facts.agent}:${facts.originalId}`]),
        ]);
        expect(names).toContain(root);
        expect(new Set(hops).size).toBeLessThanOrEqual(operations.length);
        expect(lineage(operations, one)).toEqual({ root, hops });
      }),
    );
  });

  it("that is damaged is left out, and keeps nobody from a switch", async () => {
    const { world, a } = await begin();
    const { there: b } = await switched(world, a, "codex");
    const folder = join(world.batonHome, "operations");
    const [known = ""] = readdirSync(folder);
    const whole = readFileSync(join(folder, known), "utf8");
    for (const [name, text] of [
      ["0123456789.json", "{"],
      [
        "1123456789.json",
        whole.replaceAll(known.slice(0, 10), "1123456789").replace('"version": 1', '"version": 9'),
      ],
      ["2123456789.json", ""],
    ] as const)
      writeFileSync(join(folder, name), text);
    expect(await ways(world, b)).toEqual({ root: nameOf(a), hops: way(a, b) });
    const { there: c } = await switched(world, b, "gemini");
    expect(await ways(world, c)).toEqual({ root: nameOf(a), hops: way(a, b, c) });
    await expectInLine(world, a);
    writeFileSync(join(folder, known), whole.slice(0, 40));
    expect(await ways(world, c)).toEqual({ root: nameOf(b), hops: way(b, c) });
    await settleConversations(world.batonHome);
  });
});
