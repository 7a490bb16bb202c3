// How messages add up, over tables that are filled by hand: groups, filters, days, and who is whose copy.
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SCHEMA } from "../../src/catalog/schema.ts";
import { type UsageQuery, usageOf } from "../../src/catalog/usage/usage.ts";
import type { FindPrice } from "../../src/models/prices.ts";
import { newHome } from "./usage-home.ts";

interface Given {
  session: string;
  message?: string;
  agent?: string;
  project?: string;
  parent?: string;
  links?: string;
  /** Of the session. */
  total?: number;
  time?: number;
  model?: string;
  input?: number;
  output?: number;
  cost?: number;
  estimated?: boolean;
  shard?: number;
}

const NOON = Date.parse("2026-03-02T12:00:00Z");

/** One dollar for a million tokens of either kind; strangers have no price. */
const find: FindPrice = (model) =>
  model === "stranger"
    ? undefined
    : { matched: `somebody/${model}`, source: "list", prices: { input: 1, output: 1 }, tiers: [] };

function shardsWith(given: readonly Given[]): DatabaseSync[] {
  const shards = [0, 1].map(() => {
    const shard = new DatabaseSync(":memory:");
    shard.exec(SCHEMA);
    return shard;
  });
  for (const [number, one] of given.entries()) insert(shards[one.shard ?? 0] as DatabaseSync, one, number);
  return shards;
}

function insert(shard: DatabaseSync, one: Given, number: number): void {
  const { session, agent = "claude", project = "/home/me/app", parent = null, links = null } = one;
  const known = shard.prepare("SELECT key FROM session WHERE id = ?").get(session) as
    | { key: number }
    | undefined;
  const columns = {
    id: session,
    agent,
    original_id: session,
    thread: "",
    path: `/store/${session}`,
    stamp: "x",
    files: "[]",
    size: 1,
    updated: NOON + 1000,
    created: "2026-03-02T12:00:00.000Z",
    provider: "anthropic",
    title: `Title of ${session}`,
    summary: "",
    project,
    model: "claude-opus-4-5",
    messages: 1,
    cost: one.total ?? null,
    problems: "[]",
    parent,
    links,
    searchable: 0,
  };
  const key = known?.key ?? Number(row(shard, "session", columns));
  row(shard, "usage", {
    session: key,
    message: one.message ?? `msg_${number}`,
    model: one.model ?? "claude-opus-4-5",
    provider: "anthropic",
    time: one.time ?? NOON + number,
    input: one.input ?? 900_000,
    output: one.output ?? 100_000,
    cache_read: 0,
    cache_write: 0,
    cache_write_hour: 0,
    reasoning: 0,
    cost: one.cost ?? null,
    estimated: one.estimated ? 1 : 0,
    place: 0,
  });
}

function row(shard: DatabaseSync, table: string, columns: Record<string, string | number | null>) {
  const names = Object.keys(columns);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return shard.prepare(sql).run(...Object.values(columns)).lastInsertRowid;
}

const usage = (given: readonly Given[], query: Partial<UsageQuery> = {}) =>
  usageOf(shardsWith(given), { by: "session", ...query }, find);
/** Keys and dollars. */
const dollars = (given: readonly Given[], query: Partial<UsageQuery> = {}) =>
  usage(given, query).rows.map(({ key, cost }) => [key, cost.recorded + cost.computed + cost.estimated]);

afterEach(() => void vi.unstubAllEnvs());

describe("each message is of one kind", () => {
  const { rows, total } = usage([
    { session: "a", cost: 0.25 },
    { session: "b" },
    { session: "c", estimated: true },
    { session: "d", model: "stranger" },
    { session: "e", cost: 0 },
  ]);

  it("recorded, computed, estimated or unpriced", () => {
    const kinds = Object.fromEntries(rows.map(({ key, cost, unpriced }) => [key, [cost, unpriced.messages]]));
    const none = { recorded: 0, computed: 0, estimated: 0 };
    expect(kinds).toEqual({
      a: [{ ...none, recorded: 0.25 }, 0],
      b: [{ ...none, computed: 1 }, 0],
      c: [{ ...none, estimated: 1 }, 0],
      d: [none, 1],
      // Zero is what an agent writes that knows no price.
      e: [{ ...none, computed: 1 }, 0],
    });
  });

  it("and all of them are in the total", () => {
    expect(total.cost).toEqual({ recorded: 0.25, computed: 2, estimated: 1 });
    expect(total.tokens).toMatchObject({ input: 4_500_000, output: 500_000 });
    expect(total.unpriced).toMatchObject({ messages: 1, input: 900_000, output: 100_000 });
    expect([total.messages, total.sessions]).toEqual([5, 5]);
  });
});

describe("groups", () => {
  const given: Given[] = [
    { session: "a", project: "/home/me/app", model: "claude-sonnet-4-5-20250929" },
    { session: "b", project: "/home/me/app/deep", agent: "codex", model: "anthropic/claude-sonnet-4.5" },
    { session: "c", project: "", agent: "codex", model: "claude-sonnet-4-5[1m]", input: 5_900_000 },
  ];

  it.each([
    [
      "agent",
      [
        ["codex", 7],
        ["claude", 1],
      ],
    ],
    // One model in three spellings, called by the first.
    ["model", [["claude-sonnet-4-5-20250929", 8]]],
    [
      "project",
      [
        ["", 6],
        ["/home/me/app", 1],
        ["/home/me/app/deep", 1],
      ],
    ],
    [
      "session",
      [
        ["c", 6],
        ["a", 1],
        ["b", 1],
      ],
    ],
  ] as const)("by %s, the dearest first", (by, expected) => {
    expect(dollars(given, { by })).toEqual(expected);
  });

  it("sessions have their titles", () => {
    expect(usage(given).rows[1]).toMatchObject({ key: "a", title: "Title of a", agent: "claude" });
  });

  it("can be of some agents, of a folder and of a time only", () => {
    expect(dollars(given, { agents: ["claude"] })).toEqual([["a", 1]]);
    expect(dollars(given, { project: "/home/me/app" })).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(dollars(given, { since: new Date(NOON + 1) })).toEqual([
      ["c", 6],
      ["b", 1],
    ]);
    expect(usage(given, { agents: ["claude"] }).models.map(({ model }) => model)).toEqual([
      "claude-sonnet-4-5-20250929",
    ]);
  });

  it.each([
    ["Asia/Tokyo", "2026-03-03"],
    ["UTC", "2026-03-02"],
    ["America/Los_Angeles", "2026-03-02"],
  ])("days are those of %s", (zone, day) => {
    vi.stubEnv("TZ", zone);
    const time = Date.parse("2026-03-02T20:00:00Z");
    expect(dollars([{ session: "a", time }], { by: "day" })).toEqual([[day, 1]]);
  });
});

describe("a copy", () => {
  const same = { message: "msg_x", time: NOON };

  it("counts for the session that is no fork, in whatever shard", () => {
    const links = '[{"type":"fork_of","session":"claude:b"}]';
    expect(
      dollars([
        { session: "a", links, ...same },
        { session: "b", shard: 1, ...same },
      ]),
    ).toEqual([["b", 1]]);
    expect(
      dollars([
        { session: "a", shard: 1, links, ...same },
        { session: "b", ...same },
      ]),
    ).toEqual([["b", 1]]);
  });

  it("is none when another agent uses the same id", () => {
    const given = [
      { session: "a", ...same },
      { session: "b", ...same, agent: "codex", input: 1, output: 0 },
    ];
    expect(usage(given).total.messages).toBe(2);
  });

  it("is none when only the time and the tokens are the same", () => {
    const given = [
      { session: "a", time: NOON },
      { session: "b", time: NOON },
    ];
    expect(usage(given).total.messages).toBe(2);
  });

  it("is one with another count, unless its id may be made up", () => {
    const twice = (message: string) =>
      usage([
        { session: "a", message },
        { session: "b", message, output: 1 },
      ]).total.messages;
    expect(twice("msg_0123456789")).toBe(1);
    expect(twice("1")).toBe(2);
  });

  it("is never found by an id that only its session knows", () => {
    const given = [
      { session: "a", message: "#r5", time: NOON },
      { session: "b", message: "#r5", time: NOON + 1 },
    ];
    expect(usage(given).total.messages).toBe(2);
  });
});

describe("a cost of the whole session", () => {
  it("is shared by its messages, by what they would cost", () => {
    const given = [
      { session: "a", total: 8, input: 100_000 },
      { session: "a", input: 500_000, time: NOON + 86_400_000 },
    ];
    vi.stubEnv("TZ", "UTC");
    // 0.2 and 0.6 of 0.8 million tokens.
    expect(usage(given, { by: "day" }).rows.map(({ cost }) => cost)).toEqual([
      { recorded: 2, computed: 0, estimated: 0 },
      { recorded: 6, computed: 0, estimated: 0 },
    ]);
  });

  it("of a model without a price is shared by tokens", () => {
    const given = [
      { session: "a", total: 4, model: "stranger", input: 100_000 },
      { session: "a", model: "stranger", input: 500_000 },
    ];
    expect(usage(given).total.cost).toEqual({ recorded: 4, computed: 0, estimated: 0 });
    expect(usage(given).total.unpriced.messages).toBe(0);
  });

  it("covers what its subagents did, also theirs", () => {
    const given = [
      { session: "a", total: 9 },
      { session: "b", parent: "a", shard: 1 },
      { session: "c", parent: "b", total: 3 },
    ];
    expect(dollars(given)).toEqual([
      ["a", 3],
      ["b", 3],
      ["c", 3],
    ]);
  });

  it("is not believed beside costs of its messages", () => {
    expect(
      usage([
        { session: "a", total: 9, cost: 2 },
        { session: "a", cost: 3 },
      ]).total.cost.recorded,
    ).toBe(5);
  });

  it("with sessions that name each other as parents ends", () => {
    const given = [
      { session: "a", parent: "b", total: 2 },
      { session: "b", parent: "a" },
    ];
    expect(usage(given).total.cost.recorded).toBe(2);
  });
});

describe("agents that know only totals", () => {
  it("a session without counts for its messages has its cost on its last day", async () => {
    const home = newHome();
    const session = {
      id: "sess-1",
      provider: "openai",
      model: "gpt-4o",
      cwd: "/home/me/app",
      created: "2026-01-14T00:00:00Z",
      updated: "2026-01-14T01:30:00Z",
      history: [{ role: "user", content: "Hi" }],
      metadata: { title: "T", compaction_count: 0 },
    };
    const tokens = { total_input_tokens: 1200, total_output_tokens: 340 };
    home.write(".yume/sessions/openai/sess-1.json", [
      { ...session, usage: { ...tokens, total_cost_usd: 0.0125 } },
    ]);
    home.write(".yume/sessions/openai/sess-2.json", [
      { ...session, id: "sess-2", usage: { total_cost_usd: 0.5 } },
    ]);
    const { total } = await home.usage({ by: "session" });
    expect(total.cost).toEqual({ recorded: 0.5125, computed: 0, estimated: 0 });
    expect(total.tokens).toMatchObject({ input: 1200, output: 340 });
    expect([total.messages, total.sessions]).toEqual([1, 2]);
  });
});
