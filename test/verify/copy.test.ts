// Copying a session into a private store, and knowing what its model must not see.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileRef, Home, SessionRef } from "../../src/adapters/adapter.ts";
import { sourceOf } from "../../src/session/source.ts";
import { copyBundle, hiddenTexts } from "../../src/verify/copy.ts";
import { assistant, compaction, session, user } from "../session/build.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "baton-copy-"));
});
afterEach(() => rm(root, { recursive: true }));

const adapter = {
  label: "Tiny",
  stores: (home: Home) => [home.env.TINY_HOME ?? join(home.dir, ".tiny"), join(home.dir, ".old")],
};

async function fileIn(path: string, role: FileRef["role"]): Promise<FileRef> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, role);
  const { size, mtimeMs, ino } = await stat(path);
  return { path, role, size, mtimeMs, inode: ino };
}

function refOf(files: FileRef[]): SessionRef {
  return { agent: "tiny", originalId: "one", path: files[0]?.path ?? "", files };
}

describe("copyBundle", () => {
  it("puts every file at its place, wherever the store was moved to", async () => {
    const moved = join(root, "elsewhere");
    const from = { dir: join(root, "user"), env: { TINY_HOME: moved } };
    const to = { dir: join(root, "private"), env: {} };
    const files = [
      await fileIn(join(moved, "a/one.jsonl"), "main"),
      await fileIn(join(from.dir, ".old/parent.jsonl"), "parent"),
    ];
    const copy = await copyBundle(adapter, refOf(files), from, to, "/project");
    expect(copy.files.map(({ path }) => path)).toEqual([
      join(to.dir, ".tiny/a/one.jsonl"),
      join(to.dir, ".old/parent.jsonl"),
    ]);
    expect(copy.path).toBe(join(to.dir, ".tiny/a/one.jsonl"));
    expect(await readFile(copy.path, "utf8")).toBe("main");
    expect((await stat(copy.path)).mode & 0o777).toBe(0o600);
  });

  it("brings along what only the adapter knows to belong to it", async () => {
    const from = { dir: join(root, "user"), env: {} };
    const main = await fileIn(join(from.dir, ".tiny/one.jsonl"), "main");
    const parent = await fileIn(join(from.dir, ".tiny/zero.jsonl"), "parent");
    const bundle = async (ref: SessionRef) => ({ ...ref, files: [main, parent] });
    const to = { dir: join(root, "private"), env: {} };
    const copy = await copyBundle({ ...adapter, bundle }, refOf([main]), from, to, "/project");
    expect(await readFile(join(to.dir, ".tiny/zero.jsonl"), "utf8")).toBe("parent");
    expect(copy.files).toHaveLength(2);
  });

  it("refuses a file outside the store", async () => {
    const from = { dir: join(root, "user"), env: {} };
    const files = [await fileIn(join(root, "one.jsonl"), "main")];
    await expect(copyBundle(adapter, refOf(files), from, { dir: root, env: {} }, "/project")).rejects.toThrow(
      "does not lie",
    );
  });
});

describe("hiddenTexts", () => {
  it("is history before a compaction, other branches and subagents", async () => {
    const timeline = [
      user("u1"),
      assistant("a1"),
      compaction("s1", { summary: "sum" }),
      user("u2"),
      user("u3", { parent: "s1" }),
    ];
    const source = sourceOf(
      session(timeline, { head: "u3", children: [session([user("u9"), user("u8", { injected: true })])] }),
    );
    expect(await hiddenTexts(source)).toEqual(["says u1", "replies a1", "says u2", "says u9"]);
  });
});
