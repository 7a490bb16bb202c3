// A fork with entries taken out or replaced, or with paths of another folder: the agent's own records stay what they
// were wherever nothing was changed, and another agent gets the same history.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { carry } from "../../src/switch/carry.ts";
import { editsFor } from "../../src/transform/edit.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, result, user } from "../session/build.ts";
import { begun, find, named, newWorld, seen, type There, type World } from "./world.ts";

const read = (id: string, path: string): Entry => ({
  id,
  timestamp: "2026-01-02T03:04:05.000Z",
  type: "tool_call",
  tool: "read",
  input: { path },
  turn: `turn of ${id}`,
});

const TIMELINE = [
  user("u1"),
  read("c1", "/project/a.ts"),
  result("c1"),
  read("c2", "/project/b.ts"),
  result("c2"),
  assistant("a1"),
  user("u2"),
  assistant("a2"),
];

async function idOf(world: World, there: There, text: string, type?: Entry["type"]): Promise<string> {
  const { source } = await find(world, there);
  for await (const entry of source.entries()) {
    const isMeant = type === undefined || entry.type === type;
    if (isMeant && JSON.stringify(entry).includes(text)) return entry.id;
  }
  throw new Error(`nothing says ${text}`);
}

async function calls(world: World, there: There): Promise<unknown[]> {
  const { source } = await find(world, there);
  const inputs: unknown[] = [];
  for await (const entry of visible(source).entries())
    if (entry.type === "tool_call") inputs.push(entry.input);
  return inputs;
}

const WRITERS = adapters.filter(({ write }) => write).map(({ id }) => id);
const pairs = WRITERS.flatMap((from) => WRITERS.map((to) => [from, to] as const));

describe.each(pairs)("from %s into %s", (from, into) => {
  const to = named(into);

  it("the new session has exactly the edited history", async () => {
    const world = await newWorld();
    const a = await begun(world, named(from), TIMELINE);
    const { source, ref } = await find(world, a);
    const before = await seen(world, a);
    const edits = editsFor(source, {
      drop: [await idOf(world, a, "a.ts", "tool_call"), await idOf(world, a, "replies a1")],
      replace: [
        { entry: await idOf(world, a, "says u2"), content: "Ask this instead" },
        { entry: await idOf(world, a, "output of c2"), content: "another output" },
        { entry: await idOf(world, a, "b.ts", "tool_call"), content: '{"path":"/project/z.ts"}' },
      ],
    });
    const { originalId, losses } = await carry({ ...world, source, from: ref, to, edits, kind: "fork" });
    const fork = { agent: to, id: originalId };
    expect(await seen(world, fork)).toEqual(["says u1", "another output", "Ask this instead", "replies a2"]);
    expect(await calls(world, fork)).toEqual([expect.objectContaining({ path: "/project/z.ts" })]);
    expect(losses.filter(({ kind }) => kind === "edit_ignored")).toEqual([]);
    expect(await seen(world, a)).toEqual(before);
  });

  it("paths of a folder that moved are those of the new one", async () => {
    const world = await newWorld();
    const a = await begun(world, named(from), TIMELINE);
    const { source, ref } = await find(world, a);
    const { originalId, losses } = await carry({
      ...world,
      source,
      from: ref,
      to,
      moves: [["/project", "/elsewhere/project"]],
      kind: "fork",
    });
    const fork = { agent: to, id: originalId };
    expect((await find(world, fork)).source.header.project.path).toBe("/elsewhere/project");
    expect(await calls(world, fork)).toEqual([
      expect.objectContaining({ path: "/elsewhere/project/a.ts" }),
      expect.objectContaining({ path: "/elsewhere/project/b.ts" }),
    ]);
    expect(losses).toContainEqual(
      expect.objectContaining({
        kind: "paths_remapped",
        detail: "2 path(s), /project → /elsewhere/project",
      }),
    );
    expect((await seen(world, fork)).slice(0, 2)).toEqual(["says u1", "output of c1"]);
  });
});

describe.each(["claude", "codex"])("within %s", (name) => {
  it("records that nobody touched are copied byte for byte", async () => {
    const world = await newWorld();
    const a = await begun(world, named(name), TIMELINE);
    const { source, ref } = await find(world, a);
    const edits = editsFor(source, { drop: [await idOf(world, a, "replies a2")], replace: [] });
    const { path } = await carry({ ...world, source, from: ref, to: named(name), edits, kind: "fork" });
    const [before, after] = await Promise.all([readFile(ref.path, "utf8"), readFile(path, "utf8")]);
    const result = before.split("\n").find((line) => line.includes("output of c2")) ?? "nowhere";
    expect(after.split("\n")).toContain(result);
    expect(after).not.toContain("replies a2");
  });

  it("an edit that the agent cannot say is refused, unless it may go missing", async () => {
    const world = await newWorld();
    const a = await begun(world, named(name), TIMELINE);
    const { source } = await find(world, a);
    const to = adapters.find(({ id }) => id === name);
    const entry = await idOf(world, a, "says u2");
    const edits = editsFor(source, { drop: [], replace: [{ entry, content: "x" }] });
    const unable = {
      ...to,
      async *write(...given: Parameters<NonNullable<typeof to>["write"] & {}>) {
        yield* to?.write?.(...given) ?? [];
        const loss = { kind: "edit_ignored", severity: "warning", at: { entry }, detail: "no" } as const;
        yield { type: "loss" as const, loss };
      },
    } as typeof to & {};
    const request = { ...world, source, to: unable, edits, kind: "fork" } as const;
    await expect(carry(request)).rejects.toMatchObject({ code: "refused" });
    expect((await carry({ ...request, yes: true })).operation).not.toBeNull();
  });
});
