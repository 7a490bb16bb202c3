import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { apply } from "../../src/storage/apply.ts";
import { operations } from "../../src/storage/operations.ts";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import type { ChildRequest } from "./child.ts";
import { runChild, startChild } from "./run-child.ts";
import {
  COMPLETE,
  facts,
  NEW_LINE,
  newStore,
  OLD_LINE,
  picture,
  session,
  type TestStore,
  texts,
} from "./store.ts";
import { temporaryFolder } from "./temporary.ts";

/** The names of all steps, so that each gets a test of its own. */
async function stepsOf(request: ChildRequest, isWritten: boolean): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "baton-storage-"));
  try {
    const places = await newStore(folder);
    if (isWritten) await apply(session(places), { batonHome: places.batonHome, facts });
    const child = startChild(folder, { ...request, verbose: true });
    const steps: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const { step } = JSON.parse(line) as { step?: string };
      if (step !== undefined) steps.push(step.replace(`${folder}/`, ""));
    }
    return steps;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const APPLY = await stepsOf({ action: "apply" }, false);
const APPLY_WITHOUT_LINKS = await stepsOf({ action: "apply", noLinks: true }, false);
const UNDO = await stepsOf({ action: "undo" }, true);

const numbered = (steps: string[]): [number, string][] => steps.map((step, number) => [number, step]);

/** Nothing of ours may be left but a journal, and what is left must work. */
async function expectSettled(places: TestStore, folder: string): Promise<string | undefined> {
  await recover(places.batonHome);
  expect(await recover(places.batonHome)).toEqual({ settled: [], running: [], problems: [] });
  const { operations: all, damaged } = await operations(places.batonHome);
  expect(damaged).toEqual([]);
  expect(readdirSync(join(folder, "baton", "operations"))).toEqual(all.map(({ id }) => `${id}.json`));
  for (const { problems } of all) expect(problems).toEqual([]);
  return all[0]?.state;
}

function expectBeforeOrComplete(
  places: TestStore,
  before: Record<string, string>,
  isComplete: boolean,
): void {
  if (isComplete) expect(texts(places.store)).toEqual(COMPLETE);
  else expect(picture(places.store)).toEqual(before);
}

describe.each([
  ["", APPLY, {}, 0],
  [" on a disk without hard links", APPLY_WITHOUT_LINKS, { noLinks: true }, APPLY.indexOf("journal staged")],
] as const)("kill -9 while writing%s", (_, steps, options, first) => {
  it.each(numbered([...steps]).slice(first))("at step %i, %s", async (kill, step) => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    const before = picture(places.store);
    expect(await runChild(folder, { action: "apply", kill, ...options })).toBeUndefined();
    const state = await expectSettled(places, folder);
    const last = steps.findLastIndex((name) => /^(link|rename) 0$/.test(name));
    expect([step, state]).toEqual([step, kill > last ? "done" : "failed"]);
    expectBeforeOrComplete(places, before, state === "done");
    // What was cut off is in nobody's way.
    if (state === "done") await undo(places.batonHome);
    await apply(session(places), { batonHome: places.batonHome, facts });
    expect(texts(places.store)).toEqual(COMPLETE);
  });
});

describe("kill -9 while undoing", () => {
  it.each(numbered(UNDO))("at step %i, %s", async (kill) => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    const before = picture(places.store);
    await apply(session(places), { batonHome: places.batonHome, facts });
    expect(await runChild(folder, { action: "undo", kill })).toBeUndefined();
    const state = await expectSettled(places, folder);
    expect(state).toBe(kill === 0 ? "done" : "undone");
    expectBeforeOrComplete(places, before, state === "done");
    if (state === "undone") {
      const [operation] = readdirSync(join(places.batonHome, "trash"));
      const kept = texts(join(places.batonHome, "trash", operation ?? ""));
      expect(kept["0-main.jsonl"]).toBe(COMPLETE["projects/a-b/main.jsonl"]);
      expect(Object.keys(kept)).toHaveLength(4);
    }
  });
});

describe("after a kill -9 during an undo, when the agent has gone on", () => {
  async function killed(step: string) {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    const operation = await apply(session(places), { batonHome: places.batonHome, facts });
    await runChild(folder, { action: "undo", kill: UNDO.indexOf(step) });
    return { ...places, operation };
  }

  it("before anything was removed, the undo is dropped", async () => {
    const { store, batonHome, main, operation } = await killed("remove 0");
    appendFileSync(main, "agent\n");
    const { settled } = await recover(batonHome);
    expect(settled).toMatchObject([{ id: operation.id, state: "done", problems: [] }]);
    expect(texts(store)).toEqual({
      ...COMPLETE,
      "projects/a-b/main.jsonl": `${COMPLETE["projects/a-b/main.jsonl"]}agent\n`,
    });
    expect(existsSync(join(batonHome, "trash", operation.id))).toBe(false);
  });

  it("after something was removed, the rest is too, except for what changed", async () => {
    const { store, batonHome, operation } = await killed("remove 1");
    const subagent = operation.files[1]?.path ?? "";
    appendFileSync(subagent, "agent\n");
    const { settled } = await recover(batonHome);
    expect(settled).toMatchObject([{ state: "undone", problems: [expect.stringContaining(subagent)] }]);
    expect(texts(store)).toEqual({
      "index.jsonl": OLD_LINE,
      "projects/a-b/main/subagents/agent-1.jsonl": '{"agent":1}\nagent\n',
    });
    expect(texts(join(batonHome, "trash", operation.id))).toEqual({
      "0-main.jsonl": COMPLETE["projects/a-b/main.jsonl"],
      "2-index.jsonl.appended": NEW_LINE,
      "3-1.txt": "",
    });
  });
});

describe("after a kill -9 during an append", () => {
  const append = APPLY.indexOf("append 2");

  it.each([
    ["half of ours is cut off", NEW_LINE.slice(0, 5), "", 0],
    ["all of ours is cut off", NEW_LINE, "", 0],
    ["what somebody else wrote stays", "agent\n", "agent\n", 0],
    [
      "what somebody else wrote after half of ours stays",
      `${NEW_LINE.slice(0, 5)}agent`,
      `${NEW_LINE.slice(0, 5)}agent`,
      0,
    ],
    ["ours stays before what somebody else wrote", `${NEW_LINE}agent\n`, `${NEW_LINE}agent\n`, 1],
    ["ours stays after what somebody else wrote", `agent\n${NEW_LINE}`, `agent\n${NEW_LINE}`, 1],
  ])("%s", async (_, found, left, problems) => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    await runChild(folder, { action: "apply", kill: append });
    appendFileSync(places.index, found);
    const { settled } = await recover(places.batonHome);
    expect(settled).toMatchObject([{ state: "failed" }]);
    expect(settled[0]?.problems).toHaveLength(problems);
    expect(texts(places.store)).toEqual({ "index.jsonl": `${OLD_LINE}${left}` });
  });
});

describe("kill -9 while recovering", () => {
  const halfway = APPLY.indexOf("link 0");

  it("at every step", async () => {
    for (let kill = 0; ; kill++) {
      const folder = await temporaryFolder();
      const places = await newStore(folder);
      const before = picture(places.store);
      await runChild(folder, { action: "apply", kill: halfway });
      expect(existsSync(join(places.store, "results", "1.txt"))).toBe(true);
      const result = await runChild(folder, { action: "recover", kill });
      expect(await expectSettled(places, folder)).toBe("failed");
      expect(picture(places.store)).toEqual(before);
      // Until it lived long enough to finish.
      if (result) return expect(kill).toBeGreaterThan(5);
    }
  });
});

describe("kill -9 from outside", () => {
  it.each([1, 4, 9])("in the middle of a big file, after %i pieces", async (pieces) => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    const before = picture(places.store);
    const child = startChild(folder, { action: "apply", pieces: 100_000, verbose: true });
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes("write") && ++seen === pieces) child.kill("SIGKILL");
    expect(await expectSettled(places, folder)).toBe("failed");
    expect(picture(places.store)).toEqual(before);
  });
});

describe("an operation that is still running", () => {
  it.each(["write 0", "link 0", "unlink 0", "journal done", "close"])("is left alone at %s", async (wait) => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    const child = startChild(folder, { action: "apply", wait, verbose: true });
    let recovery: Awaited<ReturnType<typeof recover>> | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== JSON.stringify({ step: wait })) continue;
      recovery = await recover(places.batonHome);
      child.stdin.end("go on\n");
    }
    expect(recovery).toEqual({ settled: [], running: [expect.any(String)], problems: [] });
    expect(texts(places.store)).toEqual(COMPLETE);
    expect(await expectSettled(places, folder)).toBe("done");
  });

  it("is left alone in the same process too", async () => {
    const places = await newStore(await temporaryFolder());
    const running: number[] = [];
    const onStep = async () => {
      running.push((await recover(places.batonHome)).running.length);
    };
    await apply(session(places), { batonHome: places.batonHome, facts, onStep });
    expect(running).toEqual(running.map(() => 1));
    expect(texts(places.store)).toEqual(COMPLETE);
  });
});
