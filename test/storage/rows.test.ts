// Rows in somebody else's database: all of them or none, whatever happens, and taken out only while they are ours.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { apply } from "../../src/storage/apply.ts";
import { operations } from "../../src/storage/operations.ts";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import { content, execute, ID, newRowsStore, type RowsStore, rowFacts, rows } from "./rows-store.ts";
import { canMount } from "./run-child.ts";
import { temporaryFolder } from "./temporary.ts";

const PROGRAM = join(import.meta.dirname, "rows-child.ts");

interface Line {
  step?: string;
  outcome?: { code?: string; state?: string };
  content?: unknown;
}

function run(folder: string, action: string, kill = -1, mount?: string): Line[] {
  const args = [PROGRAM, folder, action, String(kill)];
  const script = `set -e; cd "$1"; ${mount}; exec "$0" "$2" "$1" "$3" "$4"`;
  const wrapped = ["-rm", "sh", "-c", script, process.execPath, folder, PROGRAM, action, String(kill)];
  const { stdout, stderr } = spawnSync(mount ? "unshare" : process.execPath, mount ? wrapped : args, {
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const applied = (store: RowsStore) =>
  apply(rows(store), { batonHome: store.batonHome, facts: rowFacts(store.database) });

const COMPLETE = {
  session: [
    { id: "child", updated: 2 },
    { id: ID, updated: 2 },
    { id: "old", updated: 5 },
  ],
  message: [
    { id: "m0", session: "old", data: '{"text":"there before"}' },
    { id: "m1", session: ID, data: '{"text":"Grüße 🌍"}' },
    { id: "m2", session: ID, data: '{"text":"Grüße 🌍"}' },
    { id: "m3", session: "child", data: '{"text":"Grüße 🌍"}' },
  ],
};

describe("rows", () => {
  it("are all there, and all gone after undo, with what was changed as it was", async () => {
    const store = newRowsStore(await temporaryFolder());
    const before = content(store.database);
    await applied(store);
    expect(content(store.database)).toEqual(COMPLETE);
    await undo(store.batonHome);
    expect(content(store.database)).toEqual(before);
    expect((await undo(store.batonHome, (await operations(store.batonHome)).operations[0]?.id)).state).toBe(
      "undone",
    );
    expect(readdirSync(join(store.batonHome, "operations")).filter((name) => name.endsWith(".rows"))).toEqual(
      [],
    );
  });

  it.each([
    ["a message was added", `INSERT INTO message VALUES ('m9', '${ID}', '{}')`],
    ["a message was changed", "UPDATE message SET data = '{}' WHERE id = 'm1'"],
    ["the session was renamed", `UPDATE session SET updated = 9 WHERE id = '${ID}'`],
    ["the subagent went on", "INSERT INTO message VALUES ('m9', 'child', '{}')"],
    ["a message was removed", "DELETE FROM message WHERE id = 'm2'"],
  ])("stay when %s", async (_, sql) => {
    const store = newRowsStore(await temporaryFolder());
    await applied(store);
    execute(store.database, sql);
    const now = content(store.database);
    await expect(undo(store.batonHome)).rejects.toMatchObject({ code: "refused" });
    expect(content(store.database)).toEqual(now);
  });

  it("are taken out although other sessions went on", async () => {
    const store = newRowsStore(await temporaryFolder());
    await applied(store);
    execute(store.database, "INSERT INTO message VALUES ('m9', 'old', '{}')");
    await undo(store.batonHome);
    expect(content(store.database).message).toHaveLength(2);
  });

  it("are not put in where the row to change is another by now", async () => {
    const store = newRowsStore(await temporaryFolder());
    execute(store.database, "UPDATE session SET updated = 3 WHERE id = 'old'");
    const before = content(store.database);
    await expect(applied(store)).rejects.toMatchObject({ code: "busy" });
    expect(content(store.database)).toEqual(before);
  });

  it("are not put in over others of the same id", async () => {
    const store = newRowsStore(await temporaryFolder());
    execute(store.database, "INSERT INTO message VALUES ('m3', 'old', '{}')");
    const before = content(store.database);
    await expect(applied(store)).rejects.toMatchObject({ code: "refused" });
    expect(content(store.database)).toEqual(before);
  });

  it("wait for a writer, and give up on one that does not end", async () => {
    const store = newRowsStore(await temporaryFolder());
    const before = content(store.database);
    const other = new DatabaseSync(store.database);
    other.exec("BEGIN IMMEDIATE");
    try {
      await expect(applied(store)).rejects.toMatchObject({ code: "busy" });
    } finally {
      other.close();
    }
    expect(content(store.database)).toEqual(before);
    await applied(store);
    expect(content(store.database)).toEqual(COMPLETE);
  });

  it("are written beside a reader that is in the middle of it", async () => {
    const store = newRowsStore(await temporaryFolder());
    const reader = new DatabaseSync(store.database, { readOnly: true });
    reader.exec("BEGIN");
    const count = () => reader.prepare("SELECT count(*) n FROM message").get()?.n;
    expect(count()).toBe(1);
    await applied(store);
    expect(count()).toBe(1);
    reader.close();
    expect(content(store.database)).toEqual(COMPLETE);
  });
});

describe.runIf(canMount)("a disk", () => {
  it.each([
    ["that is read-only", "mount --bind store store; mount -o remount,ro,bind store", /not_writable|busy/],
    [
      "that is full",
      "cp -r store kept; mount -t tmpfs -o size=200k none store; cp kept/* store; head -c 900k /dev/zero > store/zero || true",
      /not_writable/,
    ],
  ])("%s leaves the store as it was", async (_, mount, code) => {
    const folder = await temporaryFolder();
    const before = content(newRowsStore(folder).database);
    const last = run(folder, "apply", -1, mount).at(-1);
    expect(last?.outcome?.code).toMatch(code);
    expect(last?.content).toEqual(before);
  });
});

/** A process is started for every step. */
const MINUTES = 240_000;

const stepsOf = (lines: readonly Line[]) => lines.flatMap(({ step }) => (step === undefined ? [] : [step]));

describe("kill -9", () => {
  it("at every step of writing leaves nothing or everything", { timeout: MINUTES }, async () => {
    const steps = stepsOf(run(await prepared(), "apply"));
    expect(steps).toContain("inserted 0");
    for (const [kill, step] of steps.entries()) {
      const folder = await temporaryFolder();
      const store = newRowsStore(folder);
      const before = content(store.database);
      run(folder, "apply", kill);
      await recover(store.batonHome);
      const { operations: all } = await operations(store.batonHome);
      const isDone = kill >= steps.indexOf("inserted 0");
      expect([step, all[0]?.state ?? "failed"]).toEqual([step, isDone ? "done" : "failed"]);
      expect(content(store.database)).toEqual(isDone ? COMPLETE : before);
      if (!isDone) continue;
      await undo(store.batonHome);
      expect(content(store.database)).toEqual(before);
    }
  });

  it("at every step of undoing leaves everything or nothing", { timeout: MINUTES }, async () => {
    const first = await prepared();
    run(first, "apply");
    const steps = stepsOf(run(first, "undo"));
    for (const kill of steps.keys()) {
      const folder = await temporaryFolder();
      const store = newRowsStore(folder);
      const before = content(store.database);
      await applied(store);
      run(folder, "undo", kill);
      await recover(store.batonHome);
      const { operations: all } = await operations(store.batonHome);
      expect(all[0]?.state).toBe(kill === 0 ? "done" : "undone");
      expect(content(store.database)).toEqual(kill === 0 ? COMPLETE : before);
    }
  });

  async function prepared(): Promise<string> {
    const folder = await temporaryFolder();
    newRowsStore(folder);
    return folder;
  }
});
