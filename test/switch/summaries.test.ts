// Summaries that a model makes: asked for once, kept while a switch fails, gone when it has succeeded, and made of
// nothing that is to be hidden.
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { forgetSummary, keepSummary, keptSummary } from "../../src/storage/summaries.ts";
import type { Summarizer, SummaryRequest } from "../../src/switch/summarize.ts";
import { loadRedactor } from "../../src/transform/redact.ts";
import { assistant, user } from "../session/build.ts";
import { modeOf } from "../storage/store.ts";
import { WORDS } from "../transform/secrets.ts";
import { entriesOf, over, story } from "./over.ts";
import { windowed } from "./prepared.ts";
import { begun, goesOn, named, newWorld, type There, type World } from "./world.ts";

const timeline = (first = "says u0"): Entry[] => [
  { ...user("u0"), content: first } as Entry,
  { ...assistant("a0"), content: "words ".repeat(60_000) } as Entry,
  user("u1"),
  assistant("a1"),
];
const REQUEST = {
  options: { summarizationStrategy: "hybrid" as const },
  overrides: windowed(60_000),
};

function counting(answer = "They spoke of words."): Summarizer & { requests: SummaryRequest[] } {
  const requests: SummaryRequest[] = [];
  const summarizer: Summarizer = async (request) => {
    requests.push(request);
    return answer;
  };
  return Object.assign(summarizer, { requests });
}

async function summariesIn({ batonHome }: World): Promise<string[]> {
  return readdir(join(batonHome, "summaries")).catch((error: NodeJS.ErrnoException) => {
    expect(error.code).toBe("ENOENT");
    return [];
  });
}

/** What stands where the sessions should, so that nothing can be written there. */
async function blocked({ home }: World): Promise<string> {
  const path = join(home.dir, ".codex", "sessions");
  await mkdir(join(home.dir, ".codex"), { recursive: true });
  await writeFile(path, "in the way");
  return path;
}

const opening = async (world: World, there: There) => story(await entriesOf(world, there))[0];

describe("a summary whose switch fails", () => {
  async function failed(content = timeline()) {
    const world = await newWorld();
    const there = await begun(world, named("claude"), content);
    const way = await blocked(world);
    const summarizer = counting();
    const again = (more: object = {}) => over(world, there, "codex", { ...REQUEST, summarizer, ...more });
    await expect(again()).rejects.toThrow();
    const first = summarizer.requests.length;
    expect(first).toBeGreaterThan(0);
    return { world, there, way, summarizer, first, again };
  }

  it("is kept for the next try, which asks nobody, and goes with the switch that succeeds", async () => {
    const { world, way, summarizer, first, again } = await failed();
    const [name = "", ...others] = await summariesIn(world);
    expect(others).toEqual([]);
    const kept = join(world.batonHome, "summaries", name);
    expect(await readFile(kept, "utf8")).toBe("They spoke of words.");
    expect([modeOf(kept), modeOf(join(world.batonHome, "summaries"))]).toEqual(["600", "700"]);
    // As often as it fails.
    await expect(again()).rejects.toThrow();
    expect(summarizer.requests).toHaveLength(first);
    expect(await summariesIn(world)).toEqual([name]);
    await rm(way);
    const { there } = await again();
    expect(summarizer.requests).toHaveLength(first);
    expect(await opening(world, there)).toBe(
      "user: [Previous conversation summary - 2 messages]\n\nThey spoke of words.",
    );
    expect(await summariesIn(world)).toEqual([]);
  });

  it("is no summary of another text", async () => {
    const { world, there, summarizer, first, again } = await failed();
    const long = { ...assistant("a2"), content: "more ".repeat(60_000) } as Entry;
    await goesOn(world, there, [user("u2"), long, user("u3"), assistant("a3")]);
    await expect(again()).rejects.toThrow();
    expect(summarizer.requests.length).toBeGreaterThan(first);
    expect(summarizer.requests.slice(first).some(({ transcript }) => transcript.includes("says u1"))).toBe(
      true,
    );
    expect(await summariesIn(world)).toHaveLength(2);
  });

  it("is none that may be longer or shorter", async () => {
    const { world, summarizer, first, again } = await failed();
    await expect(again({ overrides: windowed(50_000) })).rejects.toThrow();
    expect(summarizer.requests.length).toBe(2 * first);
    expect(summarizer.requests.at(-1)?.maxTokens).not.toBe(summarizer.requests[0]?.maxTokens);
    expect(await summariesIn(world)).toHaveLength(2);
  });

  it("is not there where not all of it was made", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), timeline());
    const summarizer: Summarizer = () => Promise.reject(new Error("socket hang up"));
    await expect(over(world, there, "codex", { ...REQUEST, summarizer })).rejects.toMatchObject({
      code: "failed",
    });
    expect(await summariesIn(world)).toEqual([]);
  });

  it("is not made for a dry run, which spends nothing", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), timeline());
    const summarizer = counting();
    await over(world, there, "codex", { ...REQUEST, summarizer, dryRun: true });
    expect(summarizer.requests).toEqual([]);
    expect(await summariesIn(world)).toEqual([]);
  });
});

it("one that was kept is found by its key alone, until it is forgotten", async () => {
  const { batonHome } = await newWorld();
  expect(await keptSummary(batonHome, "k1")).toBeUndefined();
  await forgetSummary(batonHome, "k1");
  await keepSummary(batonHome, "k1", "one");
  await keepSummary(batonHome, "k2", "two");
  await keepSummary(batonHome, "k1", "one, again");
  expect([await keptSummary(batonHome, "k1"), await keptSummary(batonHome, "k2")]).toEqual([
    "one, again",
    "two",
  ]);
  await forgetSummary(batonHome, "k1");
  expect(await keptSummary(batonHome, "k1")).toBeUndefined();
  expect(await keptSummary(batonHome, "k2")).toBe("two");
});

it("one that nobody came back for goes after a week, when another is kept", async () => {
  const world = await newWorld();
  for (const key of ["old", "week"]) await keepSummary(world.batonHome, key, key);
  const ago = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  await utimes(join(world.batonHome, "summaries", "old.md"), ago(7.1), ago(7.1));
  await utimes(join(world.batonHome, "summaries", "week.md"), ago(6.9), ago(6.9));
  await keepSummary(world.batonHome, "new", "new");
  expect((await summariesIn(world)).toSorted()).toEqual(["new.md", "week.md"]);
});

it("those of others stay when a switch has succeeded, and many at once do not disturb each other", async () => {
  const world = await newWorld();
  const there = await begun(world, named("claude"), timeline());
  await keepSummary(world.batonHome, "other", "of another switch");
  await over(world, there, "codex", { ...REQUEST, summarizer: counting() });
  expect(await summariesIn(world)).toEqual(["other.md"]);
  const keys = Array.from({ length: 20 }, (_, at) => `k${at % 3}`);
  await Promise.all(
    keys.map(async (key) => {
      await keepSummary(world.batonHome, key, key);
      await forgetSummary(world.batonHome, key);
    }),
  );
  expect(await summariesIn(world)).toEqual(["other.md"]);
});

it("the same switch again asks for no summary, and another one does", async () => {
  const world = await newWorld();
  const there = await begun(world, named("claude"), timeline());
  const summarizer = counting();
  const first = await over(world, there, "codex", { ...REQUEST, summarizer });
  const asked = summarizer.requests.length;
  expect(asked).toBeGreaterThan(0);
  const second = await over(world, there, "codex", { ...REQUEST, summarizer });
  expect(second).toMatchObject({ isReused: true, originalId: first.originalId });
  expect(second.analysis).toMatchObject({ requiresSummarization: true, kept: { messages: 2, of: 4 } });
  expect(summarizer.requests).toHaveLength(asked);
  const third = await over(world, there, "codex", { ...REQUEST, summarizer, anew: true });
  expect(third.originalId).not.toBe(first.originalId);
  expect(summarizer.requests).toHaveLength(2 * asked);
});

it.each([
  ["a model that cannot call tools", "codex", { model: "o1-mini" }],
  ["an agent that can only be read", adapters.find(({ write }) => !write)?.id ?? "", {}],
])("nobody is asked for the summary of a switch that cannot be: %s", async (_, to, more) => {
  const world = await newWorld();
  const there = await begun(world, named("claude"), timeline());
  const summarizer = counting();
  await expect(over(world, there, to, { ...REQUEST, ...more, summarizer })).rejects.toMatchObject({
    code: "refused",
    hint: "Pick another agent or model.",
  });
  expect(summarizer.requests).toEqual([]);
  expect(await summariesIn(world)).toEqual([]);
});

describe("a secret in an older turn", () => {
  const SECRET = WORDS.find(({ kind }) => kind === "github-token")?.secret ?? "";
  const told = timeline(`We decided to push with ${SECRET} from now on.`);

  it("is not told to whoever summarises it", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), told);
    const [plain, hidden] = [counting(), counting()];
    await over(world, there, "codex", { ...REQUEST, summarizer: plain });
    // Where nothing is to be hidden it is there.
    expect(JSON.stringify(plain.requests)).toContain(SECRET);
    const redactor = await loadRedactor();
    await over(world, there, "codex", { ...REQUEST, summarizer: hidden, redactor });
    expect(hidden.requests).toHaveLength(plain.requests.length);
    expect(JSON.stringify(hidden.requests)).not.toContain(SECRET);
    expect(JSON.stringify(hidden.requests)).toContain("push with [redacted: github-token");
  });

  it("is in no summary that quotes from it, and in none that is kept", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), told);
    const plain = await over(world, there, "codex", REQUEST);
    expect(await opening(world, plain.there)).toContain(SECRET);
    const redactor = await loadRedactor();
    const hidden = await over(world, there, "codex", { ...REQUEST, redactor });
    expect(JSON.stringify(await entriesOf(world, hidden.there))).not.toContain(SECRET);
    expect(await opening(world, hidden.there)).toContain("push with [redacted: github-token");
  });
});
