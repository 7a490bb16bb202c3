// One catalog for two homes: each sees and counts its own sessions, also those that it has lost.
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { hereIn, storesIn } from "../../src/catalog/here.ts";
import { walk } from "../../src/catalog/scan.ts";
import { newPlace, run } from "./transcript.ts";

const samples = resolve(import.meta.dirname, "../../samples");
const place = newPlace();
const own = join(place.root, "own");
const other = join(place.root, "other");

beforeAll(() => {
  for (const [home, agent] of [
    [own, "claude"],
    [other, "gemini"],
  ] as const)
    cpSync(join(samples, agent, "native"), home, { recursive: true });
  mkdirSync(join(place.root, "both"));
  for (const home of [own, other, own]) baton(home, "sync");
});
afterAll(() => place.remove());

function baton(home: string, command: string): string {
  const { stdout, stderr, status } = run(
    place,
    `BATON_HOME=${join(place.root, "both")} baton ${command} --home ${home}`,
  );
  expect(stderr, command).not.toContain("error");
  expect(status, command).toBe(0);
  return stdout;
}

const json = (home: string, command: string) => JSON.parse(baton(home, `${command} --json`));
const agentsOf = (rows: { agent: string }[]) => [...new Set(rows.map(({ agent }) => agent))];
const counted = (home: string) =>
  json(home, "usage --by agent").rows.map(({ key, messages }: { key: string; messages: number }) => [
    key,
    messages,
  ]);

it("usage, list and search are those of the home", () => {
  expect(counted(own)).toEqual([["claude", expect.any(Number)]]);
  expect(agentsOf(json(own, "list --archived").sessions)).toEqual(["claude"]);
  expect(agentsOf(json(own, "search files --limit 200").hits)).toEqual(["claude"]);
  expect(counted(other)).toEqual([["gemini", expect.any(Number)]]);
  expect(agentsOf(json(other, "list --archived").sessions)).toEqual(["gemini"]);
  expect(agentsOf(json(other, "search files --limit 200").hits)).toEqual(["gemini"]);
});

it("what a home has lost stays its own", () => {
  const before = counted(own);
  for (const name of readdirSync(join(own, ".claude")))
    rmSync(join(own, ".claude", name), { recursive: true });
  expect(counted(own)).toEqual(before);
  expect(agentsOf(json(own, "list --archived").sessions)).toEqual(["claude"]);
  expect(agentsOf(json(own, "search files --limit 200").hits)).toEqual(["claude"]);
  expect(counted(other)).toEqual([["gemini", expect.any(Number)]]);
});

it("every session that is found is in a store of its home", () => {
  for (const agent of readdirSync(samples)) {
    const home = { dir: join(samples, agent, "native"), env: {}, projects: [] };
    const isHere = hereIn(storesIn(home, adapters));
    const isElsewhere = hereIn(storesIn({ ...home, dir: "/somewhere/else" }, adapters));
    for (const { ref } of walk(home, adapters)) {
      expect(isHere({ agent: ref.agent, path: ref.path, gone: 1 })).toBe(true);
      expect(isElsewhere({ agent: ref.agent, path: ref.path, gone: 1 })).toBe(false);
      expect(isElsewhere({ agent: ref.agent, path: ref.path, gone: null })).toBe(true);
    }
  }
});
