// Turns made elsewhere come back to the original, whatever happened to either session in the meantime.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Source } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { isRun, openRunFile } from "../../src/storage/runs.ts";
import { undo } from "../../src/storage/undo.ts";
import { carry } from "../../src/switch/carry.ts";
import { editsFor } from "../../src/transform/edit.ts";
import { forkAt } from "../../src/transform/fork.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, call, compaction, result, user } from "../session/build.ts";
import {
  begun,
  carried,
  find,
  goesOn,
  named,
  newWorld,
  returned,
  seen,
  type There,
  type World,
} from "./world.ts";

/** A file of lines that holds one session. */
const isLog = ({ path }: SessionRef) => path.endsWith(".jsonl");

/** All that is there, on whatever branch. */
async function recorded(source: Source): Promise<string[]> {
  return (await Array.fromAsync(source.entries())).map(entryText);
}

/** Those whose way to take turns back is imitated here. */
const REWINDS = ["claude", "codex"];

const BEGINNING = [user("u1"), call("c1"), result("c1"), assistant("a1"), user("u2"), assistant("a2")];
const BEGUN = ["says u1", "output of c1", "replies a1", "says u2", "replies a2"];
const MORE = [user("u3"), call("c3"), result("c3"), assistant("a3")];
const MADE = ["says u3", "output of c3", "replies a3"];

/** Every agent once in each role. */
const able = adapters.filter(({ canExtend }) => canExtend).map(({ id }) => id);
const pairs = able.map((id, at) => [id, able[(at + 1) % able.length] ?? id] as const);

describe.each(pairs)("from %s to %s and back", (first, second) => {
  const [one, other] = [named(first), named(second)];

  async function both(): Promise<{ world: World; a: There; b: There }> {
    const world = await newWorld();
    const a = await begun(world, one, BEGINNING);
    const b = await carried(world, a, other);
    return { world, a, b };
  }

  it("extends the original by exactly the new turns", async () => {
    const { world, a, b } = await both();
    const { ref } = await find(world, a);
    const before = await readFile(ref.path);
    await goesOn(world, b, MORE);
    const back = await returned(world, b);
    expect(back).toMatchObject({ agent: first, originalId: a.id, path: ref.path, warnings: [] });
    expect(back).toMatchObject({ isExtended: true, counts: { user: 1, assistant: 1, tool_call: 1 } });
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE]);
    if (isLog(ref)) expect((await readFile(ref.path)).subarray(0, before.length)).toEqual(before);
    expect((await find(world, a)).source.losses).toEqual([]);
    await undo(world.batonHome, back.operation ?? "");
    if (isLog(ref)) expect(await readFile(ref.path)).toEqual(before);
    expect(await seen(world, a)).toEqual(BEGUN);
  });

  it("returns only what is new the second time, and says when nothing is", async () => {
    const { world, a, b } = await both();
    expect(await returned(world, b)).toMatchObject({ isNothing: true, operation: null });
    await goesOn(world, b, MORE);
    await returned(world, b);
    const nothing = await returned(world, b);
    expect(nothing).toMatchObject({ isNothing: true, operation: null, originalId: a.id });
    expect(nothing.warnings.join()).toContain("Nothing new");
    expect(nothing.command.argv).toContain(a.id);
    await goesOn(world, b, [user("u4"), call("c3"), result("c3"), assistant("a4")]);
    await returned(world, b);
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE, "says u4", "output of c3", "replies a4"]);
  });

  it("returns everything again after the return was undone", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const back = await returned(world, b);
    await undo(world.batonHome, back.operation ?? "");
    await returned(world, b);
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE]);
  });

  it("only says what would happen", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const back = await returned(world, b, { dryRun: true });
    expect(back).toMatchObject({ operation: null, isNothing: false, counts: { user: 1 } });
    expect(await seen(world, a)).toEqual(BEGUN);
  });

  it("leaves the newer turns of an original that has gone on beside those that return", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    await goesOn(world, a, [user("u9"), assistant("a9")]);
    const back = await returned(world, b);
    expect(back.warnings.join()).toContain("gone on");
    expect(await seen(world, back.there)).toEqual([...BEGUN, ...MADE]);
    expect(back.isExtended).toBe(one.holds.branches);
    const { source } = await find(world, a);
    expect(await recorded(source)).toContain("replies a9");
    if (one.holds.branches) expect(back.originalId).toBe(a.id);
    else {
      expect(back.originalId).not.toBe(a.id);
      expect(await seen(world, a)).toEqual([...BEGUN, "says u9", "replies a9"]);
      expect(source.header.title).toBe((await find(world, back.there)).source.header.title);
    }
    // The next time everything is where it was returned to.
    await goesOn(world, b, [user("u5"), assistant("a5")]);
    const again = await returned(world, b);
    expect(again).toMatchObject({ originalId: back.originalId, isExtended: true });
    expect(await seen(world, back.there)).toEqual([...BEGUN, ...MADE, "says u5", "replies a5"]);
  });

  it("returns the summary of a session that was compacted", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, [...MORE, compaction("k", { summary: "It was short." }), user("u5")]);
    const back = await returned(world, b);
    expect(back.warnings.join()).toContain("compacted");
    expect(back.isExtended).toBe(one.holds.branches);
    expect(await seen(world, b)).toEqual(expect.arrayContaining(["It was short.", "says u5"]));
    expect(await seen(world, b)).not.toContain("replies a2");
    expect(await seen(world, back.there)).toEqual(await seen(world, b));
    expect(await recorded((await find(world, a)).source)).toContain("replies a2");
    await goesOn(world, b, [assistant("a6")]);
    const again = await returned(world, b);
    expect(again).toMatchObject({ isExtended: true, warnings: [] });
    expect((await seen(world, back.there)).at(-1)).toBe("replies a6");
    expect(await seen(world, back.there)).toEqual(await seen(world, b));
  });

  // Gemini CLI's and OpenCode's own ways to take turns back are read in their adapters' tests.
  it.skipIf(!REWINDS.includes(second))(
    "returns a session that was taken back to before it was carried",
    async () => {
      const { world, a, b } = await both();
      await goesOn(world, b, MORE);
      await goesOn(world, b, [user("u7"), assistant("a7")], await rewind(world, b, "says u2"));
      expect(await seen(world, b)).toEqual([...BEGUN.slice(0, 3), "says u7", "replies a7"]);
      const back = await returned(world, b);
      expect(back.warnings.join()).toContain("taken back");
      expect(await seen(world, back.there)).toEqual([...BEGUN.slice(0, 3), "says u7", "replies a7"]);
      expect(back.isExtended).toBe(one.holds.branches);
      expect(await recorded((await find(world, a)).source)).toContain("replies a2");
    },
  );

  it("makes a new session when the original is gone", async ({ skip }) => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const { ref } = await find(world, a);
    if (!isLog(ref)) skip("the file holds other sessions too");
    await rm(ref.path);
    const back = await returned(world, b);
    expect(back.warnings.join()).toContain("gone");
    expect(back.originalId).not.toBe(a.id);
    expect(await seen(world, back.there)).toEqual([...BEGUN, ...MADE]);
  });

  it("refuses while the original is held, and leaves it as it was", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const live = adapters.map((adapter) => ({ ...adapter, isLive: async () => true }));
    await expect(returned(world, b, { adapters: live })).rejects.toMatchObject({ code: "busy" });
    expect(await seen(world, a)).toEqual(BEGUN);
  });

  it("refuses while a live run has the original", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const log = await openRunFile(world.batonHome, "run", (error) => expect.unreachable(String(error)));
    const [agent, session, now] = [a.agent.id, a.id, new Date().toISOString()];
    const facts = { prompt: "", state: "running", started: now, updated: now } as const;
    log.write({ id: "run", agent, session, cwd: "/project", ...facts });
    await expect.poll(() => isRun(world.batonHome, { agent, session })).toBe(true);
    await expect(returned(world, b)).rejects.toMatchObject({ code: "busy" });
    await log.close(true);
    expect(await returned(world, b)).toMatchObject({ originalId: a.id, isExtended: true });
  });

  it("returns along a chain, step by step", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const c = await carried(world, b, one);
    await goesOn(world, c, [user("u4"), assistant("a4")]);
    const back = await returned(world, c);
    expect(back).toMatchObject({ originalId: b.id, isExtended: true, warnings: [] });
    expect(await returned(world, b)).toMatchObject({ originalId: a.id, isExtended: true });
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE, "says u4", "replies a4"]);
  });

  it("returns a fork of the session that was carried", async () => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const { source, ref } = await find(world, b);
    const { originalId } = await carry({ ...world, source, from: ref, to: other, kind: "fork" });
    const fork = { agent: other, id: originalId };
    await goesOn(world, fork, [user("u4"), assistant("a4")]);
    expect(await returned(world, fork)).toMatchObject({ originalId: a.id, isExtended: true });
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE, "says u4", "replies a4"]);
  });

  it("warns that the original has what was taken out of a fork, also through a copy of that", async () => {
    const world = await newWorld();
    const a = await begun(world, one, [user("u1"), assistant("a1"), user("u2"), assistant("a2")]);
    const { source, ref } = await find(world, a);
    const first = await Array.fromAsync(source.entries());
    const replace = [{ entry: first.find((entry) => entry.type === "user")?.id ?? "", content: "another" }];
    const edits = editsFor(source, { drop: [], replace });
    const made = await carry({ ...world, source, from: ref, to: other, kind: "fork", edits });
    const b = { agent: other, id: made.originalId };
    await goesOn(world, b, MORE);
    const again = await find(world, b);
    const copied = await carry({ ...world, source: again.source, from: again.ref, to: other, kind: "fork" });
    const copy = { agent: other, id: copied.originalId };
    await goesOn(world, copy, [user("u4"), assistant("a4")]);
    for (const there of [b, copy]) {
      const { warnings, originalId } = await returned(world, there, { dryRun: true });
      expect(originalId).toBe(a.id);
      expect(warnings).toContainEqual(expect.stringContaining("dropped or replaced"));
    }
    expect((await returned(world, b)).isExtended).toBe(true);
    expect((await seen(world, a))[0]).toBe("says u1");
  });

  it("says what to do with a session that was never carried", async () => {
    const { world, a, b } = await both();
    await expect(returned(world, a)).rejects.toMatchObject({
      code: "refused",
      hint: expect.stringContaining(`baton return ${second}:${b.id}`),
    });
    await rm(world.batonHome, { recursive: true });
    await expect(returned(world, b)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("not carried here"),
    });
  });

  it("gives calls and turns ids that the session does not have yet", async () => {
    const { world, a } = await both();
    for (const id of ["u8", "u9"])
      await goesOn(world, a, [user(id), call("c1"), result("c1"), assistant(id)]);
    const { source, ref } = await find(world, a);
    const ids = (await Array.fromAsync(source.entries())).map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(source.losses).toEqual([]);
    const made = ["output of c1", "replies u8", "says u9", "output of c1", "replies u9"];
    expect(await seen(world, a)).toEqual([...BEGUN, "says u8", ...made]);
    const begun = (await readFile(ref.path, "utf8")).match(/"task_started","turn_id":"[^"]+"/g) ?? [];
    expect(new Set(begun).size).toBe(first === "codex" ? 4 : 0);
    expect(begun).toHaveLength(first === "codex" ? 4 : 0);
  });

  it("goes on behind a line that was cut off", async ({ skip }) => {
    const { world, a, b } = await both();
    await goesOn(world, b, MORE);
    const { ref } = await find(world, a);
    if (!isLog(ref)) skip("there are no lines");
    await writeFile(ref.path, '{"type":"cut', { flag: "a" });
    await returned(world, b);
    expect(await seen(world, a)).toEqual([...BEGUN, ...MADE]);
  });
});

/** As each agent does it: a branch behind the entry that is returned, or a mark that takes turns back. */
async function rewind(world: World, there: There, prompt: string): Promise<string | undefined> {
  const { ref, source } = await find(world, there);
  let before: string | undefined;
  let turns = 0;
  for await (const entry of source.entries()) {
    if (entry.type === "user" && (turns > 0 || entry.content === prompt)) turns++;
    if (turns === 0) before = entry.id;
  }
  if (there.agent.holds.branches) return before;
  const payload = { type: "thread_rolled_back", num_turns: turns };
  await writeFile(ref.path, `${JSON.stringify({ type: "event_msg", payload })}\n`, { flag: "a" });
  return undefined;
}

it("copies an original that was archived", async () => {
  const world = await newWorld();
  const a = await begun(world, named("codex"), BEGINNING);
  const b = await carried(world, a, named("claude"));
  await goesOn(world, b, MORE);
  const { ref } = await find(world, a);
  const archive = join(world.home.dir, ".codex", "archived_sessions");
  await mkdir(archive);
  await rename(ref.path, join(archive, ref.path.split("/").at(-1) ?? ""));
  const back = await returned(world, b);
  expect(back.originalId).not.toBe(a.id);
  expect(await seen(world, back.there)).toEqual([...BEGUN, ...MADE]);
});

it("branches behind any entry of a Claude session, and the branch is the one that goes on", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const { source } = await find(world, a);
  const third = source.skeleton.id(3);
  await goesOn(world, a, [user("u8"), assistant("a8")], third);
  expect(await seen(world, a)).toEqual([...BEGUN.slice(0, 3), "says u8", "replies a8"]);
  const fork = forkAt((await find(world, a)).source, source.skeleton.id(5));
  const texts = await Array.fromAsync(visible(fork).entries());
  expect(texts.at(-1)).toMatchObject({ content: "replies a2" });
});
