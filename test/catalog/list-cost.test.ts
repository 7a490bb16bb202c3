// What sessions cost in a list is what `usage` counts for them: shown, sorted and filtered.
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Home } from "../../src/adapters/adapter.ts";
import { dollarsOf } from "../../src/catalog/usage/usage.ts";
import { cases, layOut } from "../conformance/fixtures.ts";
import {
  claudePath,
  codex,
  codexMeta,
  codexPath,
  counted,
  newHome,
  prompt,
  reply,
  said,
  type UsageHome,
  uuid,
} from "./usage-home.ts";

const SAMPLES = join(import.meta.dirname, "../../samples");
const homes: [name: string, lay: (home: Home) => void][] = [
  ...globSync("*/native", { cwd: SAMPLES })
    .toSorted()
    .map((native): [string, (home: Home) => void] => [
      native,
      ({ dir }) => cpSync(join(SAMPLES, native), dir, { recursive: true }),
    ]),
  ...cases.map((one): [string, (home: Home) => void] => [
    `${one.adapter.id} ${one.fixture}`,
    (home) => layOut(one, home),
  ]),
];

/** By id, as `usage --by session` has them. */
function sumsOf(sessions: Awaited<ReturnType<UsageHome["list"]>>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { id, cost } of sessions) if (cost !== null) sums.set(id, (sums.get(id) ?? 0) + cost);
  return sums;
}

describe("the same as usage", () => {
  it.each(homes)("%s", async (_, lay) => {
    const home = newHome();
    lay(home);
    const { rows, total } = await home.usage({ by: "session" });
    const listed = await home.list({ subagents: true, archived: true, sort: "cost" });
    expect(listed.length).toBeGreaterThan(0);
    const sums = sumsOf(listed);
    for (const row of rows) expect(sums.get(row.key) ?? 0).toBeCloseTo(dollarsOf(row), 9);
    const whole = [...sums.values()].reduce((sum, cost) => sum + cost, 0);
    expect(whole).toBeCloseTo(dollarsOf(total), 7);
    const unpriced = listed.reduce((sum, { unpricedMessages = 0 }) => sum + unpricedMessages, 0);
    expect(unpriced).toBe(total.unpriced.messages);
    const costs = listed.map(({ cost }) => cost ?? 0);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    for (const least of costs) {
      const found = await home.list({ subagents: true, archived: true, minCost: least });
      expect(found.length).toBe(costs.filter((cost) => cost >= least).length);
    }
  });
});

const tokens = { input_tokens: 1000, output_tokens: 100 };
/** Opus 4.5: $5 and $25 a million. */
const COST = 0.0075;

describe("the cost of a session", () => {
  const facts = async (home: UsageHome) =>
    (await home.list()).map(({ agent, cost, costKind, unpricedMessages }) => [
      agent,
      cost,
      costKind,
      unpricedMessages ?? 0,
    ]);

  it("is recorded, where an agent wrote it down", async () => {
    const home = newHome();
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, usage: tokens }),
      { type: "cost-state", sessionId: uuid(1), totalCostUSD: 0.25 },
    ]);
    expect(await facts(home)).toEqual([["claude", 0.25, "recorded", 0]]);
  });

  it("is computed otherwise, also for agents that never write one down", async () => {
    const home = newHome();
    home.write(claudePath(1), [reply({ session: 1, number: 1, seconds: 1, usage: tokens })]);
    home.write(codexPath(2), [
      codex(0, "session_meta", codexMeta(2)),
      codex(1, "turn_context", { model: "gpt-5" }),
      codex(2, "response_item", said("Done")),
      codex(3, "event_msg", counted(1100)),
    ]);
    const found = await facts(home);
    expect(found.find(([agent]) => agent === "claude")).toEqual(["claude", COST, "computed", 0]);
    // 400 new and 600 cached tokens in, 100 out: (400 × 1.25 + 600 × 0.125 + 100 × 10) / 1,000,000
    expect(found.find(([agent]) => agent === "codex")).toEqual(["codex", 0.001575, "computed", 0]);
  });

  it("is computed with the user's own prices, and null where there is none", async () => {
    const home = newHome();
    const strange = reply({ session: 1, number: 1, seconds: 1, usage: tokens });
    home.write(claudePath(1), [{ ...strange, message: { ...strange.message, model: "my-own-model" } }]);
    expect(await facts(home)).toEqual([["claude", null, null, 1]]);
    home.write(".baton/models.json", [
      { models: { "my-own-model": { name: "Mine 7", prices: { input: 1, output: 2 } } } },
    ]);
    expect(await facts(home)).toEqual([["claude", 0.0012, "computed", 0]]);
    expect((await home.list({ minCost: 0.001 })).length).toBe(1);
    expect((await home.list({ minCost: 0.002 })).length).toBe(0);
    expect((await home.list({ model: "mine 7" })).length).toBe(1);
  });

  it("is that of a fork's own messages", async () => {
    const home = newHome();
    const shared = (session: number) => [
      prompt(session, 1, 0),
      reply({ session, number: 2, seconds: 1, message: "msg_shared", usage: tokens }),
    ];
    home.write(claudePath(1), shared(1));
    home.write(claudePath(2), [
      ...shared(2),
      reply({ session: 2, number: 3, seconds: 9, message: "msg_own_one", usage: tokens }),
      reply({ session: 2, number: 4, seconds: 10, message: "msg_own_two", usage: tokens }),
    ]);
    const costs = (await home.list({ sort: "cost" })).map(({ cost }) => cost);
    expect(costs).toEqual([2 * COST, COST]);
  });
});

it("a model is found by the name that is shown, by its id and by a part of them", async () => {
  const home = newHome();
  home.write(claudePath(1), [reply({ session: 1, number: 1, seconds: 1, usage: tokens })]);
  for (const model of ["Opus 4.5", "opus", "claude-opus-4-5-20251101", " OPUS 4.5"])
    expect((await home.list({ model })).length, model).toBe(1);
  for (const model of ["Opus 4.6", "gpt", "opus 4 5"])
    expect((await home.list({ model })).length, model).toBe(0);
});
