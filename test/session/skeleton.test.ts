// The skeleton: who follows whom, which entries belong together, and what happens when the data is damaged.

import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { skeletonBuilder } from "../../src/session/skeleton.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, user } from "./build.ts";

function skeletonOf(entries: readonly Entry[], head?: string) {
  const builder = skeletonBuilder();
  for (const entry of entries) builder.add(entry);
  return builder.finish(head);
}

const parents = (entries: readonly Entry[]) => {
  const skeleton = skeletonOf(entries);
  return entries.map((_, position) => skeleton.parent(position));
};

describe("parents", () => {
  it("are the entry before, the named one, or none", () => {
    expect(parents([user("a"), user("b"), user("c", { parent: "a" }), user("d", { parent: null })])).toEqual([
      -1, 0, 0, -1,
    ]);
  });

  it("may be named before they are seen", () => {
    expect(parents([user("a", { parent: "b" }), user("b", { parent: null })])).toEqual([1, -1]);
  });

  it("that are missing count as the entry before and are reported", () => {
    const skeleton = skeletonOf([user("a"), user("b", { parent: "gone" })]);
    expect(skeleton.parent(1)).toBe(0);
    expect(skeleton.dangling).toEqual([[1, "gone"]]);
  });

  it("are found through records that have no entry, in either order", () => {
    const builder = skeletonBuilder();
    builder.add(user("a"));
    builder.link("note", "a");
    builder.add(user("b", { parent: "note" }));
    builder.add(user("c", { parent: "later" }));
    builder.link("later", "latest");
    builder.link("latest", "a");
    const skeleton = builder.finish();
    expect([skeleton.parent(1), skeleton.parent(2)]).toEqual([0, 0]);
    expect(skeleton.dangling).toEqual([]);
  });

  it("end at a record that starts a thread", () => {
    const builder = skeletonBuilder();
    builder.add(user("a"));
    builder.link("start", null);
    builder.add(user("b", { parent: "start" }));
    expect(builder.finish().parent(1)).toBe(-1);
  });

  it("survive links that go round in a circle", () => {
    const builder = skeletonBuilder();
    builder.add(user("a"));
    builder.link("x", "y");
    builder.link("y", "x");
    builder.add(user("b", { parent: "x" }));
    const skeleton = builder.finish("x");
    expect(skeleton.dangling).toEqual([[1, "x"]]);
    expect(skeleton.head).toBe(1);
  });
});

describe("the head", () => {
  const entries = [user("a"), user("b"), user("c")];

  it("is the named entry, or the last one when it is not named or not there", () => {
    expect(skeletonOf(entries, "b").head).toBe(1);
    expect(skeletonOf(entries).head).toBe(2);
    expect(skeletonOf(entries, "gone").head).toBe(2);
    expect(skeletonOf([]).head).toBe(-1);
  });

  it("may be a record without an entry", () => {
    const builder = skeletonBuilder();
    for (const entry of entries) builder.add(entry);
    builder.link("note", "b");
    expect(builder.finish("note").head).toBe(1);
  });
});

describe("what belongs together", () => {
  it("shares a number: the entries of a model message, a call and its result", () => {
    const skeleton = skeletonOf([
      assistant("a", { turn: "m1" }),
      call("c1", { turn: "m1" }),
      call("c2", { turn: "m2" }),
      result("c2"),
      result("c1"),
    ]);
    expect([0, 1, 2, 3].map((at) => skeleton.turn(at))).toEqual([0, 0, 1, -1]);
    expect(skeleton.call(1)).toBe(skeleton.call(4));
    expect(skeleton.call(2)).toBe(skeleton.call(3));
    expect(skeleton.call(1)).not.toBe(skeleton.call(2));
    expect(skeleton.call(0)).toBe(-1);
  });

  it("is found by id, the last one of several, and repeats are reported", () => {
    const skeleton = skeletonOf([user("a"), user("b"), user("a"), user("c", { parent: "a" })]);
    expect(skeleton.find("a")).toBe(2);
    expect(skeleton.find("none")).toBe(-1);
    expect(skeleton.duplicates).toEqual(["a"]);
    expect(skeleton.parent(3)).toBe(2);
  });

  it("is remembered of a compaction and of injected entries", () => {
    const skeleton = skeletonOf([user("a", { injected: true }), compaction("k", { keeps: ["a"] })]);
    expect(skeleton.keeps(1)).toEqual(["a"]);
    expect(skeleton.keeps(0)).toEqual([]);
    expect([skeleton.injected(0), skeleton.injected(1)]).toEqual([true, false]);
  });
});

it("holds any number of entries, whatever their parents say", () => {
  const id = fc.integer({ min: 0, max: 9 }).map(String);
  const entry = fc.record({ id, parent: fc.option(id, { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3000, size: "max" }), (drawn) => {
      const entries = drawn.map(({ id, parent }) => user(id, { parent }));
      const skeleton = skeletonOf(entries);
      expect(skeleton.length).toBe(entries.length);
      for (const [position, { id }] of entries.entries()) {
        expect(skeleton.id(position)).toBe(id);
        expect(skeleton.parent(position)).toBeGreaterThanOrEqual(-1);
        expect(skeleton.parent(position)).toBeLessThan(entries.length);
      }
    }),
    { numRuns: 20 },
  );
});

describe("records without an entry of their own", () => {
  it("stand for the entry they follow, or for one by another name", () => {
    const builder = skeletonBuilder();
    builder.add(call("c1"));
    builder.link("record of c1", "c1", true);
    builder.link("attachment", "record of c1");
    builder.add(user("u2", { parent: "attachment" }));
    builder.add(compaction("k", { keeps: ["record of c1", "attachment"] }));
    const skeleton = builder.finish();
    expect(skeleton.parent(1)).toBe(0);
    expect(skeleton.keeps(2)).toEqual(["c1"]);
  });

  it("may name a run of entries by its ends", () => {
    const builder = skeletonBuilder();
    for (const id of ["u1", "u2", "u3"]) builder.add(user(id));
    builder.add(compaction("k"), { from: "u2", to: "u3" });
    builder.add(compaction("broken"), { from: "gone", to: "u3" });
    expect(builder.finish().keeps(3)).toEqual(["u2", "u3"]);
    expect(builder.finish().keeps(4)).toEqual([]);
  });
});

it("a named head gives way to the last entry when that is below it, if so told", () => {
  const entries = [user("u1"), user("u2"), user("u3", { parent: "u1" })];
  const builder = skeletonBuilder();
  for (const entry of entries) builder.add(entry);
  expect(builder.finish("u1", true).head).toBe(2);
  expect(builder.finish("u2", true).head).toBe(1);
  expect(builder.finish("u1").head).toBe(0);
});
