// Rows that a vendor's own import puts in, one after the other: cut off anywhere, nothing of them stays.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/storage/operations.ts";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import { content, execute, ID, newRowsStore } from "./rows-store.ts";
import { temporaryFolder } from "./temporary.ts";

const PROGRAM = join(import.meta.dirname, "import-child.ts");

async function imported(kill = -1) {
  const folder = await temporaryFolder();
  const store = newRowsStore(folder);
  const before = content(store.database);
  const { signal, stderr } = spawnSync(process.execPath, [PROGRAM, folder, String(kill)], {
    encoding: "utf8",
  });
  expect([signal, stderr]).toEqual([kill === -1 ? null : "SIGKILL", ""]);
  return { ...store, before, after: content(store.database) };
}

const ids = (rows: unknown[] | undefined) => rows?.map((row) => (row as { id: string }).id);

describe("an import", () => {
  it("is complete, in the vendor's words, and gone after undo", async () => {
    const { batonHome, database, before, after } = await imported();
    expect(ids(after.session)).toEqual(["child", ID, "old"]);
    expect(after.session).toContainEqual({ id: ID, updated: 99 });
    await undo(batonHome);
    expect(content(database)).toEqual(before);
  });

  it.each([1, 2, 3, 4, 5, 6])("that is killed after row %i leaves nothing", async (kill) => {
    const { batonHome, database, before, after } = await imported(kill);
    expect(after.session).toHaveLength(kill > 3 ? 3 : 2);
    // The session that is looked for comes after its subagents.
    expect(ids(after.session)).toContain("child");
    const { problems } = await recover(batonHome);
    expect(problems).toEqual([]);
    const [operation] = (await operations(batonHome)).operations;
    expect(operation).toMatchObject({ state: "failed", problems: [] });
    expect(content(database)).toEqual(before);
  });

  it("that was cut off stays where somebody has gone on with it", async () => {
    const { batonHome, database } = await imported(6);
    execute(database, `INSERT INTO message VALUES ('later', '${ID}', '{}')`);
    await recover(batonHome);
    const [operation] = (await operations(batonHome)).operations;
    expect(operation?.problems).toEqual([expect.stringContaining("Rows stay")]);
    expect(ids(content(database).message)).toEqual(["later", "m0", `${ID}-1`, `${ID}-2`]);
  });
});
