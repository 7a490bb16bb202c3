// What the model would see on a resume: the current branch, parallel calls with their results, compactions.

import { describe, expect, it } from "vitest";
import { type Loss, loss } from "../../src/session/losses.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import type { Skeleton } from "../../src/session/skeleton.ts";
import { sourceOf } from "../../src/session/source.ts";
import {
  thread,
  type VisibleOptions,
  visible,
  visibleEntries,
  visiblePositions,
} from "../../src/transform/visible.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";

async function seen(timeline: Entry[], fields: Partial<Session> = {}, options: VisibleOptions = {}) {
  const entries = await visibleEntries(session(timeline, fields), options);
  return entries.map(({ id }) => id).join(" ");
}

describe("a plain session", () => {
  it("is seen whole and in order", async () => {
    expect(await seen([user("u1"), assistant("a1"), call("c1"), result("c1"), assistant("a2")])).toBe(
      "u1 a1 c1 r1 a2",
    );
    expect(await seen([])).toBe("");
  });

  it("ends at the head", async () => {
    expect(await seen([user("u1"), assistant("a1"), user("u2")], { head: "a1" })).toBe("u1 a1");
  });

  it("loses its parents and its head, because it is one thread now", async () => {
    const source = sourceOf(
      session([user("u1", { parent: null }), user("u2", { parent: "u1" })], { head: "u2" }),
    );
    const stream = visible(source);
    expect(stream.header).not.toHaveProperty("head");
    for await (const entry of stream.entries()) expect(entry).not.toHaveProperty("parent");
  });
});

describe("branches", () => {
  const branched = [
    user("u1", { parent: null }),
    assistant("a1", { parent: "u1" }),
    user("u2", { parent: "a1" }),
    assistant("a2", { parent: "u2" }),
    user("u3", { parent: "a1" }),
    assistant("a3", { parent: "u3" }),
  ];

  it("other than the current one are not seen", async () => {
    expect(await seen(branched)).toBe("u1 a1 u3 a3");
    expect(await seen(branched, { head: "a2" })).toBe("u1 a1 u2 a2");
  });

  it("that start anew are seen alone", async () => {
    expect(await seen([...branched, user("u4", { parent: null }), assistant("a4")])).toBe("u4 a4");
  });

  it("rewound to an earlier point hide what came after it", async () => {
    expect(await seen([user("u1"), assistant("a1"), user("u2"), assistant("a2")], { head: "a1" })).toBe(
      "u1 a1",
    );
  });
});

describe("parallel calls", () => {
  it("whose results hang off the chain are seen, results after all calls in call order", async () => {
    // Each result follows its own call; the chain to the head goes through the last one only.
    const timeline = [
      user("u1", { parent: null }),
      assistant("a1", { parent: "u1", turn: "m1" }),
      call("c1", { parent: "a1", turn: "m1" }),
      call("c2", { parent: "c1", turn: "m1" }),
      call("c3", { parent: "c2", turn: "m1" }),
      result("c2", { parent: "c2" }),
      result("c1", { parent: "c1" }),
      result("c3", { parent: "c3" }),
      assistant("a2", { parent: "r3", turn: "m2" }),
    ];
    expect(await seen(timeline)).toBe("u1 a1 c1 c2 c3 r1 r2 r3 a2");
  });

  it("are joined with their results where they stand apart in the file", async () => {
    const timeline = [
      user("u1"),
      call("c1", { turn: "m1" }),
      result("c1"),
      call("c2", { turn: "m1" }),
      result("c2"),
      assistant("a2", { turn: "m2" }),
    ];
    expect(await seen(timeline)).toBe("u1 c1 c2 r1 r2 a2");
  });

  it("without turns are grouped when they follow each other directly", async () => {
    expect(
      await seen([user("u1"), call("c1"), call("c2"), result("c2"), result("c1"), call("c3"), result("c3")]),
    ).toBe("u1 c1 c2 r1 r2 c3 r3");
  });

  it("keep the text that stands between them", async () => {
    const timeline = [
      user("u1"),
      call("c1", { turn: "m1" }),
      assistant("a1", { turn: "m1" }),
      call("c2", { turn: "m1" }),
      result("c1"),
      result("c2"),
    ];
    expect(await seen(timeline)).toBe("u1 c1 a1 c2 r1 r2");
  });
});

describe("results", () => {
  it("that were written twice are seen once: the one on the branch, otherwise the last", async () => {
    const timeline = [
      user("u1", { parent: null }),
      call("c1", { parent: "u1", turn: "m1" }),
      result("c1", { parent: "c1" }, "first"),
      result("c1", { parent: "c1" }, "second"),
      assistant("a1", { parent: "first" }),
    ];
    expect(await seen(timeline)).toBe("u1 c1 first a1");
    expect(await seen(timeline, { head: "c1" })).toBe("u1 c1 second");
  });

  it("without a call stay where they are, a call without a result too", async () => {
    expect(await seen([user("u1"), result("c9"), call("c1"), user("u2")])).toBe("u1 r9 c1 u2");
  });
});

describe("a compaction", () => {
  const before = [user("u1"), assistant("a1"), user("u2"), assistant("a2")];

  it("replaces what came before by its summary", async () => {
    const timeline = [...before, compaction("k", { summary: "so far" }), user("u3")];
    const [summary, ...rest] = await visibleEntries(session(timeline));
    expect(summary).toMatchObject({ id: "k", type: "user", content: "so far", injected: true });
    expect(rest.map(({ id }) => id)).toEqual(["u3"]);
  });

  it("shows what it keeps after the summary, once and in its order", async () => {
    const timeline = [
      ...before,
      compaction("k", { summary: "so far", keeps: ["u2", "a2", "gone"] }),
      user("u3"),
    ];
    expect(await seen(timeline)).toBe("k u2 a2 u3");
  });

  it("may keep what was recorded after it", async () => {
    const timeline = [...before, compaction("k", { summary: "s", keeps: ["u3"] }), user("u3"), user("u4")];
    expect(await seen(timeline)).toBe("k u3 u4");
  });

  it("keeps a call together with its result", async () => {
    const timeline = [
      user("u1"),
      call("c1", { turn: "m1" }),
      result("c1"),
      compaction("k", { summary: "s", keeps: ["c1"] }),
    ];
    expect(await seen(timeline)).toBe("k c1 r1");
  });

  it("shows its replacement instead of a summary", async () => {
    const replacement = [user("x1"), assistant("x2")];
    expect(await seen([...before, compaction("k", { summary: "unused", replacement }), user("u3")])).toBe(
      "x1 x2 u3",
    );
  });

  it("without summary or replacement only hides", async () => {
    expect(await seen([...before, compaction("k"), user("u3")])).toBe("u3");
  });

  it("counts only when it is on the branch, and only the last one counts", async () => {
    const twice = [
      ...before,
      compaction("k1", { summary: "1" }),
      user("u3"),
      compaction("k2", { summary: "2" }),
      user("u4"),
    ];
    expect(await seen(twice)).toBe("k2 u4");
    expect(await seen(twice, { head: "u3" })).toBe("k1 u3");
    expect(await seen(twice, { head: "a2" })).toBe("u1 a1 u2 a2");
  });

  it("hides nothing from the full history", async () => {
    expect(
      await seen([...before, compaction("k", { summary: "s" }), user("u3")], {}, { history: "full" }),
    ).toBe("u1 a1 u2 a2 k u3");
  });
});

describe("damage", () => {
  it("that makes parents go round in a circle ends the walk", async () => {
    expect(
      await seen([user("a", { parent: "c" }), user("b", { parent: "a" }), user("c", { parent: "b" })]),
    ).toBe("a b c");
    expect(await seen([user("a", { parent: "a" })])).toBe("a");
  });

  it("in any parents, turns, calls and heads is survived; nothing is seen twice and nothing of the branch is lost", async () => {
    const id = fc.integer({ min: 0, max: 12 }).map((number) => `e${number}`);
    const fields = fc.record(
      { parent: fc.option(id), turn: fc.constantFrom("m1", "m2") },
      { requiredKeys: [] },
    );
    const entry = fc.oneof(
      fc.tuple(id, fields).map(([name, more]) => user(name, more)),
      fc.tuple(id, fields).map(([name, more]) => call(name, more)),
      fc.tuple(id, id, fields).map(([name, callId, more]) => result(callId, more, name)),
      fc
        .tuple(id, fc.array(id, { maxLength: 3 }))
        .map(([name, keeps]) => compaction(name, { summary: "s", keeps })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), id, async (timeline, head) => {
        const marked = timeline.map((one, position) => ({ ...one, originalId: String(position) }));
        for (const history of ["visible", "full"] as const) {
          const source = sourceOf(session(marked, { head }));
          const positions = visiblePositions(source.skeleton, { history });
          const entries = await Array.fromAsync(visible(source, { history }).entries());
          expect(new Set(positions).size).toBe(positions.length);
          expect(entries).toHaveLength(positions.length);
          if (history === "full")
            expect(positions).toEqual(expect.arrayContaining(branchOf(source.skeleton)));
        }
      }),
      { numRuns: 500 },
    );
  });
});

it("children are seen the same way", async () => {
  const child = session([user("x1"), compaction("k", { summary: "s" }), user("x2")], { id: "child" });
  const children = await Array.fromAsync(
    visible(sourceOf(session([user("u1")], { children: [child] }))).children(),
  );
  expect(children).toHaveLength(1);
  const entries = await Array.fromAsync(children[0]!.entries());
  expect(entries.map(({ id }) => id)).toEqual(["k", "x2"]);
});

it("notes to the user are not seen, what follows them is", async () => {
  const timeline = [user("u1"), { ...assistant("a1"), note: true }, user("u2", { parent: "a1" })];
  expect(await seen(timeline)).toBe("u1 u2");
  const whole = await Array.fromAsync(thread(sourceOf(session(timeline))).entries());
  expect(whole.map(({ id }) => id)).toEqual(["u1", "a1", "u2"]);
});

it("a result never stands before its call, and the first one counts", async () => {
  expect(await seen([user("u1"), result("c1"), call("c1"), user("u2")])).toBe("u1 c1 r1 u2");
  expect(await seen([call("c1"), result("c1"), result("c1", {}, "again"), user("u2")])).toBe(
    "c1 r1 again u2",
  );
});

it("what is left out is named, and a loss found while reading is not forgotten", async () => {
  const timeline = [
    user("u1"),
    compaction("k", { summary: "s" }),
    { ...assistant("a1"), note: true },
    user("u2"),
  ];
  const found: Loss[] = [];
  const stream = visible({ ...sourceOf(session(timeline)), losses: found });
  found.push(loss("record_unreadable", { record: 3 }, "found later"));
  expect(stream.losses.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([
    "record_unreadable: found later",
    "history_hidden: 1 entries before a compaction or on other branches",
  ]);
  expect(visible(sourceOf(session([user("u1"), user("u2")]))).losses).toEqual([]);
});

/** The current branch, newest first. */
function branchOf(skeleton: Skeleton): number[] {
  const path = new Set<number>();
  for (let at = skeleton.head; at !== -1 && !path.has(at); at = skeleton.parent(at)) path.add(at);
  return [...path];
}
