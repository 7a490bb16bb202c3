// Turns that come back are weighed with what the original keeps, before anything is written, for the model that goes on.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { mapped } from "../../src/session/batches.ts";
import type { Entry } from "../../src/session/session.ts";
import type { Range, Source } from "../../src/session/source.ts";
import { findOperation } from "../../src/storage/operations.ts";
import type { ReturnRequest } from "../../src/switch/return.ts";
import { assistant, compaction, user } from "../session/build.ts";
import { contents, entriesOf, over } from "./over.ts";
import { windowed } from "./prepared.ts";
import { begun, carried, find, goesOn, named, newWorld, returned, type There, type World } from "./world.ts";

const OPUS = "claude-opus-4-5-20251101";
const BEGINNING = [user("u1"), assistant("a1")];

/** A reply of about as many tokens. */
const long = (id: string, tokens: number, fields: object = {}): Entry =>
  ({ ...assistant(id), content: "old words ".repeat(tokens / 2), ...fields }) as Entry;

const MORE = [user("u2"), long("a2", 30_000)];

const able = adapters.filter(({ canExtend }) => canExtend).map(({ id }) => id);
const pairs = able.map((id, at) => [id, able[(at + 1) % able.length] ?? id] as const);

async function both(first: string, second: string, more = MORE, beginning = BEGINNING) {
  const world = await newWorld();
  const a = await begun(world, named(first), beginning);
  const b = await carried(world, a, named(second));
  await goesOn(world, b, more);
  return { world, a, b };
}

describe.each(pairs)("from %s to %s and back", (first, second) => {
  it("what would be too much is refused, and nothing is written", async () => {
    const { world, b } = await both(first, second);
    const before = await contents(world);
    for (const dryRun of [false, true])
      await expect(returned(world, b, { overrides: windowed(40_000), dryRun })).rejects.toMatchObject({
        code: "refused",
        message: expect.stringMatching(/^[345]\d,\d{3} tokens → more than 80 % of 40K\.$/),
        hint: `\`baton resume ${second}:${b.id} --in ${first} --strategy hybrid\` makes a new session that fits; --yes returns all of it nevertheless.`,
      });
    expect(await contents(world)).toEqual(before);
  });

  it("is returned where that was asked for, and what it is stands in the record", async () => {
    const { world, b } = await both(first, second);
    const back = await returned(world, b, { overrides: windowed(40_000), yes: true });
    const warnings = [
      expect.stringMatching(/ tokens → more than 80 % of 40K\. A return takes all of it as it is\.$/),
    ];
    expect(back).toMatchObject({ isExtended: true, warnings: [], analysis: { requiresSummarization: true } });
    const made = await findOperation(world.batonHome, back.operation ?? "");
    expect(made.facts).toMatchObject({ switch: { warnings } });
    const mark = (await entriesOf(world, back.there)).findLast(({ type }) => type === "switch");
    expect(mark).toMatchObject({ switch: { warnings } });
  });

  it("says nothing where it fits", async () => {
    const { world, b } = await both(first, second);
    expect((await returned(world, b, { overrides: windowed(80_000) })).warnings).toEqual([]);
  });
});

describe("what is weighed", () => {
  it("is what the original keeps as well", async () => {
    const { world, b } = await both("claude", "codex", [user("u2"), assistant("a2")], [user("u1"), ...MORE]);
    await expect(returned(world, b, { overrides: windowed(40_000) })).rejects.toMatchObject({
      code: "refused",
    });
  });

  it("is not what a compaction took away", async () => {
    const world = await newWorld();
    const a = await begun(world, named("claude"), BEGINNING);
    await goesOn(world, a, [...MORE, compaction("k", { summary: "Short." }), user("u3")]);
    const b = await carried(world, a, named("codex"));
    await goesOn(world, b, [assistant("a3")]);
    expect(await returned(world, b, { overrides: windowed(40_000) })).toMatchObject({
      isExtended: true,
      warnings: [],
    });
  });

  it("is not what stands on another branch", async () => {
    const { world, a, b } = await both("claude", "codex", BEGINNING);
    await goesOn(world, a, MORE);
    const { warnings } = await returned(world, b, { overrides: windowed(40_000) });
    expect(warnings).toEqual([expect.stringContaining("gone on since")]);
  });

  it("is all of the other session where nothing of the original stays", async () => {
    const more = [compaction("k", { summary: "Short." }), user("u3")];
    const { world, b } = await both("claude", "codex", [...MORE, ...more], [user("u1"), ...MORE]);
    expect((await returned(world, b, { overrides: windowed(40_000) })).warnings).toHaveLength(1);
  });
});

describe("what an agent counted", () => {
  it("is believed of the original's own", async () => {
    const reply = long("a1", 100, { model: OPUS, usage: { input: 36_000, output: 10 } });
    const { world, b } = await both("claude", "codex", BEGINNING, [user("u1"), reply]);
    await expect(returned(world, b, { overrides: windowed(40_000) })).rejects.toMatchObject({
      message: expect.stringMatching(/^36,\d{3} tokens/),
    });
  });

  it.each([1, 2])("is not of the other, which may have seen less than there is: return %i", async (times) => {
    const world = await newWorld();
    const a = await begun(world, named("claude"), [user("u1"), long("a1", 50_000)]);
    const { there } = await over(world, a, "opencode", { model: `anthropic/${OPUS}` });
    const again = async (more: Partial<ReturnRequest>) => {
      const { source } = await find(world, there);
      return returned(world, there, { ...more, source: counting(source, 35_000) });
    };
    for (let at = 1; at <= times; at++) {
      await goesOn(world, there, [user(`v${at}`), long(`b${at}`, 100, { model: OPUS })]);
      if (at < times) await again({ yes: true });
    }
    const counts = (await entriesOf(world, a)).flatMap(({ usage }) => usage?.input ?? []);
    expect(counts).toEqual(times === 1 ? [] : [35_000]);
    await expect(again({ overrides: windowed(80_000) })).rejects.toMatchObject({
      message: expect.stringMatching(/^(?:69|70),\d{3} tokens/),
    });
  });

  /** As if the agent had counted each request as that much. */
  function counting(source: Source, input: number): Source {
    const counted = (entry: Entry): Entry =>
      entry.type === "assistant" ? { ...entry, usage: { input, output: 10 } } : entry;
    const entries = (range?: Range) => mapped(source.entries(range), (batch) => batch.map(counted));
    return { ...source, entries };
  }
});

describe("the model that goes on", () => {
  async function large(): Promise<{ world: World; a: There; b: There }> {
    return both("claude", "codex", MORE, [user("u1"), long("a1", 130_000, { model: OPUS })]);
  }

  it("is the original's own where nothing is set", async () => {
    const { world, b } = await large();
    await expect(returned(world, b)).rejects.toMatchObject({
      message: expect.stringMatching(/^1[78]\d,\d{3} tokens → more than 80 % of 200K\.$/),
    });
  });

  it("is the one that the agent is set to", async () => {
    const { world, b } = await large();
    await mkdir(join(world.home.dir, ".claude"), { recursive: true });
    const settings = JSON.stringify({ model: `${OPUS}[1m]` });
    await writeFile(join(world.home.dir, ".claude", "settings.json"), settings);
    expect((await returned(world, b)).warnings).toEqual([]);
  });

  it("is the agent's default where the original is gone, and all of the other session is weighed", async () => {
    const { world, a, b } = await large();
    await rm((await find(world, a)).ref.path);
    await expect(returned(world, b, { overrides: windowed(150_000) })).rejects.toMatchObject({
      message: expect.stringMatching(/^1[78]\d,\d{3} tokens → more than 80 % of 150K\.$/),
    });
    const { warnings } = await returned(world, b);
    expect(warnings).toEqual([expect.stringContaining("gone"), expect.stringContaining("new")]);
  });
});
