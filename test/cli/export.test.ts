// Files the user named: whole or not there, never replaced unasked.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exportFile, exportFiles, withSpooled } from "../../src/storage/export.ts";
import { temporaryFolder } from "../formats/folder.ts";

const root = temporaryFolder();

async function* pieces(...list: [string, string][]) {
  for (const [path, bytes] of list) yield { path, bytes };
}

it("writes several files from pieces that take turns", async () => {
  const main = join(root(), "a.jsonl");
  const other = join(root(), "a/sub/b.jsonl");
  const files = await exportFiles(pieces([main, "1"], [other, "x"], [main, "2"]), { main });
  expect(files).toEqual([main, other]);
  expect(await readFile(main, "utf8")).toBe("12");
  expect(await readFile(other, "utf8")).toBe("x");
  expect((await stat(main)).mode & 0o777).toBe(0o600);
});

it("leaves a file that is there alone, unless it is told to replace it", async () => {
  const path = join(root(), "there");
  await writeFile(path, "old");
  await expect(exportFile(path, "new")).rejects.toMatchObject({ code: "refused" });
  expect(await readFile(path, "utf8")).toBe("old");
  await exportFile(path, "new", { force: true });
  expect(await readFile(path, "utf8")).toBe("new");
});

it("leaves nothing behind when it fails half way", async () => {
  const folder = join(root(), "failing");
  await mkdir(folder);
  const main = join(folder, "main");
  async function* failing() {
    yield { path: main, bytes: "1" };
    yield { path: join(folder, "other"), bytes: "2" };
    throw new Error("no more");
  }
  await expect(exportFiles(failing(), { main })).rejects.toThrow("no more");
  expect(await readdir(folder)).toEqual([]);
});

it("names what is wrong with the path", async () => {
  await expect(exportFile(root(), "x")).rejects.toMatchObject({ code: "usage" });
  await expect(exportFile(join(root(), "no/such/folder"), "x")).rejects.toMatchObject({ code: "not_found" });
  expect(existsSync(join(root(), "no"))).toBe(false);
});

it("keeps a stream in a private file only while it is needed", async () => {
  async function* input() {
    yield Buffer.from("ab");
    yield Buffer.from("c");
  }
  let seen = "";
  const text = await withSpooled(input(), async (path) => {
    seen = path;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    return readFile(path, "utf8");
  });
  expect(text).toBe("abc");
  expect(existsSync(seen)).toBe(false);
});
