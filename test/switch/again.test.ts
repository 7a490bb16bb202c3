// The same switch once more writes nothing as long as the session, what is asked for and what was written are as they
// were; whatever differs makes a new session.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { operations } from "../../src/storage/operations.ts";
import { undo } from "../../src/storage/undo.ts";
import type { SwitchOver } from "../../src/switch/switch-over.ts";
import { loadRedactor } from "../../src/transform/redact.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { over } from "./over.ts";
import { windowed } from "./prepared.ts";
import { conversationsIn, idsIn, switched } from "./run-switch.ts";
import { NAMES, sample } from "./samples.ts";
import { begun, find, goesOn, named, newWorld, returned } from "./world.ts";

const BEGINNING = [user("u1"), call("c1"), result("c1"), assistant("a1")];

async function begin(to = "codex", first: Partial<SwitchOver> = {}) {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const one = await switched(world, a, to, first);
  const again = (more: Partial<SwitchOver> = {}) => switched(world, a, to, more);
  return { world, a, one, again };
}

describe.each(["codex", "gemini", "opencode"])("the same switch to %s", (to) => {
  it("finds what was written, and writes nothing", async () => {
    const { world, one, again } = await begin(to);
    const files = conversationsIn(world);
    const next = await again();
    expect(next).toMatchObject({
      isReused: true,
      operation: one.operation,
      originalId: one.originalId,
      path: one.path,
      backup: one.backup,
      command: one.command,
      counts: one.counts,
    });
    expect(await idsIn(world, to)).toEqual([one.originalId]);
    expect((await operations(world.batonHome)).operations).toHaveLength(1);
    expect(conversationsIn(world)).toEqual(files);
  });

  it("makes a new one where the agent has gone on with the first", async () => {
    const { world, one, again } = await begin(to);
    await goesOn(world, one.there, [user("u2"), assistant("a2")]);
    const next = await again();
    expect(next.isReused).toBeUndefined();
    expect(next.originalId).not.toBe(one.originalId);
  });

  it("makes a new one where the session has gone on", async () => {
    const { world, a, one, again } = await begin(to);
    await goesOn(world, a, [user("u2"), assistant("a2")]);
    const next = await again();
    expect(next.originalId).not.toBe(one.originalId);
    expect(await again()).toMatchObject({ isReused: true, originalId: next.originalId });
  });

  it("makes a new one where it was undone", async () => {
    const { world, one, again } = await begin(to);
    await undo(world.batonHome);
    const next = await again();
    expect(next.isReused).toBeUndefined();
    expect(next.originalId).not.toBe(one.originalId);
    expect(await idsIn(world, to)).toEqual([next.originalId]);
  });

  it("makes a new one where that is wanted, and the first is still found", async () => {
    const { one, again } = await begin(to);
    const next = await again({ anew: true });
    expect(next.isReused).toBeUndefined();
    expect(next.originalId).not.toBe(one.originalId);
    // Whoever asks for a new one does not make it the answer to a plain request.
    expect(await again()).toMatchObject({ isReused: true, originalId: one.originalId });
  });
});

describe("another one is made", () => {
  it.each<[string, Partial<SwitchOver>]>([
    ["for another model", { model: "gpt-5.5" }],
    ["where thinking is to be converted", { options: { thinking: "convert" } }],
    ["without tools", { options: { includeToolHistory: false } }],
    ["without instructions", { options: { preserveSystemPrompt: false } }],
    ["with all of the history", { options: { history: "full" } }],
    ["with a budget", { options: { budget: 100_000 } }],
    ["with a strategy", { options: { summarizationStrategy: "hybrid" } }],
    ["with folders that lie elsewhere", { moves: [["/project", "/elsewhere"]] }],
    ["for another version of the CLI", { installed: { version: "99.0.0", path: "/bin/codex" } }],
    ["as a fork", { kind: "fork" }],
  ])("%s", async (_, more) => {
    const { one, again } = await begin();
    const next = await again(more);
    expect(next.isReused).toBeUndefined();
    expect(next.originalId).not.toBe(one.originalId);
    // And the first one is found as before.
    expect((await again()).originalId).toBe(one.originalId);
    if (more.kind !== "fork")
      expect(await again(more)).toMatchObject({ isReused: true, originalId: next.originalId });
  });

  it("for another window of the same model, and another model of the same window", async () => {
    const first = { model: "gpt-5.5", overrides: windowed(100_000) };
    const { one, again } = await begin("codex", first);
    for (const other of [
      { ...first, overrides: windowed(110_000) },
      { ...first, model: "gpt-5.4" },
    ]) {
      const next = await again(other);
      expect(next.isReused).toBeUndefined();
      expect(await again(other)).toMatchObject({ isReused: true, originalId: next.originalId });
    }
    expect(await again(first)).toMatchObject({ isReused: true, originalId: one.originalId });
  });

  it("in another folder", async () => {
    const { world, one, again } = await begin();
    const cwd = join(world.home.dir, "another");
    await mkdir(cwd);
    const next = await again({ cwd });
    expect(next.originalId).not.toBe(one.originalId);
    expect(await again({ cwd })).toMatchObject({ isReused: true, command: { cwd } });
  });

  it("without secrets", async () => {
    const { one, again } = await begin();
    const redactor = await loadRedactor();
    const next = await again({ redactor });
    expect(next.originalId).not.toBe(one.originalId);
    expect((await again()).originalId).toBe(one.originalId);
  });

  it("in another agent, or from another session that says the same", async () => {
    const { world, a, one } = await begin();
    expect((await switched(world, a, "gemini")).isReused).toBeUndefined();
    const other = await begun(world, named("claude"), BEGINNING);
    const next = await switched(world, other, "codex");
    expect(next.isReused).toBeUndefined();
    expect(next.originalId).not.toBe(one.originalId);
  });

  it("where what was written is gone, or has one more byte", async () => {
    const { world, one, again } = await begin();
    appendFileSync(one.path, "\n");
    const next = await again();
    expect(next.originalId).not.toBe(one.originalId);
    rmSync(next.path);
    const last = await again();
    expect([one.originalId, next.originalId]).not.toContain(last.originalId);
    expect(await idsIn(world, "codex")).toHaveLength(2);
  });

  it("where the session has changed without getting longer", async () => {
    const { world, a, one, again } = await begin();
    const { ref } = await find(world, a);
    const text = readFileSync(ref.path, "utf8");
    writeFileSync(ref.path, text.replace("replies a1", "replied a1"));
    expect((await again()).originalId).not.toBe(one.originalId);
  });

  it("where turns came back since", async () => {
    const { world, one, again } = await begin();
    await goesOn(world, one.there, [user("u2"), assistant("a2")]);
    await returned(world, one.there);
    expect((await again()).originalId).not.toBe(one.originalId);
  });
});

it("an older one is found where a newer one of the same was undone", async () => {
  const { world, a, one, again } = await begin();
  const whole = readFileSync(one.path);
  appendFileSync(one.path, "\n");
  const next = await again();
  writeFileSync(one.path, whole);
  expect((await again()).originalId).toBe(next.originalId);
  await undo(world.batonHome, next.operation ?? "");
  expect(await again()).toMatchObject({ isReused: true, originalId: one.originalId });
  expect(await idsIn(world, a.agent.id)).toEqual([a.id]);
});

it("a dry run says what would be found, and writes nothing", async () => {
  const { world, one, again } = await begin();
  const said = await again({ dryRun: true });
  expect(said).toMatchObject({ operation: null, isReused: true, originalId: one.originalId });
  expect((await again({ dryRun: true, anew: true })).isReused).toBeUndefined();
  expect((await operations(world.batonHome)).operations).toHaveLength(1);
});

it("whoever has removed the conversation's own files gets the current one back", async () => {
  const { world, one, again } = await begin();
  for (const name of conversationsIn(world).filter((file) => !file.startsWith("backups/")))
    rmSync(join(world.batonHome, "conversations", name));
  expect(await again()).toMatchObject({ isReused: true, originalId: one.originalId });
  expect(conversationsIn(world)).toHaveLength(3);
});

describe("what is said of it is what was said the first time", () => {
  const LONG: Entry[] = [
    { ...user("u1"), content: "words ".repeat(60_000) } as Entry,
    assistant("a1"),
    user("u2"),
    call("c2"),
    { ...result("c2"), output: "one line of an output\n".repeat(5_000) } as Entry,
    assistant("a2"),
    user("u3"),
    assistant("a3"),
  ];
  // Neither as long as what would be extracted, nor anything like it.
  const summarizer = async () => "They spoke of words.";

  it.each<[string, Partial<SwitchOver>]>([
    ["as it is", { yes: true }],
    ["truncated", { options: { summarizationStrategy: "truncate" } }],
    ["with a summary that is extracted", { options: { summarizationStrategy: "hybrid" } }],
    ["with a model's summary", { options: { summarizationStrategy: "hybrid" }, summarizer }],
    [
      "with all but the newest turn summarised",
      { options: { summarizationStrategy: "summarize" }, summarizer },
    ],
    [
      "without tools",
      { options: { includeToolHistory: false, summarizationStrategy: "hybrid" }, summarizer },
    ],
  ])("%s", async (_, more) => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), LONG);
    const request = { ...more, overrides: windowed(60_000) };
    const first = await over(world, there, "codex", request);
    const next = await over(world, there, "codex", request);
    expect(next).toMatchObject({ isReused: true, originalId: first.originalId });
    expect(next.losses).toEqual(first.losses);
    expect(next.analysis).toEqual(first.analysis);
    expect(first.losses.length).toBeGreaterThan(0);
  });

  describe.each(NAMES)("of a session of %s itself", (name) => {
    it.each(NAMES.filter((to) => to !== name))("in %s", async (to) => {
      const { world, original } = await sample(name);
      const first = await over(world, original, to);
      const next = await over(world, original, to);
      expect(next).toMatchObject({ isReused: true, originalId: first.originalId });
      expect(next.losses).toEqual(first.losses);
      expect(next.analysis).toEqual(first.analysis);
    });
  });
});
