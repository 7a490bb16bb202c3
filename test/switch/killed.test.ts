// A switch that is killed at any step, or that the disk fails, leaves the source as it is and the target as it was or
// complete; it can be undone, or done again, and the conversation's own files follow.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import { settleConversations } from "../../src/switch/record.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { picture } from "../storage/store.ts";
import { conversationsIn, expectInLine, idsIn, runSwitch, statesIn, switched } from "./run-switch.ts";
import { begun, find, goesOn, named, newWorld, seen, type There, type World } from "./world.ts";

const BEGINNING = [user("u1"), call("c1"), result("c1"), assistant("a1")];
const SAID = ["says u1", "output of c1", "replies a1"];

async function start(): Promise<{ world: World; a: There; bytes: () => Buffer }> {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  // What a session that was written needs is none of this one's business.
  await rm(join(world.home.dir, "elsewhere"), { recursive: true });
  const { ref } = await find(world, a);
  return { world, a, bytes: () => readFileSync(ref.path) };
}

/** The target's store. A database and its lists are compared by the sessions in them. */
const folderOf = { codex: ".codex", opencode: "" } as const;
type Target = keyof typeof folderOf;

function storeOf({ home }: World, to: Target): unknown {
  if (to === "opencode") return undefined;
  return Object.keys(picture(home.dir)).filter((name) => name.startsWith(folderOf[to]));
}

const plain = (steps: readonly string[]) =>
  steps.map((step) => step.replace(/^(\w+) baton-return-\w+\//, "$1 "));

/** The names of all steps, so that each gets a test of its own; the journal's own are killed in test/storage. */
async function stepsOf(to: Target): Promise<[number, string][]> {
  const dir = await mkdtemp(join(tmpdir(), "baton-return-"));
  try {
    emptyStore(dir);
    const world = { home: { dir, env: {} }, batonHome: join(dir, ".baton") };
    const { id } = await begun(world, named("claude"), BEGINNING);
    const outcome = await runSwitch(world, { action: "switch", from: ["claude", id], to });
    expect(outcome).not.toHaveProperty("code");
    return plain(outcome?.steps ?? [])
      .map((step, at): [number, string] => [at, step])
      .filter(([, step]) => !/^(?:open|write) operations\/ID.json/.test(step));
  } finally {
    await rm(dir, { recursive: true });
  }
}

const STEPS = { codex: await stepsOf("codex"), opencode: await stepsOf("opencode") };

/** Whether all of it was there when it ended. */
const isComplete = (to: Target, kill: number) => {
  const visible = to === "codex" ? /^unlink \d+\/\.baton-ID-0/ : /^committed /;
  return kill >= (STEPS[to].find(([, step]) => visible.test(step))?.[0] ?? 0);
};

describe.each(["codex", "opencode"] as const)("kill -9 while switching to %s", (to) => {
  it.each(STEPS[to])("before step %i, %s: undone, then done again", async (kill) => {
    const { world, a, bytes } = await start();
    const [before, store] = [bytes(), storeOf(world, to)];
    const request = { action: "switch", from: ["claude", a.id], to, kill } as const;
    expect(await runSwitch(world, request)).toBeUndefined();
    expect(bytes().equals(before)).toBe(true);
    await recover(world.batonHome);
    const ids = await idsIn(world, to);
    if (isComplete(to, kill)) {
      expect(await statesIn(world)).toEqual(["done"]);
      expect(ids).toHaveLength(1);
      expect(await seen(world, { agent: named(to), id: ids[0] ?? "" })).toEqual(SAID);
      await undo(world.batonHome);
      await settleConversations(world.batonHome);
    } else {
      expect(["failed", undefined]).toContain((await statesIn(world))[0]);
      await expect(undo(world.batonHome)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await idsIn(world, to)).toEqual([]);
    expect(storeOf(world, to)).toEqual(store);
    expect(conversationsIn(world)).toEqual([]);
    const again = await switched(world, a, to);
    expect(again.isReused).toBeUndefined();
    expect(await seen(world, again.there)).toEqual(SAID);
    expect(await idsIn(world, to)).toEqual([again.originalId]);
    await expectInLine(world, a);
    expect(bytes().equals(before)).toBe(true);
  });

  it.each(STEPS[to].filter(([kill]) => isComplete(to, kill)))(
    "before step %i, %s: the same again finds what is there, and makes up for the rest",
    async (kill) => {
      const { world, a } = await start();
      await runSwitch(world, { action: "switch", from: ["claude", a.id], to, kill });
      const again = await switched(world, a, to);
      expect(again).toMatchObject({ isReused: true, originalId: (await idsIn(world, to))[0] });
      expect(await statesIn(world)).toEqual(["done"]);
      await expectInLine(world, a);
      expect(conversationsIn(world)).toHaveLength(3);
    },
  );
});

describe("the files of a conversation that was cut off before they were there", () => {
  const cut = async () => {
    const { world, a } = await start();
    const killAt = ".meta.json";
    await runSwitch(world, { action: "switch", from: ["claude", a.id], to: "codex", killAt });
    const [id = ""] = await idsIn(world, "codex");
    return { world, a, b: { agent: named("codex"), id } };
  };

  it("come with the next switch of the same one", async () => {
    const { world, a, b } = await cut();
    await goesOn(world, b, [user("u2"), assistant("a2")]);
    await switched(world, b, "gemini");
    await expectInLine(world, a);
    expect(conversationsIn(world)).toHaveLength(4);
  });

  it("come with a switch of another one", async () => {
    const { world, a } = await cut();
    const other = await begun(world, named("claude"), BEGINNING);
    await switched(world, other, "gemini");
    await expectInLine(world, a);
    await expectInLine(world, other);
    expect(conversationsIn(world)).toHaveLength(6);
  });

  it("go when it is undone, however often that is killed", async () => {
    const { world, a } = await start();
    await switched(world, a, "codex");
    const request = { action: "undo", from: ["claude", a.id], to: "codex" } as const;
    const meta = conversationsIn(world).find((name) => name.endsWith(".meta.json")) ?? "";
    const current = meta.replace(".meta", "");
    // The file of the journal, a dated file, the current one, and the facts beside it.
    for (const killAt of ["rename operations/ID.json", `unlink conversations/${current}`, `/${meta}`]) {
      expect(await runSwitch(world, { ...request, killAt })).toBeUndefined();
      await recover(world.batonHome);
      if ((await statesIn(world))[0] === "undone") break;
    }
    await undo(world.batonHome).catch(({ code }) => expect(code).toBe("not_found"));
    await settleConversations(world.batonHome);
    expect(conversationsIn(world)).toEqual([]);
    expect(await idsIn(world, "codex")).toEqual([]);
  });

  it("that are removed while an undo is killed do not come back, and those before it do", async () => {
    const { world, a } = await start();
    const { there: b } = await switched(world, a, "codex");
    await goesOn(world, b, [user("u2"), assistant("a2")]);
    await switched(world, b, "gemini");
    const killAt = ".meta.json";
    const outcome = await runSwitch(world, { action: "undo", from: ["codex", b.id], to: "gemini", killAt });
    expect(outcome).toBeUndefined();
    expect((await statesIn(world))[0]).toBe("undone");
    await settleConversations(world.batonHome);
    await expectInLine(world, a);
    expect(await idsIn(world, "gemini")).toEqual([]);
  });
});

describe("a disk that", () => {
  const FULL = "disk is full";
  const READ_ONLY = "disk is read-only";
  it.each([
    ["is full under the store", "codex", "^write \\d+/\\.baton", "ENOSPC", FULL],
    ["is read-only under the store", "codex", "/\\.codex", "EROFS", READ_ONLY],
    ["is full when the session gets its name", "codex", "^link \\d+/", "ENOSPC", FULL],
    ["is full under the journal", "codex", "operations/", "ENOSPC", FULL],
    ["is read-only under $BATON_HOME", "opencode", "\\.baton/", "EROFS", READ_ONLY],
    ["is full under the conversation", "codex", "backups/", "ENOSPC", FULL],
    ["is full under the rows", "opencode", "\\.rows", "ENOSPC", FULL],
  ] as const)("%s leaves everything as it was, and it is said why", async (_, to, where, code, why) => {
    const { world, a, bytes } = await start();
    const [before, store] = [bytes(), storeOf(world, to)];
    const fail = { step: where, code };
    const outcome = await runSwitch(world, { action: "switch", from: ["claude", a.id], to, fail });
    expect(outcome).toMatchObject({ code: "not_writable", message: expect.stringContaining(why) });
    expect(bytes().equals(before)).toBe(true);
    await recover(world.batonHome);
    expect(await idsIn(world, to)).toEqual([]);
    expect(storeOf(world, to)).toEqual(store);
    expect(conversationsIn(world)).toEqual([]);
    const { there } = await switched(world, a, to);
    expect(await seen(world, there)).toEqual(SAID);
    await expectInLine(world, a);
  });

  it("is full when all but the conversation's current file is there says so, and that is made up for", async () => {
    const { world, a } = await start();
    const fail = { step: "\\.meta\\.json", code: "ENOSPC" };
    const outcome = await runSwitch(world, { action: "switch", from: ["claude", a.id], to: "codex", fail });
    expect(outcome).not.toHaveProperty("code");
    expect(outcome?.problems).toEqual([
      expect.stringMatching(
        /^What was asked for is done, but .*disk is full\. The next switch, return or undo makes up for it\.$/,
      ),
    ]);
    expect(await switched(world, a, "codex")).toMatchObject({ isReused: true });
    await expectInLine(world, a);
  });
});
