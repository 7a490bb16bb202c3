// Entries taken out or replaced: what goes with them, and what cannot be done.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type EditRequest, edited, editedIn, editsFor } from "../../src/transform/edit.ts";
import { thread, visible } from "../../src/transform/visible.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";

const TIMELINE = [
  user("user-1"),
  call("c1", { turn: "t" }),
  call("c2", { turn: "t" }),
  result("c1"),
  result("c2"),
  assistant("reply-1"),
  user("user-2"),
];

const saying = (entry: Entry, content: string) => ({ ...entry, content }) as Entry;

async function entriesAfter(request: Partial<EditRequest>, timeline: Entry[] = TIMELINE): Promise<Entry[]> {
  const source = sourceOf(session(timeline));
  const edits = editsFor(source, { drop: [], replace: [], ...request });
  return Array.fromAsync(edited(thread(source), edits).entries());
}

describe("dropping", () => {
  it("takes out what is named, by a unique beginning of its id too", async () => {
    const ids = (await entriesAfter({ drop: ["reply", "user-1"] })).map(({ id }) => id);
    expect(ids).toEqual(["c1", "c2", "r1", "r2", "user-2"]);
  });

  it.each([
    ["a call", "c1", "result r1"],
    ["a result", "r1", "call c1"],
  ])("takes the other half of %s with it, and says so", async (_, id, other) => {
    const source = sourceOf(session(TIMELINE));
    const { warnings, dropped } = editsFor(source, { drop: [id], replace: [] });
    expect([...dropped].sort()).toEqual(["c1", "r1"]);
    expect(warnings).toEqual([expect.stringContaining(other)]);
    expect((await entriesAfter({ drop: [id] })).map((entry) => entry.id)).toEqual([
      "user-1",
      "c2",
      "r2",
      "reply-1",
      "user-2",
    ]);
  });

  it("takes what is gone out of what a compaction keeps", async () => {
    const keeping = [...TIMELINE, compaction("k1", { summary: "all", keeps: ["reply-1", "user-2"] })];
    const entries = await entriesAfter({ drop: ["reply-1"] }, keeping);
    expect(entries.at(-1)).toMatchObject({ id: "k1", keeps: ["user-2"] });
  });

  it("takes the subagent of a call with it", async () => {
    const child = session([user("s1")], { id: "child" });
    const links = [{ type: "subagent" as const, session: "universal:child", entry: "c1" }];
    const source = sourceOf(session(TIMELINE, { links, children: [child] }));
    const stream = edited(thread(source), editsFor(source, { drop: ["c1"], replace: [] }));
    expect(await Array.fromAsync(stream.children())).toEqual([]);
    expect(stream.header.links).toEqual([]);
    const kept = edited(thread(source), editsFor(source, { drop: ["c2"], replace: [] }));
    expect(await Array.fromAsync(kept.children())).toHaveLength(1);
  });
});

describe("replacing", () => {
  it("puts another text into messages and results", async () => {
    const entries = await entriesAfter({
      replace: [
        { entry: "user-1", content: "Ask this" },
        { entry: "r2", content: "printed that" },
        { entry: "reply-1", content: "" },
      ],
    });
    expect(entries[0]).toMatchObject({ type: "user", content: "Ask this" });
    expect(entries[4]).toMatchObject({ type: "tool_result", output: "printed that" });
    expect(entries[5]).toMatchObject({ content: "" });
    expect(entries[6]).toEqual(TIMELINE[6]);
  });

  it("keeps images and thinking where they are", async () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const parts = [{ type: "text" as const, text: "one" }, image, { type: "text" as const, text: "two" }];
    const [entry] = await entriesAfter({ replace: [{ entry: "user-9", content: "both" }] }, [
      user("user-9", { parts }),
    ]);
    expect(entry).toMatchObject({ content: "both", parts: [{ type: "text", text: "both" }, image] });
  });

  it("puts JSON into a call", async () => {
    const content = '{"command":"ls -la"}';
    const entries = await entriesAfter({ replace: [{ entry: "c2", content }] });
    expect(entries[2]).toMatchObject({ type: "tool_call", input: { command: "ls -la" } });
    await expect(entriesAfter({ replace: [{ entry: "c2", content: "ls" }] })).rejects.toMatchObject({
      code: "usage",
    });
    await expect(entriesAfter({ replace: [{ entry: "c2", content: "[1]" }] })).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("puts another summary into a compaction, and into what it left", async () => {
    const left = [saying(user("x"), "said"), saying(user("y"), "so far"), call("c9")];
    const compacted = [...TIMELINE, compaction("k1", { summary: "so far", replacement: left as never })];
    const entries = await entriesAfter({ replace: [{ entry: "k1", content: "In short" }] }, compacted);
    const now = [left[0], { ...left[1], content: "In short" }, left[2]];
    expect(entries.at(-1)).toMatchObject({ summary: "In short", replacement: now });
  });

  it("puts another summary in the place of one that was said in pieces", async () => {
    const left = [user("x"), saying(assistant("p"), "so"), saying(assistant("q"), "far")];
    const compacted = [...TIMELINE, compaction("k1", { summary: "so\n\nfar", replacement: left as never })];
    const entries = await entriesAfter({ replace: [{ entry: "k1", content: "In short" }] }, compacted);
    expect(entries.at(-1)).toMatchObject({ replacement: [left[0], { id: "p", content: "In short" }] });
  });

  it("reports a compaction that has no summary to replace", async () => {
    const source = sourceOf(session([...TIMELINE, compaction("k1", { replacement: [user("x")] as never })]));
    const edits = editsFor(source, { drop: [], replace: [{ entry: "k1", content: "In short" }] });
    for (const stream of [edited(thread(source), edits), editedIn(source, edits, visible)]) {
      expect(JSON.stringify(await Array.fromAsync(stream.entries()))).not.toContain("In short");
      const [ignored] = stream.losses.filter(({ kind }) => kind === "edit_ignored");
      expect(ignored).toMatchObject({ at: { entry: "k1" } });
    }
  });

  it("shows the other summary to whoever sees only what is left", async () => {
    const left = [user("x"), saying(user("y"), "so far")];
    const compacted = [...TIMELINE, compaction("k1", { summary: "so far", replacement: left as never })];
    const source = sourceOf(session(compacted));
    const edits = editsFor(source, { drop: [], replace: [{ entry: "k1", content: "In short" }] });
    const stream = editedIn(source, edits, visible);
    expect(await Array.fromAsync(stream.entries())).toMatchObject([{ id: "x" }, { content: "In short" }]);
    expect(stream.losses.filter(({ kind }) => kind === "edit_ignored")).toEqual([]);
  });
});

it("what is replaced where the model no longer sees it is reported", async () => {
  const source = sourceOf(session([...TIMELINE, compaction("k1", { summary: "all" }), user("user-3")]));
  const replace = [
    { entry: "user-1", content: "x" },
    { entry: "k1", content: "In short" },
  ];
  const stream = edited(visible(source), editsFor(source, { drop: [], replace }));
  expect(await Array.fromAsync(stream.entries())).toMatchObject([{ content: "In short" }, { id: "user-3" }]);
  expect(stream.losses.filter(({ kind }) => kind === "edit_ignored")).toMatchObject([
    { at: { entry: "user-1" } },
  ]);
});

describe("what cannot be done", () => {
  it.each<[string, Partial<EditRequest>, string]>([
    ["an id that is not there", { drop: ["nobody"] }, "not_found"],
    ["a beginning of two ids", { drop: ["user"] }, "ambiguous"],
    ["dropping and replacing one entry", { drop: ["c1"], replace: [{ entry: "r1", content: "x" }] }, "usage"],
    [
      "replacing one entry twice",
      {
        replace: [
          { entry: "user-1", content: "x" },
          { entry: "user-1", content: "y" },
        ],
      },
      "usage",
    ],
  ])("%s is an error", async (_, request, code) => {
    await expect(entriesAfter(request)).rejects.toMatchObject({ code });
  });

  it("an entry of another branch is an error", async () => {
    const branched = [user("user-1"), assistant("left-1"), assistant("right", { parent: "user-1" })];
    await expect(entriesAfter({ drop: ["left"] }, branched)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("left-1"),
    });
  });

  it("a compaction is not dropped", async () => {
    await expect(
      entriesAfter({ drop: ["k1"] }, [user("user-1"), compaction("k1", { summary: "s" })]),
    ).rejects.toMatchObject({
      code: "refused",
    });
  });
});

it("an entry that a compaction took the place of is named: the compaction may repeat it", () => {
  const timeline = [...TIMELINE, compaction("k1", { summary: "all", keeps: ["user-2"] }), user("user-3")];
  const warnings = (drop: string[]) =>
    editsFor(sourceOf(session(timeline)), { drop, replace: [] }).warnings.join();
  expect(warnings(["reply-1"])).toContain("reply-1 stands before a compaction");
  expect(warnings(["user-2"])).toBe("");
  expect(warnings(["user-3"])).toBe("");
});
