// The fold: in pieces it equals one pass, on shrunk records it yields the same structure, its state stays
// small, and usage, turns, rewinds and compactions come out as the CLI itself sees them.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { fold } from "../../../src/adapters/codex/read.ts";
import type { Entry } from "../../../src/session/session.ts";
import type { Folded } from "../../../src/session/source.ts";
import { readRecords } from "../../../src/storage/records.ts";
import { visible } from "../../../src/transform/visible.ts";
import { fixtureNames, fixtureRefs, privateHome, put } from "./store.ts";

const LARGEST_STATE = 64 * 1024;

async function jsonlFiles(): Promise<{ path: string; originalId: string }[]> {
  const all = await Promise.all(fixtureNames.map(fixtureRefs));
  return all.flat().filter(({ path }) => path.endsWith(".jsonl"));
}

test("folding in pieces equals folding in one go", async () => {
  for (const ref of await jsonlFiles()) {
    const whole = fold.initial(ref);
    let pieces = fold.initial(ref);
    for await (const batch of readRecords(ref.path))
      for (const record of batch) {
        const expected = structuredClone(fold.step(whole, record));
        pieces = JSON.parse(JSON.stringify(pieces)) as typeof pieces;
        expect(fold.step(pieces, record)).toEqual(expected);
        expect(pieces).toEqual(JSON.parse(JSON.stringify(whole)));
        expect(JSON.stringify(whole).length).toBeLessThan(LARGEST_STATE);
      }
  }
});

const envelope = (type: string, payload: object, n = 0) =>
  JSON.stringify({ timestamp: `2026-01-01T00:00:${String(n % 60).padStart(2, "0")}.000Z`, type, payload });
const item = (payload: object) => envelope("response_item", payload);
const event = (payload: object) => envelope("event_msg", payload);
const message = (role: string, text: string) =>
  item({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  });
const ID = "01a1e000-0000-7000-8000-0000000000aa";
const meta = envelope("session_meta", { id: ID, timestamp: "2026-01-01T00:00:00.000Z", cwd: "/p" });

async function openLines(lines: readonly string[]) {
  const home = await privateHome();
  const path = await put(
    home,
    `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${ID}.jsonl`,
    lines.join("\n"),
  );
  const ref = await codex.recognise(path);
  if (!ref) throw new Error("not recognised");
  return codex.open(ref);
}

function structure(folded: readonly Folded[]): unknown[] {
  return folded.flatMap((found): unknown[] => {
    if (found.type !== "entry") return found.type === "link" || found.type === "head" ? [found] : [];
    const { id, type, parent, turn, injected, note } = found.entry;
    const joins = found.entry.type === "tool_result" ? found.entry.callId : undefined;
    return [{ id, type, parent, turn, injected, note, joins }];
  });
}

test("shrunk records yield the same entries, and the state does not depend on long text", async () => {
  const long = "x".repeat(20_000);
  const lines = [
    meta,
    message("user", `<environment_context>${long}`),
    message("user", `do it ${long}`),
    item({
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: JSON.stringify({ cmd: long }),
    }),
    event({
      type: "item_completed",
      item: { type: "CommandExecution", id: "c1", command: ["bash", long], exit_code: 3 },
    }),
    item({ type: "function_call_output", call_id: "c1", output: `Chunk ID: 1\n${long}` }),
    item({ type: "custom_tool_call", name: "exec", call_id: "c2", input: long }),
    event({
      type: "item_completed",
      item: { type: "CommandExecution", id: "exec-1", command: ["bash", "-lc", long] },
    }),
    item({ type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: long }] }),
    envelope("compacted", {
      message: long,
      replacement_history: [JSON.parse(message("user", long)).payload],
    }),
    message("assistant", long),
  ];
  const home = await privateHome();
  const path = await put(home, "a.jsonl", `${lines.join("\n")}\n`);
  const passes = await Promise.all(
    [false, true].map(async (shrink) => {
      const state = fold.initial({ path, originalId: ID });
      const out: unknown[] = [];
      let cut = 0;
      for await (const batch of readRecords(path, { shrink }))
        for (const record of batch) {
          if (JSON.stringify(record.value).length < record.length / 2) cut++;
          out.push(structure(fold.step(state, record)), structuredClone(state));
        }
      return { out, cut };
    }),
  );
  expect(passes[1]?.cut).toBe(lines.length - 1);
  expect(passes[1]?.out).toEqual(passes[0]?.out);
});

describe("usage", () => {
  const usage = (input: number, total: number) => ({
    input_tokens: input,
    cached_input_tokens: 60,
    cache_write_input_tokens: 10,
    output_tokens: 7,
    reasoning_output_tokens: 3,
    total_tokens: total,
  });
  const counted = (input: number, total: number) =>
    event({
      type: "token_count",
      info: { last_token_usage: usage(input, 0), total_token_usage: usage(0, total) },
    });
  const recorded = (input: number, thread = ID) =>
    envelope("token_usage_record", { thread_id: thread, usage: usage(input, input) });

  test("is counted once per response, cache and reasoning apart", async () => {
    const source = await openLines([
      meta,
      message("assistant", "a"),
      recorded(100),
      counted(100, 100),
      counted(100, 100),
    ]);
    expect(source.header.metadata.tokens).toEqual({
      input: 30,
      output: 7,
      cacheRead: 60,
      cacheWrite: 10,
      reasoning: 3,
    });
    const [entry] = await Array.fromAsync(source.entries());
    expect(entry?.usage).toEqual({ input: 30, output: 7, cacheRead: 60, cacheWrite: 10, reasoning: 3 });
  });

  test("of older rollouts comes from running totals, each total once", async () => {
    const lines = [
      meta,
      message("assistant", "a"),
      counted(100, 100),
      counted(100, 100),
      message("user", "b"),
    ];
    const source = await openLines([
      ...lines,
      message("assistant", "c"),
      counted(200, 300),
      counted(200, 300),
    ]);
    expect(source.header.metadata.tokens).toMatchObject({ input: 30 + 130, output: 14 });
  });

  test("of inherited responses belongs to the thread that paid for them", async () => {
    const source = await openLines([meta, message("assistant", "a"), recorded(100, "another")]);
    expect(source.header.metadata.tokens).toBeUndefined();
  });
});

test("a turn is what one response said and called, and ends with an output or a prompt", async () => {
  const call = (id: string) =>
    item({ type: "function_call", name: "exec_command", call_id: id, arguments: '{"cmd":"ls"}' });
  const output = (id: string) => item({ type: "function_call_output", call_id: id, output: "x" });
  const source = await openLines([
    ...[
      meta,
      message("user", "q"),
      message("assistant", "a"),
      call("c1"),
      call("c2"),
      output("c1"),
      output("c2"),
    ],
    ...[message("assistant", "b"), message("user", "q2"), message("assistant", "c")],
  ]);
  const entries = await Array.fromAsync(source.entries());
  expect(entries.map(({ turn }) => turn)).toEqual([
    ...[undefined, "r2", "r2", "r2", undefined, undefined],
    ...["r7", undefined, "r9"],
  ]);
});

const said = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.type === "user" || entry.type === "assistant" ? [entry.content] : []));

describe("rewinds", () => {
  const turn = (n: number) => [message("user", `Q${n}`), message("assistant", `A${n}`)];
  const back = (turns: unknown) => event({ type: "thread_rolled_back", num_turns: turns });
  const context = message("user", "<environment_context><cwd>/p</cwd></environment_context>");

  test.each([
    ["the newest turn", [...turn(1), ...turn(2), back(1), ...turn(3)], ["Q1", "A1", "Q3", "A3"]],
    ["nothing follows", [...turn(1), ...turn(2), back(1)], ["Q1", "A1"]],
    [
      "context of the turn goes too",
      [...turn(1), context, ...turn(2), back(1), ...turn(3)],
      ["Q1", "A1", "Q3", "A3"],
    ],
    ["twice", [...turn(1), ...turn(2), ...turn(3), back(1), back(1), ...turn(4)], ["Q1", "A1", "Q4", "A4"]],
    ["more than there is", [...turn(1), back(99), ...turn(2)], ["Q2", "A2"]],
    ["everything", [...turn(1), back(1)], []],
    ["none", [...turn(1), back(0)], ["Q1", "A1"]],
    ["nonsense", [...turn(1), back("x"), back(-1), back(null)], ["Q1", "A1"]],
  ])("%s", async (_, lines, expected) => {
    const source = await openLines([meta, ...lines]);
    expect(said(await Array.fromAsync(visible(source).entries()))).toEqual(expected);
  });

  test("what stands before the first prompt stays", async () => {
    const source = await openLines([
      meta,
      message("developer", "rules"),
      context,
      ...turn(1),
      back(1),
      ...turn(2),
    ]);
    const types = (await Array.fromAsync(visible(source).entries())).map(({ type }) => type);
    expect(types).toEqual(["system", "system", "user", "assistant"]);
  });
});

describe("titles", () => {
  test("the name the user gave wins, the newest one", async () => {
    const home = await privateHome();
    const name = (thread_name: string) => `${JSON.stringify({ id: ID, thread_name, updated_at: "2026" })}\n`;
    await put(home, ".codex/session_index.jsonl", `${name("old")}garbage ${ID}\n${name("new")}`);
    const path = `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${ID}.jsonl`;
    await put(home, path, `${meta}\n${message("user", "prompt")}\n`);
    const [ref] = await Array.fromAsync(codex.discover(home));
    expect((await codex.open(ref!)).header.title).toBe("new");
  });

  test("an editor's context is not the title", async () => {
    const source = await openLines([
      meta,
      message("user", "# Context from my IDE setup:\n\n## My request for Codex:\nFix it"),
    ]);
    expect(source.header.title).toBe("Fix it");
  });
});
