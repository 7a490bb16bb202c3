import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { apply } from "../../src/storage/apply.ts";
import type { Change } from "../../src/storage/changes.ts";
import { operations } from "../../src/storage/operations.ts";
import { undo } from "../../src/storage/undo.ts";
import { runChild } from "./run-child.ts";
import { COMPLETE, facts, newStore, picture, texts } from "./store.ts";
import { temporaryFolder } from "./temporary.ts";

describe("several Batons at once", () => {
  it("write different sessions", async () => {
    const { batonHome, store } = await newStore(await temporaryFolder());
    const names = Array.from({ length: 10 }, (_, at) => `projects/p/${at}.jsonl`);
    const written = names.map((name) => apply(one(join(store, name), `${name}\n`), { batonHome, facts }));
    for (const operation of await Promise.all(written)) expect(operation.state).toBe("done");
    for (const name of names) expect(texts(store)[name]).toBe(`${name}\n`);
  });

  it("cannot both write the same session", async () => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    mkdirSync(join(places.store, "projects/a-b/main/subagents"), { recursive: true });
    mkdirSync(join(places.store, "results"));
    const before = picture(places.store);
    const results = await Promise.all(Array.from({ length: 4 }, () => runChild(folder, { action: "apply" })));
    const outcomes = results.map((result) => result?.state ?? result?.code);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    for (const outcome of outcomes) expect(["done", "refused", "busy"]).toContain(outcome);
    expect(texts(places.store)).toEqual(COMPLETE);
    const { operations: all } = await operations(places.batonHome);
    expect(all.flatMap(({ problems }) => problems)).toEqual([]);
    expect(readdirSync(join(places.batonHome, "operations")).toSorted()).toEqual(
      all.map(({ id }) => `${id}.json`).toSorted(),
    );
    await undo(places.batonHome);
    expect(picture(places.store)).toEqual(before);
  });
});

describe("an agent that writes all the time", () => {
  /** Appends a line by one write, again and again in an uneven rhythm, until its input ends. */
  const AGENT = `
    const { openSync, writeSync } = require("node:fs");
    const file = openSync(process.argv[1], "a");
    let at = 0, ended = false;
    process.stdin.on("end", () => { ended = true; }).resume();
    (function write() {
      writeSync(file, JSON.stringify({ agent: at++ }) + "\\n");
      if (!ended) setTimeout(write, at % 40);
    })();
  `;

  it("loses nothing, and neither do we", async () => {
    const { batonHome, index } = await newStore(await temporaryFolder());
    writeFileSync(index, "");
    const agent = spawn(process.execPath, ["-e", AGENT, index], { stdio: ["pipe", "inherit", "inherit"] });
    const ended = new Promise((done) => agent.once("exit", done));
    while (statSync(index).size === 0) await new Promise((done) => setImmediate(done));
    const expected = new Set<number>();
    for (let baton = 0; baton < 40; baton++) {
      const { ino, size } = statSync(index);
      const change: Change = {
        type: "append",
        path: index,
        inode: ino,
        size,
        bytes: `${JSON.stringify({ baton })}\n`,
      };
      const outcome = await apply(of(change), { batonHome, facts }).catch((error: { code: string }) => error);
      if ("state" in outcome) expected.add(baton);
      else expect(outcome.code).toBe("busy");
    }
    agent.stdin.end();
    await ended;
    const lines = readFileSync(index, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const byAgent = lines.flatMap(({ agent }) => agent ?? []);
    expect(byAgent).toEqual(byAgent.map((_, at) => at));
    expect(expected.size).toBeGreaterThan(0);
    expect(expected.size).toBeLessThan(40);
    // Whatever is there although it was refused must have been reported.
    const { operations: all } = await operations(batonHome);
    const reported = all.flatMap(({ problems }) => problems).length;
    const byBaton = lines.flatMap(({ baton }) => baton ?? []);
    expect(new Set(byBaton).size).toBe(byBaton.length);
    expect(byBaton).toHaveLength(expected.size + reported);
    for (const baton of expected) expect(byBaton).toContain(baton);
  });
});

async function* of(change: Change): AsyncGenerator<Change> {
  yield change;
}

function one(path: string, bytes: string): AsyncGenerator<Change> {
  return of({ type: "create", path, bytes });
}
