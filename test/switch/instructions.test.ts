// Instructions that a session has of its own, through one agent into another: they stay instructions, so that what
// makes a conversation shorter leaves them, and who wants to go on without them can.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { assistant, user } from "../session/build.ts";
import { CLAUDE, OPENAI, sourceWith } from "./featured.ts";
import { entriesOf, over, story } from "./over.ts";
import { windowed } from "./prepared.ts";
import { newWorld } from "./world.ts";

const AGENTS = ["claude", "gemini", "codex", "opencode"];
const WAYS = AGENTS.flatMap((through) =>
  AGENTS.filter((to) => to !== through).map((to) => [through, to] as const),
);

const RULE = "Always answer in rhyme.";
const rule = { ...user("s1"), type: "system", content: RULE } as Entry;
const long = { ...assistant("a0"), content: "words ".repeat(60_000) } as Entry;
const TIMELINE = [rule, user("u0"), long, user("u1"), assistant("a1")];

const told = (entries: readonly Entry[]) =>
  entries
    .filter(({ type, note }) => type === "system" && !note)
    .map((entry) => "content" in entry && entry.content);

describe.each(WAYS)("through %s into %s", (through, to) => {
  const arrived = async () => {
    const world = await newWorld();
    const source = sourceWith(through === "claude" ? OPENAI : CLAUDE, TIMELINE);
    const once = await over(world, source, through);
    const [first, ...others] = await entriesOf(world, once.there);
    expect(first).toMatchObject({ type: "system", content: RULE });
    expect(first).not.toHaveProperty("injected");
    expect(told(others)).toEqual([]);
    return { world, there: once.there };
  };

  it.each([
    ["truncate", "[Earlier conversation left out - 2 messages"],
    ["hybrid", "[Previous conversation summary - 2 messages]"],
  ] as const)("%s leaves them before all else", async (summarizationStrategy, opening) => {
    const { world, there } = await arrived();
    const options = { summarizationStrategy };
    const twice = await over(world, there, to, { options, overrides: windowed(60_000) });
    const [first, ...others] = await entriesOf(world, twice.there);
    expect(first).toMatchObject({ type: "system", content: RULE });
    expect(told(others)).toEqual([]);
    const [note = "", ...said] = story(others);
    expect(note.startsWith(`user: ${opening}`)).toBe(true);
    expect(note).not.toContain(RULE);
    expect(said.slice(0, 2)).toEqual(["user: says u1", "assistant: replies a1"]);
  });

  it("they are left out when that is wanted", async () => {
    const { world, there } = await arrived();
    const twice = await over(world, there, to, { options: { preserveSystemPrompt: false } });
    const entries = await entriesOf(world, twice.there);
    expect(JSON.stringify(entries)).not.toContain(RULE);
    expect(story(entries)[0]).toBe("user: says u0");
    expect(twice.losses.map(({ kind }) => kind)).toContain("instructions_omitted");
  });
});
