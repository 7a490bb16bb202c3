// A catalog that other processes make anew while a command works with it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { discardCatalog } from "../../src/catalog/catalog.ts";
import { withCatalog } from "../../src/cli/catalog.ts";
import { newContext } from "../../src/cli/context.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-replaced-"));
  mkdirSync(join(root, "home"));
});

afterEach(() => rmSync(root, { recursive: true }));

async function usedBy(use: (tries: number) => void): Promise<number> {
  const context = { ...newContext({ home: join(root, "home"), quiet: true }), batonHome: join(root, "own") };
  let tries = 0;
  return withCatalog(context, { words: true }, () => {
    use(++tries);
    return tries;
  });
}

it("is opened again as often as that happens", async () => {
  const tries = await usedBy((count) => {
    if (count > 3) return;
    discardCatalog(join(root, "own"));
    throw new Error("disk I/O error");
  });
  expect(tries).toBe(4);
});

it("is not what fails for another reason", async () => {
  let tries = 0;
  const failing = usedBy((count) => {
    tries = count;
    throw new Error("no such thing");
  });
  await expect(failing).rejects.toThrow("no such thing");
  expect(tries).toBe(1);
});

it("is made anew once where it is damaged", async () => {
  let tries = 0;
  const failing = usedBy((count) => {
    tries = count;
    throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
  });
  await expect(failing).rejects.toThrow("malformed");
  expect(tries).toBe(2);
});
