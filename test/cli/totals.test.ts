// What a session used is the same in list, usage and compare, and where a thread has less, that is said.
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newPlace, run } from "./transcript.ts";

const samples = resolve(import.meta.dirname, "../../samples");
const place = newPlace();
afterAll(() => place.remove());

interface Tokens {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

const sum = ({ input, output, cacheRead = 0, cacheWrite = 0 }: Tokens) =>
  input + output + cacheRead + cacheWrite;

describe.each(["claude", "gemini"])("%s", (agent) => {
  const home = join(place.root, agent);
  mkdirSync(home);
  cpSync(join(samples, agent, "native"), home, { recursive: true });
  const json = (command: string) => JSON.parse(run(place, `baton ${command} --home ${home} --json`).stdout);

  it("what archive says of each agent and of the rest adds up", () => {
    const { agents, otherBytes, archivedBytes } = json("archive");
    const kept = agents.reduce((all: number, one: { archivedBytes: number }) => all + one.archivedBytes, 0);
    expect(otherBytes).toBeGreaterThan(0);
    expect(kept + otherBytes).toBe(archivedBytes);
  });

  it("compare knows what list and usage count, and says what its totals leave out", () => {
    const [session] = json(`list --agent ${agent}`).sessions;
    const { a, totals } = json(`compare ${session.id} ${session.id}`);
    expect(sum(a.tokens)).toBe(sum(session.tokens));
    const row = json("usage --by session").rows.find(({ key }: { key: string }) => key === session.id);
    expect(sum(row.tokens)).toBe(sum(a.tokens));
    // The samples have turns that were taken back.
    expect(sum(totals.a.tokens)).toBeLessThan(sum(a.tokens));
    const { stderr, status } = run(place, `baton compare ${session.id} ${session.id} --home ${home}`);
    expect(stderr).toContain(`${session.id} used `);
    expect(stderr).toContain("more tokens for what is not in its thread any more");
    expect(status).toBe(0);
  });
});

it("a session of which nothing was taken back has nothing to say", () => {
  expect(run(place, "baton compare latest latest").stderr).toBe("");
});
