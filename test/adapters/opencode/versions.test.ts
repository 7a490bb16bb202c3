// Rows are put into a database for versions that were proven with its shape; for any other its own import writes.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { carry } from "../../../src/switch/carry.ts";
import { assistant, session, user } from "../../session/build.ts";
import { emptyStore } from "./database.ts";

/** A CLI of some version that writes down what it was asked to import, and imports nothing. */
async function homeWithCli(version: string) {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, "opencode");
  writeFileSync(path, `#!/bin/sh\necho "$@" >> "${dir}/asked"\n`, { mode: 0o755 });
  const database = emptyStore(dir);
  const home = { dir, env: {} };
  const source = sourceOf(session([user("u1"), assistant("a1")]));
  const carried = () =>
    carry({
      source,
      to: opencode,
      home,
      batonHome: join(dir, ".baton"),
      cwd: dir,
      kind: "resume",
      installed: { version, path },
    });
  const sessions = () => {
    const opened = new DatabaseSync(database, { readOnly: true });
    onTestFinished(() => opened.close());
    return Number(opened.prepare("SELECT count(*) n FROM session").get()?.n);
  };
  return { dir, home, carried, sessions };
}

it("a version that was proven with this shape gets rows", async () => {
  const { home, carried, sessions } = await homeWithCli("1.18.33");
  const { originalId } = await carried();
  expect(sessions()).toBe(1);
  const [ref] = await Array.fromAsync(opencode.discover(home));
  expect(ref?.originalId).toBe(originalId);
  expect(await opencode.canExtend?.(ref!, "1.18.33")).toBe(true);
  expect(await opencode.canExtend?.(ref!, "1.18.34")).toBe(false);
  expect(await opencode.remarks?.(home, "1.18.33")).toEqual([]);
});

it("any other is asked to import, and the doctor says so", async () => {
  const { dir, home, carried, sessions } = await homeWithCli("1.18.34");
  // Nothing was imported by this one, which is noticed.
  await expect(carried()).rejects.toMatchObject({ code: "failed" });
  expect(readFileSync(join(dir, "asked"), "utf8")).toMatch(/^import .+\n$/);
  expect(sessions()).toBe(0);
  expect(await opencode.remarks?.(home, "1.18.34")).toEqual([
    expect.stringMatching(/written by `opencode import`.* with 1\.18\.33 only$/),
  ]);
});

it("so is a proven version whose database has other tables, for that reason", async () => {
  const { dir, home, carried, sessions } = await homeWithCli("1.18.33");
  const database = new DatabaseSync(join(dir, ".local", "share", "opencode", "opencode.db"));
  database.exec("ALTER TABLE message ADD COLUMN mood TEXT");
  database.close();
  await expect(carried()).rejects.toMatchObject({ code: "failed" });
  expect(readFileSync(join(dir, "asked"), "utf8")).toMatch(/^import .+\n$/);
  expect(sessions()).toBe(0);
  expect(await opencode.remarks?.(home, "1.18.33")).toEqual([
    expect.stringMatching(/not extended: its tables are not those that were proven with 1\.18\.33$/),
  ]);
});

it("the database of another channel is neither resumed from, nor extended, nor proven", async () => {
  const { dir, home, carried } = await homeWithCli("1.18.33");
  await carried();
  const store = join(dir, ".local", "share", "opencode");
  renameSync(join(store, "opencode.db"), join(store, "opencode-dev.db"));
  const [ref] = await Array.fromAsync(opencode.discover(home));
  expect(ref?.path).toBe(join(store, "opencode-dev.db"));
  expect(opencode.isResumable?.(ref!)).toBe(false);
  expect(await opencode.canExtend?.(ref!, "1.18.33")).toBe(false);
  await expect(opencode.copy?.(ref!, { dir: join(dir, "private"), env: {} }, dir)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("another channel"),
  });
});
