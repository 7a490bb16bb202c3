// What is said to stay of a conversation: messages, calls and files, in every place that names them.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { entryText } from "../../src/session/text.ts";
import { analysed as analysedOf } from "../../src/switch/analyse.ts";
import { prepareSwitch, type SwitchRequest } from "../../src/switch/prepare-switch.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { analysed, coded, DIRECTIONS } from "./directions.ts";
import { around, CLAUDE, sourceWith } from "./featured.ts";
import { MODELS } from "./over.ts";
import { windowed } from "./prepared.ts";
import { NAMES, sample } from "./samples.ts";
import { find, named, newWorld } from "./world.ts";

const TO_GPT = DIRECTIONS["Claude → GPT-4o"];
const STRATEGIES = ["truncate", "summarize", "hybrid"] as const;

/** A conversation that is prepared, and all that is said of it. */
async function told(request: Omit<SwitchRequest, "to" | "adapters">, to = "codex") {
  const agent = named(to);
  const asked = { ...request, to: agent, adapters, ...(MODELS[to] !== undefined && { model: MODELS[to] }) };
  const prepared = await prepareSwitch(asked);
  const { analysis } = await analysedOf(prepared, asked);
  const entries = await Array.fromAsync(prepared.stream().entries());
  const note = entries.find(({ id }) => id === "baton-summary");
  const leftOut = Number(/ - (\d+) messages/.exec(note ? entryText(note) : "")?.[1] ?? 0);
  const warning = (code: string) => analysis.warnings.find((one) => one.code === code);
  return { analysis, prepared, leftOut, warning };
}

/** Whatever is left out, all places that say how much agree on it. */
function expectAgreeing({ analysis, prepared, leftOut, warning }: Awaited<ReturnType<typeof told>>): void {
  const { messages, of } = analysis.kept;
  const { survey, originalMessageCount } = prepared;
  expect(leftOut).toBeGreaterThan(0);
  expect(messages + leftOut).toBe(of);
  const reduced = warning("context_reduced");
  expect(reduced?.message).toMatch(new RegExp(`, ${messages} of ${of} messages stay\\.$`));
  expect(reduced?.affectedMessages).toHaveLength(leftOut);
  const context = warning("context_dropped");
  expect(of + (context?.affectedMessages?.length ?? 0)).toBe(originalMessageCount);
  for (const { affectedMessages = [], entries = [] } of [reduced, context].flatMap((one) => one ?? [])) {
    expect(affectedMessages).toEqual([...new Set(affectedMessages)].toSorted((a, b) => a - b));
    expect(new Set(entries.map(survey.messageOf))).toEqual(new Set(affectedMessages));
    expect(affectedMessages.some((at) => prepared.keptMessages.has(at))).toBe(false);
  }
}

const words = (entry: Entry, count: number) => ({ ...entry, content: "word ".repeat(count) }) as Entry;
const context = (id: string) => ({ ...user(id), type: "system", injected: true, subtype: "skills" }) as Entry;
const changing = (id: string, path: string): Entry[] => [
  { ...call(id), tool: "write", input: { path, content: "" } } as Entry,
  result(id),
];

describe.each(STRATEGIES)("with %s", (summarizationStrategy) => {
  const options = { summarizationStrategy };

  it("messages are those of the conversation, without what the old agent told of itself", async () => {
    const { home } = await newWorld();
    const timeline = [
      context("s1"),
      words(user("u1"), 30_000),
      context("s2"),
      ...changing("c1", "/a"),
      assistant("a1"),
      user("u2"),
      context("s3"),
      assistant("a2"),
    ];
    const source = sourceWith(CLAUDE, timeline);
    const found = await told({ home, source, options, overrides: windowed(40_000) });
    expectAgreeing(found);
    expect(found.leftOut).toBe(4);
    expect(found.analysis.kept).toMatchObject({ messages: 2, of: 6 });
    expect(found.warning("context_reduced")).toMatchObject({
      affectedMessages: [1, 3, 4, 5],
      entries: ["u1", "c1", "r1", "a1"],
    });
    expect(found.warning("context_dropped")).toEqual({
      type: "info",
      code: "context_dropped",
      message:
        "3 messages are what the old agent told its model of itself: left out, the new one tells its own.",
      affectedMessages: [0, 2, 7],
      entries: ["s1", "s2", "s3"],
    });
  });

  it.each(NAMES)("they are the same number everywhere, in a session of %s itself", async (name) => {
    const { world, original } = await sample(name);
    const { source } = await find(world, original);
    const request = { ...world, source, options: { ...options, budget: 1_000 } };
    const found = await told(request, name === "codex" ? "claude" : "codex");
    expectAgreeing(found);
    if (name === "claude") expect(found.warning("context_dropped")?.entries?.length).toBeGreaterThan(5);
  });

  it("files are those that calls which stay have changed", async () => {
    const timeline = [
      words(user("u1"), 150_000),
      ...changing("c1", "/gone"),
      ...changing("c2", "/both"),
      user("u2"),
      ...changing("c3", "/both"),
      ...changing("c4", "/new"),
      ...changing("c5", "/newer"),
    ];
    const whole = await analysed({ ...TO_GPT, model: "gpt-5.5" }, timeline);
    expect(whole.kept).toMatchObject({ changedFiles: 4, toolCalls: 5, toolResults: 5 });
    const { kept } = await analysed(TO_GPT, timeline, { options });
    expect(kept).toMatchObject({ changedFiles: 3, toolCalls: 3, toolResults: 3 });
  });
});

it("one message of the agent's own is one", async () => {
  const { warnings } = await analysed(TO_GPT, [context("s1"), ...around([])]);
  expect(coded(warnings, "context_dropped")).toEqual([
    "info: 1 message is what the old agent told its model of itself: left out, the new one tells its own.",
  ]);
});

it("no file was changed by calls that are left out", async () => {
  const timeline = around([...changing("c1", "/a"), ...changing("c2", "/b")]);
  expect((await analysed(TO_GPT, timeline)).kept.changedFiles).toBe(2);
  const { kept } = await analysed(TO_GPT, timeline, { options: { includeToolHistory: false } });
  expect(kept).toMatchObject({ changedFiles: 0, toolCalls: 0 });
});
