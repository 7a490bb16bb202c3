import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT_STATUS } from "../../src/session/error.ts";
import { apply } from "../../src/storage/apply.ts";
import { operations } from "../../src/storage/operations.ts";
import { undo } from "../../src/storage/undo.ts";
import { COMPLETE, facts, NEW_LINE, newStore, picture, session, type TestStore, texts } from "./store.ts";
import { temporaryFolder } from "./temporary.ts";

async function written() {
  const places = await newStore(await temporaryFolder());
  const before = picture(places.store);
  const operation = await apply(session(places), { batonHome: places.batonHome, facts });
  return { ...places, before, operation };
}

async function stateOf({ batonHome }: TestStore, id: string) {
  return (await operations(batonHome)).operations.find((operation) => operation.id === id)?.state;
}

describe("undo", () => {
  it("puts the store back and keeps what was written", async () => {
    const { batonHome, store, before, operation } = await written();
    const undone = await undo(batonHome);
    expect(undone).toMatchObject({ id: operation.id, state: "undone", problems: [] });
    expect(picture(store)).toEqual(before);
    expect(texts(join(batonHome, "trash", operation.id))).toEqual({
      "0-main.jsonl": COMPLETE["projects/a-b/main.jsonl"],
      "1-agent-1.jsonl": COMPLETE["projects/a-b/main/subagents/agent-1.jsonl"],
      "2-index.jsonl.appended": NEW_LINE,
      "3-1.txt": "",
    });
    expect(Object.keys(texts(join(batonHome, "operations")))).toEqual([`${operation.id}.json`]);
  });

  it("twice is the same as once", async () => {
    const { batonHome, store, before, operation } = await written();
    await undo(batonHome, operation.id);
    const after = picture(batonHome);
    expect((await undo(batonHome, operation.id)).state).toBe("undone");
    expect(picture(store)).toEqual(before);
    expect(picture(batonHome)).toEqual(after);
  });

  it("takes the newest operation that is done, then the one before", async () => {
    const { batonHome, store, main, operation: first } = await written();
    const path = `${main}.second`;
    const second = await apply(one(path), { batonHome, facts });
    expect((await undo(batonHome)).id).toBe(second.id);
    expect((await undo(batonHome)).id).toBe(first.id);
    expect(Object.keys(texts(store))).toEqual(["index.jsonl"]);
    await expect(undo(batonHome)).rejects.toMatchObject({
      code: "not_found",
      message: "There is nothing to undo.",
    });
  });

  it("understands the beginning of an id, and only one that is clear", async () => {
    const { batonHome, operation } = await written();
    await expect(undo(batonHome, "nothing")).rejects.toMatchObject({ code: "not_found" });
    await expect(undo(batonHome, "../../etc")).rejects.toMatchObject({ code: "not_found" });
    await apply(one(`${operation.facts.path}`.replace(/^/, `${batonHome}-other/`)), { batonHome, facts });
    await expect(undo(batonHome, "")).rejects.toMatchObject({ code: "ambiguous" });
    expect((await undo(batonHome, operation.id.slice(0, 8))).state).toBe("undone");
  });

  it("has nothing to do for an operation that failed", async () => {
    const { batonHome, main } = await written();
    await expect(apply(one(main), { batonHome, facts })).rejects.toMatchObject({ code: "refused" });
    const failed = (await operations(batonHome)).operations[0];
    await expect(undo(batonHome, failed?.id)).rejects.toMatchObject({ code: "refused" });
  });

  it.each(["main", "index"] as const)("refuses when the agent has gone on in the %s file", async (which) => {
    const places = await written();
    appendFileSync(places[which], '{"later":1}\n');
    const after = picture(places.store);
    const refused = undo(places.batonHome);
    await expect(refused).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(places[which]),
      hint: expect.stringContaining("baton fork"),
    });
    expect(EXIT_STATUS.refused).toBe(5);
    expect(picture(places.store)).toEqual(after);
    expect(await stateOf(places, places.operation.id)).toBe("done");
    expect(existsSync(join(places.batonHome, "trash"))).toBe(false);
  });

  it("refuses when a byte was changed in place", async () => {
    const { batonHome, main, store } = await written();
    writeFileSync(main, readFileSync(main, "utf8").replace("1", "7"));
    const after = picture(store);
    await expect(undo(batonHome)).rejects.toMatchObject({ code: "refused" });
    expect(picture(store)).toEqual(after);
  });

  it("does not miss what somebody removed already", async () => {
    const { batonHome, main, store, before } = await written();
    rmSync(main);
    expect((await undo(batonHome)).state).toBe("undone");
    expect(picture(store)).toEqual(before);
  });

  it("leaves folders that somebody else uses", async () => {
    const { batonHome, store, before } = await written();
    writeFileSync(join(store, "projects", "a-b", "other.jsonl"), "x");
    await undo(batonHome);
    expect(Object.keys(picture(store))).toEqual([
      ...Object.keys(before),
      "projects",
      "projects/a-b",
      "projects/a-b/other.jsonl",
    ]);
  });

  it.each([1, 2, 3])("puts everything back when file %i changes while it runs", async (number) => {
    const places = await written();
    const { batonHome, store, operation } = places;
    const file = operation.files[number];
    await expect(
      undo(batonHome, operation.id, (step) => {
        if (step === `remove ${number}`) appendFileSync(file?.path ?? "", "agent\n");
      }),
    ).rejects.toBeInstanceOf(Error);
    const name = Object.keys(COMPLETE).find((known) => file?.path.endsWith(known)) ?? "";
    expect(texts(store)).toEqual({ ...COMPLETE, [name]: `${COMPLETE[name]}agent\n` });
    expect(await stateOf(places, operation.id)).toBe("done");
    expect(texts(batonHome)).toEqual({ [`operations/${operation.id}.json`]: expect.any(String) });
  });

  it("by two at once happens once", async () => {
    const { batonHome, store, before, operation } = await written();
    const results = await Promise.allSettled([undo(batonHome, operation.id), undo(batonHome, operation.id)]);
    const states = results.map((result) =>
      result.status === "fulfilled" ? result.value.state : (result.reason as { code: string }).code,
    );
    expect(states.toSorted()).toEqual(expect.arrayContaining(["undone"]));
    for (const state of states) expect(["undone", "busy"]).toContain(state);
    expect(picture(store)).toEqual(before);
  });
});

async function* one(path: string) {
  yield { type: "create" as const, path, bytes: "x\n" };
}

describe("operations", () => {
  it("are listed newest first, and none at first", async () => {
    const { batonHome, store } = await newStore(await temporaryFolder());
    expect(await operations(batonHome)).toEqual({ operations: [], damaged: [] });
    const ids: string[] = [];
    for (const name of ["a", "b", "c"])
      ids.unshift((await apply(one(join(store, name)), { batonHome, facts })).id);
    expect((await operations(batonHome)).operations.map(({ id }) => id)).toEqual(ids);
  });

  it("with a damaged journal are reported and hinder nobody", async () => {
    const { batonHome, store, operation } = await written();
    const folder = join(batonHome, "operations");
    const journal = JSON.parse(readFileSync(join(folder, `${operation.id}.json`), "utf8"));
    writeFileSync(join(folder, "cut.json"), '{"version":1,"id"');
    writeFileSync(join(folder, "newer.json"), JSON.stringify({ ...journal, id: "newer", version: 2 }));
    writeFileSync(join(folder, "other.json"), JSON.stringify(journal));
    // Recovery of such a journal would remove somebody's file.
    const evil = { ...journal.files[0], staged: join(store, "index.jsonl") };
    writeFileSync(
      join(folder, "evil.json"),
      JSON.stringify({ ...journal, id: "evil", state: "planned", files: [evil] }),
    );
    writeFileSync(join(folder, "evil.lock"), "");
    const { operations: listed, damaged } = await operations(batonHome);
    expect(listed.map(({ id }) => id)).toEqual([operation.id]);
    expect(damaged).toHaveLength(4);
    for (const sentence of damaged) expect(sentence).toMatch(/^The journal .*\.json cannot be used: /);
    expect((await undo(batonHome)).id).toBe(operation.id);
    expect(existsSync(join(store, "index.jsonl"))).toBe(true);
  });
});
