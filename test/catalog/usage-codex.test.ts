// What Codex's files add up to, from the native files on: every way in which tokens were counted twice or not at
// all is a case here, with the numbers worked out by hand.
import { describe, expect, it } from "vitest";
import { codex, codexMeta, codexPath, counted, newHome, said, tokens, uuid } from "./usage-home.ts";

describe("Codex", () => {
  // GPT-5: $1.25 in, $10 out, $0.125 from the cache. Input holds the cached tokens, output the reasoning:
  // (400 × 1.25 + 600 × 0.125 + 100 × 10) / 1,000,000 = 0.001575
  const COST = 0.001575;
  const context = codex(1, "turn_context", { cwd: "/home/me/app", model: "gpt-5" });
  const begin = (session: number) => [codex(0, "session_meta", codexMeta(session)), context];

  it("counts that are sent again, cached input and reasoning count once", async () => {
    const home = newHome();
    home.write(codexPath(1), [
      ...begin(1),
      codex(2, "response_item", said("One")),
      codex(3, "event_msg", counted(1100)),
      // Only the rate limits have changed.
      codex(4, "event_msg", counted(1100)),
      // After a compaction the newest count is the size of the context: the total says that nothing was asked.
      codex(4, "event_msg", counted(1100, { input_tokens: 6000, total_tokens: 6798 })),
      codex(5, "event_msg", { type: "token_count", info: null }),
      codex(6, "response_item", said("Two")),
      codex(7, "event_msg", counted(2200)),
      codex(8, "event_msg", counted(2200)),
    ]);
    expect((await home.usage()).total).toMatchObject({
      tokens: { input: 800, output: 200, cacheRead: 1200, cacheWrite: 0, reasoning: 80 },
      cost: { recorded: 0, computed: 2 * COST, estimated: 0 },
      messages: 2,
    });
  });

  it("a record of the usage and the count beside it are one", async () => {
    const home = newHome();
    const record = (number: number) => ({
      thread_id: uuid(1),
      response_id: `resp_${number}`,
      usage: tokens({}),
      thread_token_usage: tokens({ total_tokens: number * 1100 }),
    });
    home.write(codexPath(1), [
      ...begin(1),
      codex(2, "response_item", said("One")),
      codex(3, "token_usage_record", record(1)),
      codex(4, "event_msg", counted(1100)),
      codex(5, "response_item", said("Two")),
      // The other way round.
      codex(6, "event_msg", counted(2200)),
      codex(7, "token_usage_record", record(2)),
    ]);
    expect((await home.usage()).total).toMatchObject({ cost: { computed: 2 * COST }, messages: 2 });
  });

  it("a fork that copies its parent's lines, with its own times, adds only what is its own", async () => {
    const home = newHome();
    const history = (seconds: number) => [
      codex(seconds, "response_item", said("One")),
      codex(seconds, "event_msg", counted(1100)),
      codex(seconds, "response_item", said("Two")),
      codex(seconds, "event_msg", counted(2200)),
    ];
    home.write(codexPath(1), [...begin(1), ...history(5)]);
    home.write(codexPath(2), [
      codex(500, "session_meta", codexMeta(2, { forked_from_id: uuid(1) })),
      codex(500, "session_meta", codexMeta(1)),
      codex(500, "turn_context", { cwd: "/home/me/app", model: "gpt-5" }),
      ...history(500),
      codex(501, "response_item", said("Three")),
      codex(502, "event_msg", counted(3300)),
    ]);
    // Three responses: two of the parent, one of the fork.
    const { total, rows } = await home.usage({ by: "session" });
    expect(total).toMatchObject({ cost: { computed: 3 * COST }, messages: 3 });
    expect(rows.map(({ messages }) => messages)).toEqual([2, 1]);
  });

  it("a fork whose parent's session_meta was not copied is known by the names of its tasks", async () => {
    const home = newHome();
    const lines = (session: number, seconds: number, task: string) => [
      codex(seconds, "session_meta", codexMeta(session)),
      codex(seconds, "event_msg", { type: "task_started", turn_id: task }),
      codex(seconds, "turn_context", { cwd: "/home/me/app", model: "gpt-5" }),
      codex(seconds, "response_item", said("One")),
      codex(seconds, "event_msg", counted(1100)),
    ];
    home.write(codexPath(1), lines(1, 5, uuid(55)));
    home.write(codexPath(2), lines(2, 500, uuid(55)));
    // Numbers of tasks begin anew in each session.
    home.write(codexPath(3), lines(3, 900, "1"));
    home.write(codexPath(4), lines(4, 900, "1"));
    expect((await home.usage()).total).toMatchObject({ cost: { computed: 3 * COST }, messages: 3 });
  });

  it("a fork that only names its parent, as Baton's own do, is known by that, also a fork of a fork", async () => {
    const home = newHome();
    const responses = (seconds: number, ...totals: number[]) =>
      totals.flatMap((total) => [
        codex(seconds, "response_item", said(`Reply ${total}`)),
        codex(seconds, "event_msg", counted(total)),
      ]);
    const fork = (session: number, parent: number) => [
      codex(session * 100, "session_meta", codexMeta(session, { forked_from_id: uuid(parent) })),
      context,
    ];
    home.write(codexPath(3), [...fork(3, 2), ...responses(300, 1100, 2200, 3300, 5500)]);
    home.write(codexPath(1), [codex(0, "session_meta", codexMeta(1)), context, ...responses(5, 1100, 2200)]);
    home.write(codexPath(2), [...fork(2, 1), ...responses(200, 1100, 2200, 3300)]);
    const { total, rows } = await home.usage({ by: "session" });
    // Two of the first, one of its fork, one of the fork's fork.
    expect(total).toMatchObject({ cost: { computed: 4 * COST }, messages: 4 });
    expect(rows.map(({ messages }) => messages)).toEqual([2, 1, 1]);
  });

  it("threads that name each other as their origin do not keep anybody waiting", async () => {
    const home = newHome();
    for (const [session, parent] of [
      [1, 2],
      [2, 1],
    ] as const)
      home.write(codexPath(session), [
        codex(session, "session_meta", codexMeta(session, { forked_from_id: uuid(parent) })),
        context,
        codex(10, "response_item", said("One")),
        codex(20, "event_msg", counted(1100 * session)),
      ]);
    expect((await home.usage()).total).toMatchObject({ messages: 2 });
  });

  it("sessions whose numbers are alike are not taken for one", async () => {
    const home = newHome();
    for (const session of [1, 2])
      home.write(codexPath(session), [
        codex(session, "session_meta", codexMeta(session)),
        context,
        codex(10 + session, "response_item", said("One")),
        codex(20 + session, "event_msg", counted(1100)),
      ]);
    expect((await home.usage()).total).toMatchObject({
      cost: { computed: 2 * COST },
      messages: 2,
      sessions: 2,
    });
  });

  it("a long prompt costs the price of its tier", async () => {
    const home = newHome();
    home.write(codexPath(1), [
      codex(0, "session_meta", codexMeta(1)),
      codex(1, "turn_context", { cwd: "/home/me/app", model: "gpt-5.5" }),
      codex(2, "response_item", said("One")),
      codex(
        3,
        "event_msg",
        counted(300_100, { input_tokens: 300_000, cached_input_tokens: 0, output_tokens: 100 }),
      ),
    ]);
    // Above 272,000 tokens of input GPT-5.5 costs $10 and $45: (300,000 × 10 + 100 × 45) / 1,000,000
    expect((await home.usage()).total.cost.computed).toBe(3.0045);
  });
});
