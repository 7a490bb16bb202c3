// The files of conversations: several Batons at once, what somebody did to them, and that what is in line is left alone.
import { execFile } from "node:child_process";
import fs, {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Ucf } from "../../src/formats/ucf-schema.ts";
import { sourceOf } from "../../src/session/source.ts";
import { conversationFiles, SETTLED } from "../../src/storage/conversations.ts";
import { operations } from "../../src/storage/operations.ts";
import { undo } from "../../src/storage/undo.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import { conversationId, settleConversations } from "../../src/switch/record.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { conversationsIn, expectInLine, nameOf, statesIn, switched } from "./run-switch.ts";
import { begun, find, goesOn, named, newWorld, type There, type World } from "./world.ts";

const BEGINNING = [user("u1"), call("c1"), result("c1"), assistant("a1")];
const SWITCHES = fileURLToPath(new URL("switches-child.ts", import.meta.url));

async function filesOf({ batonHome }: World, there: There) {
  return conversationFiles(batonHome, conversationId(await lineageOf(batonHome, nameOf(there))));
}

async function one() {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const done = await switched(world, a, "codex");
  return { world, a, done, files: await filesOf(world, a) };
}

const jsonIn = (path: string) => JSON.parse(readFileSync(path, "utf8"));

it("several Batons that switch the same and other sessions at once all succeed", {
  timeout: 60_000,
}, async () => {
  const world = await newWorld();
  const [a, b, c] = [
    await begun(world, named("claude"), BEGINNING),
    await begun(world, named("claude"), BEGINNING),
    await begun(world, named("claude"), BEGINNING),
  ];
  const start = (to: string, ...ids: string[]) =>
    promisify(execFile)(process.execPath, [SWITCHES, world.home.dir, to, "4", ...ids]);
  const ended = await Promise.all([
    start("codex", a.id, b.id),
    start("gemini", a.id, c.id),
    start("codex", a.id),
  ]);
  expect(ended.map(({ stdout }) => JSON.parse(stdout))).toEqual([[], [], []]);
  expect(await statesIn(world)).toEqual(Array.from({ length: 20 }, () => "done"));
  for (const there of [a, b, c]) await expectInLine(world, there);
  // Three with two files each beside the dated ones.
  expect(conversationsIn(world)).toHaveLength(20 + 6);
});

it("what a process that is gone left half done is removed", async () => {
  const { world, a, files } = await one();
  writeFileSync(`${files.current}.1-00000000.tmp`, "half");
  writeFileSync(`${files.meta}.tmp`, "half");
  writeFileSync(join(files.folder, "mine.tmp"), "not ours");
  expect(await settleConversations(world.batonHome)).toEqual([]);
  rmSync(join(files.folder, "mine.tmp"));
  await expectInLine(world, a);
});

describe("somebody who edits", () => {
  it("the current file does not edit the dated one", async () => {
    const { world, done, files } = await one();
    const dated = readFileSync(done.backup ?? "", "utf8");
    appendFileSync(files.current, "more");
    expect(readFileSync(done.backup ?? "", "utf8")).toBe(dated);
    expect(await undo(world.batonHome)).toMatchObject({ state: "undone", problems: [] });
    await settleConversations(world.batonHome);
    expect(conversationsIn(world)).toEqual([]);
  });

  it.each([
    ["changes", (path: string) => appendFileSync(path, "more"), 1],
    ["removes", (path: string) => rmSync(path), 0],
  ])("a dated file (%s it) is not in an undo's way", async (_, edit, left) => {
    const { world, done } = await one();
    edit(done.backup ?? "");
    const undone = await undo(world.batonHome);
    expect(undone.state).toBe("undone");
    expect(undone.problems).toHaveLength(left);
    await settleConversations(world.batonHome);
    expect(conversationsIn(world)).toHaveLength(left);
    await expect(find(world, done.there)).rejects.toThrow("has no session");
  });
});

/** As if all of it had happened the day before. */
async function aged({ batonHome }: World): Promise<void> {
  const day = "2026-01-02T03:04:05.678Z";
  const folder = join(batonHome, "operations");
  for (const name of readdirSync(folder)) {
    const operation = jsonIn(join(folder, name));
    writeFileSync(join(folder, name), JSON.stringify({ ...operation, created: day, updated: day }));
  }
  // Something else happened afterwards.
  writeFileSync(join(batonHome, "conversations", SETTLED), "2026-01-02T04:00:00.000Z\n");
}

describe("with what was settled before", () => {
  it("a switch of another conversation has nothing to do", async () => {
    const { world, a, files } = await one();
    await aged(world);
    writeFileSync(files.meta, "not looked at");
    const other = await begun(world, named("claude"), BEGINNING);
    await switched(world, other, "codex");
    expect(readFileSync(files.meta, "utf8")).toBe("not looked at");
    await expectInLine(world, other);
    await switched(world, a, "gemini");
    expect(jsonIn(files.meta)).toMatchObject({ root: nameOf(a) });
  });

  it("all is done again where nobody says until when, or names a time to come", async () => {
    const { world, a, files } = await one();
    await aged(world);
    for (const text of [undefined, "2999-01-01T00:00:00.000Z\n", "nonsense"]) {
      writeFileSync(files.meta, "damaged");
      const settled = join(files.folder, SETTLED);
      if (text === undefined) rmSync(settled);
      else writeFileSync(settled, text);
      await settleConversations(world.batonHome);
      expect(jsonIn(files.meta)).toMatchObject({ root: nameOf(a) });
    }
  });
});

it("a journal that has not changed is read once", async () => {
  const { world } = await one();
  const [first] = (await operations(world.batonHome)).operations;
  const path = join(world.batonHome, "operations", `${first?.id}.json`);
  const { readFileSync: read } = fs;
  let reads = 0;
  fs.readFileSync = ((...args: Parameters<typeof read>) => {
    reads += Number(args[0] === path);
    return read(...args);
  }) as typeof read;
  syncBuiltinESMExports();
  try {
    expect((await operations(world.batonHome)).operations[0]).toBe(first);
    expect(reads).toBe(0);
    const { mtime } = statSync(path);
    utimesSync(path, mtime, new Date(mtime.getTime() + 1));
    expect((await operations(world.batonHome)).operations).toEqual([first]);
  } finally {
    fs.readFileSync = read;
    syncBuiltinESMExports();
  }
  writeFileSync(path, "{}");
  expect(await operations(world.batonHome)).toMatchObject({ operations: [], damaged: [expect.any(String)] });
});

it("each message says whose it is, however often the conversation crossed", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const { there: b } = await switched(world, a, "codex");
  await goesOn(world, b, [user("u2"), assistant("a2")]);
  const { there: c } = await switched(world, b, "gemini");
  await goesOn(world, c, [user("u3"), assistant("a3")]);
  const { backup } = await switched(world, c, "opencode");
  const ucf: Ucf = jsonIn(backup ?? "");
  expect(ucf.messages.map(({ role, provider }) => `${role} ${provider}`)).toEqual([
    "user user",
    "assistant claude",
    "tool_result claude",
    "assistant claude",
    "user user",
    "assistant openai",
    "user user",
    "assistant gemini",
  ]);
});

it("the journal has the index that stands in the target, also where a call was completed on the way", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const source = sourceOf(session([user("u1"), call("c1"), user("u2"), assistant("a2")]));
  const { there } = await switched(world, a, "codex", { source });
  const entries = await Array.fromAsync((await find(world, there)).source.entries());
  const [index] = entries.flatMap((entry) => (entry.type === "switch" ? [entry.switch.messageIndex] : []));
  const [made] = (await operations(world.batonHome)).operations;
  expect(made?.facts.switch).toMatchObject({ messageIndex: index });
  const { meta } = await filesOf(world, there);
  expect(jsonIn(meta).switches).toMatchObject([{ messageIndex: index }]);
});
