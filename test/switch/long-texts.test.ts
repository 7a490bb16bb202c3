// Long outputs stay in the source's file while a session is carried. Nobody may be able to tell: what is written
// is what would be written from a session in memory, and damage inside such a text is found and reported.
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { collect, type Source, sourceOf } from "../../src/session/source.ts";
import { isReferenced } from "../../src/storage/reference.ts";
import { carry } from "../../src/switch/carry.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

const now = new Date("2026-11-15T12:00:00.000Z");
const LINE = 'a line of an output, with "quotes", a tab\t, \\ backslashes and more\n';
const OUTPUTS: Record<string, string> = {
  plain: LINE.repeat(1000),
  foreign: `→ 日本語 ✓ naïve 😀\n${LINE}`.repeat(1000),
  coloured: `\u001b[31m${LINE}\u001b[0m`.repeat(1000),
  header: `Exit code: 1\nWall time: 0.5 seconds\nOutput:\n${LINE.repeat(1000)}`,
  json: JSON.stringify({ output: LINE.repeat(1000), metadata: { exit_code: 1 } }),
  blank: `${" \n".repeat(10_000)}${LINE.repeat(1000)}`,
  half: `${LINE.repeat(1000)}\ud83d`,
  short: "short",
};

function timelineOf(outputs: readonly string[]): Entry[] {
  const exchanges = outputs.flatMap((output, index) => [
    call(`c${index}`),
    { ...result(`c${index}`), output, success: index % 3 !== 1 } as Entry,
  ]);
  return [user("u1"), ...exchanges, assistant("a1")];
}

/** A session in the store of an agent, opened from there. */
async function recorded(by: Adapter, outputs: readonly string[]): Promise<{ source: Source; path: string }> {
  const { path } = await carry({
    source: sourceOf(session(timelineOf(outputs))),
    to: by,
    cwd: "/home/dev/project",
    ...(await somewhere()),
  });
  const ref = await by.recognise(path);
  if (!ref) throw new Error(`${path} is not recognised`);
  return { source: await by.open(ref), path };
}

async function somewhere() {
  const dir = await mkdtemp(join(tmpdir(), "baton-long-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  emptyStore(dir);
  return { home: { dir, env: {} }, batonHome: join(dir, ".baton"), kind: "resume" as const, now, yes: true };
}

/** What was written: the lines of a file, or the entries of a session that stands in a database. */
async function linesOf(source: Source, to: Adapter): Promise<Record<string, unknown>[]> {
  const newId = () => "019a0000-0000-7000-8000-000000000001";
  const { path } = await carry({ source, to: { ...to, newId }, ...(await somewhere()) });
  if (path.endsWith(".db")) return entriesIn(to, path);
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Without the ids, which are made anew each time. */
async function entriesIn(to: Adapter, path: string): Promise<Record<string, unknown>[]> {
  const ref = await to.recognise(path);
  if (!ref) throw new Error(`${path} is not recognised`);
  const { timeline } = await collect(await to.open(ref));
  return timeline.map(({ id: _, turn: __, ...entry }) => ({ ...entry }));
}

const writers = adapters.filter(({ write }) => write);
const pairs = writers.flatMap((from) =>
  writers.flatMap((to) => (from === to ? [] : [[from.id, to.id, from, to] as const])),
);

describe.each(pairs)("from %s to %s", (_, __, from, to) => {
  it.each(Object.keys(OUTPUTS))("an output that is %s is written as from memory", async (name) => {
    const { source } = await recorded(from, [OUTPUTS[name] as string, OUTPUTS.plain as string]);
    const seen = await Array.fromAsync(source.entries({ texts: "referenced" }));
    expect(seen.some((entry) => entry.type === "tool_result" && isReferenced(entry.output))).toBe(
      from.fold.passes !== undefined,
    );
    const found = await linesOf(source, to);
    const meant = await linesOf(sourceOf(await collect(source)), to);
    expect(found.map(withoutAllowance)).toEqual(meant.map(withoutAllowance));
    expect(textsIn(found).some((text) => text.includes(OUTPUTS.plain as string))).toBe(true);
    // How much the agent may show the model is an upper bound.
    for (const [index, line] of found.entries())
      expect(allowance(line)).toBeGreaterThanOrEqual(allowance(meant[index]));
  });
});

// The rows of a database are read as they are asked for: nothing of them stays behind that could be damaged later,
// and what changes meanwhile is noticed by other means (test/adapters/opencode/store.test.ts).
const fromFiles = pairs.filter(([, , from]) => from.fold.passes);

describe.each(fromFiles)("from the file of %s to %s", (_, __, from, to) => {
  it.each([
    ["an escape that is none", "\\q"],
    ["a raw control character", "\u0001"],
  ])("%s inside a long output is reported, and the rest is carried", async (___, damage) => {
    const { source, path } = await recorded(from, ["x".repeat(100_000), OUTPUTS.plain as string]);
    const native = await readFile(path, "utf8");
    const at = native.indexOf("x".repeat(100_000)) + 50_000;
    await writeFile(path, `${native.slice(0, at)}${damage}${native.slice(at + damage.length)}`);
    const looked = await carry({ source, to, ...(await somewhere()), dryRun: true });
    expect(looked.losses.map(({ kind }) => kind)).toContain("record_unreadable");
    await expect(carry({ source, to, ...(await somewhere()), yes: false })).rejects.toMatchObject({
      code: "refused",
    });
    const carried = await carry({ source, to, ...(await somewhere()) });
    expect(carried.losses.map(({ kind }) => kind)).toContain("record_unreadable");
    const ref = await to.recognise(carried.path);
    const { timeline } = await collect(await to.open(ref as NonNullable<typeof ref>));
    const results = timeline.filter((entry) => entry.type === "tool_result");
    expect(results.map(({ output }) => output.replace(/x+/, "x"))).toEqual(["x", OUTPUTS.plain]);
  });
});

describe.each(fromFiles)("from %s to %s, a file", (_, __, from, to) => {
  it.each([
    ["replaced", async (path: string, native: string) => replaced(path, `${native.slice(0, 10)}\n${native}`)],
    ["cut", (path: string, native: string) => writeFile(path, native.slice(0, native.length / 2))],
    ["removed", (path: string) => rm(path)],
  ])("that is %s meanwhile is noticed, and nothing is written", async (___, change) => {
    const { source, path } = await recorded(from, [OUTPUTS.plain as string, OUTPUTS.foreign as string]);
    await change(path, await readFile(path, "utf8"));
    const there = await somewhere();
    await expect(carry({ source, to, ...there })).rejects.toThrow();
    expect(await Array.fromAsync(to.discover(there.home))).toEqual([]);
  });
});

describe.each(pairs)("from %s to %s, a session", (_, __, from, to) => {
  it("is no other one: each long output comes from its own", async () => {
    const child = session(timelineOf([`child\n${OUTPUTS.foreign}`]), { id: "child" });
    const links = [{ type: "subagent" as const, session: "universal:child", entry: "c0" }];
    const timeline = timelineOf([OUTPUTS.plain as string]).map(
      (entry): Entry =>
        entry.type === "tool_call" ? { ...entry, tool: "task", input: { prompt: "do it" } } : entry,
    );
    const both = session(timeline, { links, children: [child] });
    const place = await somewhere();
    const made = await carry({ source: sourceOf(both), to: from, cwd: "/p", ...place });
    const ref = (await from.recognise(made.path)) as NonNullable<Awaited<ReturnType<Adapter["recognise"]>>>;
    const again = await somewhere();
    const carried = await carry({ source: await from.open(ref), to, ...again });
    const found = (await to.recognise(carried.path)) as typeof ref;
    const whole = await collect(await to.open(found));
    const outputs = [whole, ...((whole.children ?? []) as (typeof whole)[])].flatMap(({ timeline }) =>
      timeline.flatMap((entry) => (entry.type === "tool_result" ? [entry.output] : [])),
    );
    expect(outputs).toEqual([OUTPUTS.plain, `child\n${OUTPUTS.foreign}`]);
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

/** Under the same name, another file. */
async function replaced(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}

function withoutAllowance({ metadata, ...line }: Record<string, unknown>): unknown {
  return { ...line, isMarked: metadata !== undefined };
}

function allowance(line: Record<string, unknown> | undefined): number {
  const { metadata } = line as { metadata?: { fallback_token_limit_override?: number } };
  return metadata?.fallback_token_limit_override ?? 0;
}
