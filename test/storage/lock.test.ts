import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { acquire } from "../../src/storage/lock.ts";
import { temporaryFolder } from "./temporary.ts";

describe("a lock", () => {
  it("has one holder at a time and leaves no file", async () => {
    const path = join(await temporaryFolder(), "one.lock");
    const first = await acquire(path);
    expect(await acquire(path)).toBeUndefined();
    first?.release();
    expect(existsSync(path)).toBe(false);
    const second = await acquire(path);
    expect(second).toBeDefined();
    second?.release();
  });

  it("keeps its file when it is left, and can be had again", async () => {
    const path = join(await temporaryFolder(), "one.lock");
    (await acquire(path))?.leave();
    expect(existsSync(path)).toBe(true);
    const again = await acquire(path);
    expect(again).toBeDefined();
    again?.release();
  });

  it("is waited for", async () => {
    const path = join(await temporaryFolder(), "one.lock");
    const first = await acquire(path);
    const second = acquire(path, 10_000);
    first?.release();
    expect(await second).toBeDefined();
    (await second)?.release();
  });

  it("goes to exactly one of many at a time", async () => {
    const path = join(await temporaryFolder(), "one.lock");
    let holders = 0;
    let most = 0;
    const turns = Array.from({ length: 20 }, async () => {
      const lock = await acquire(path, 20_000);
      holders++;
      most = Math.max(most, holders);
      await new Promise((done) => setImmediate(done));
      holders--;
      lock?.release();
      return lock !== undefined;
    });
    expect(await Promise.all(turns)).toEqual(turns.map(() => true));
    expect(most).toBe(1);
  });

  it("goes from process to process, whoever is just letting go", async () => {
    const folder = await temporaryFolder();
    const child = join(import.meta.dirname, "lock-child.ts");
    const run = promisify(execFile);
    const runs = Array.from({ length: 4 }, () =>
      run(process.execPath, [child, join(folder, "one.lock"), "400"]),
    );
    expect((await Promise.allSettled(runs)).filter(({ status }) => status === "rejected")).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that cannot be made is an error", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "one.lock"));
    await expect(acquire(join(folder, "one.lock"))).rejects.toMatchObject({ code: "not_writable" });
  });
});
