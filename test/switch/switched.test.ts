// The mark of a switch, through every agent's store: written as a record of its own, read back where it stood and with
// all that it held, whoever writes the session again.
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import { textsOf } from "../../src/catalog/index/texts.ts";
import type { Entry } from "../../src/session/session.ts";
import { type Stream, sourceOf } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { carry, targetOf } from "../../src/switch/carry.ts";
import { nameOf } from "../../src/switch/name.ts";
import { perform } from "../../src/switch/perform.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { standingOf } from "../../src/switch/standing.ts";
import { loadRedactor } from "../../src/transform/redact.ts";
import { turnsOf } from "../../src/transform/turns.ts";
import { visible } from "../../src/transform/visible.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";
import { begun, carried, find, goesOn, named, newWorld, returned, type There, type World } from "./world.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"];

const first = switched("s1", { reason: "the quota was used up" });
const second = switched("s2", {
  fromProvider: "gemini",
  toProvider: "codex",
  fromModel: "gemini-2.5-pro",
  toModel: "gpt-5.5",
  messageIndex: 6,
  warnings: ["thinking_dropped", ""],
  from: "gemini:1",
  addedLater: { by: ["others", { half: "a\u2028b" }] },
});

const TIMELINE: Entry[] = [
  user("u1"),
  assistant("a1", { turn: "t1" }),
  first,
  user("u2"),
  call("c1", { turn: "t2" }),
  result("c1"),
  assistant("a2", { turn: "t3" }),
  second,
];

const TOLD = ["says u1", "replies a1", first.switch, "says u2", "replies a2", second.switch];

/** What was said, and the switches between. */
async function told(world: World, there: There): Promise<unknown[]> {
  const { source } = await find(world, there);
  const entries = await Array.fromAsync(visible(source).entries());
  return entries.flatMap((entry): unknown[] => {
    if (entry.type === "switch") return [entry.switch];
    return entry.type === "user" || entry.type === "assistant" ? [entryText(entry)] : [];
  });
}

/** Carried with a mark behind all that was there. */
async function carriedWith(world: World, from: There, to: Adapter, mark: Entry): Promise<There> {
  const { ref, source } = await find(world, from);
  const seen = prepare(visible(source), { thinking: "drop" });
  const stream: Stream = {
    ...seen,
    async *entries() {
      yield* seen.entries();
      yield mark;
    },
  };
  const { originalId } = await perform({
    stream,
    to,
    target: await targetOf({ source, to, home: world.home }),
    batonHome: world.batonHome,
    facts: { kind: "resume", source: nameOf(source.header), stood: await standingOf(source, ref) },
  });
  return { agent: to, id: originalId };
}

async function forked(world: World, there: There, timeline?: (entries: Entry[]) => Entry[]): Promise<There> {
  const { ref, source } = await find(world, there);
  const { agent } = there;
  const changed = timeline && {
    ...source,
    async *entries() {
      yield* timeline(await Array.fromAsync(source.entries()));
    },
  };
  const made = await carry({ ...world, source: changed ?? source, from: ref, to: agent, kind: "fork" });
  return { agent, id: made.originalId };
}

describe.each(AGENTS)("in %s", (id) => {
  const agent = named(id);

  it("is read back where it stood, with all its fields", async () => {
    const world = await newWorld();
    const there = await begun(world, agent, TIMELINE);
    expect(await told(world, there)).toEqual(TOLD);
    const { source } = await find(world, there);
    expect(source.header).toMatchObject({ title: id === "codex" ? "says u1" : "How it began" });
    expect(source.header.metadata.messageCount).toBe(5);
  });

  it("is said to be written, once each", async () => {
    const world = await newWorld();
    const source = sourceOf(session([...TIMELINE]));
    const { counts, losses } = await carry({ ...world, source, to: agent, kind: "resume", dryRun: true });
    expect(counts).toMatchObject({ switch: 2, system: 0 });
    expect(losses.filter(({ kind }) => kind === "system_dropped")).toEqual([]);
  });

  it.each(AGENTS)("goes on into %s with all that came before", async (other) => {
    const world = await newWorld();
    const there = await begun(world, agent, TIMELINE);
    const next = await (other === id ? forked(world, there) : carried(world, there, named(other)));
    expect(await told(world, next)).toEqual(TOLD);
  });

  it("stays when the agent goes on", async () => {
    const world = await newWorld();
    const there = await begun(world, agent, TIMELINE);
    await goesOn(world, there, [user("u3"), assistant("a3")]);
    const again = await forked(world, there);
    for (const one of [there, again])
      expect(await told(world, one)).toEqual([...TOLD, "says u3", "replies a3"]);
  });

  it("comes back with the turns that it stands among", async () => {
    const world = await newWorld();
    const there = await begun(world, agent, [user("u1"), assistant("a1")]);
    const away = await carried(world, there, named(id === "claude" ? "gemini" : "claude"));
    await goesOn(world, away, [user("u2"), assistant("a2"), second]);
    const back = await returned(world, away);
    expect(back).toMatchObject({ isExtended: true, originalId: there.id });
    expect(await told(world, there)).toEqual([
      "says u1",
      "replies a1",
      "says u2",
      "replies a2",
      second.switch,
      // The original's own provider has it again.
      expect.objectContaining({ toProvider: agent.badge, messageIndex: 4 }),
    ]);
    // Nothing was said since, whatever was marked.
    expect(await returned(world, away)).toMatchObject({ isNothing: true });
  });

  it.each(AGENTS.filter((other) => other !== id))(
    "at the end of what was carried into %s, turns behind it return",
    async (other) => {
      const world = await newWorld();
      const there = await begun(world, agent, [user("u1"), assistant("a1")]);
      const away = await carriedWith(world, there, named(other), first);
      expect(await told(world, away)).toEqual(["says u1", "replies a1", first.switch]);
      expect(await returned(world, away)).toMatchObject({ isNothing: true });
      await goesOn(world, away, [user("u2"), assistant("a2")]);
      expect(await returned(world, away)).toMatchObject({
        isExtended: true,
        warnings: [],
        originalId: there.id,
      });
      expect(await told(world, there)).toEqual([
        "says u1",
        "replies a1",
        first.switch,
        "says u2",
        "replies a2",
        expect.objectContaining({ toProvider: agent.badge, messageIndex: 4 }),
      ]);
    },
  );

  it("can be left out, or be another one, in a fork", async () => {
    const world = await newWorld();
    const there = await begun(world, agent, TIMELINE);
    const without = await forked(world, there, (entries) => entries.filter(({ type }) => type !== "switch"));
    expect(await told(world, without)).toEqual(TOLD.filter((one) => typeof one === "string"));
    const other = await forked(world, there, (entries) =>
      entries.map((entry) =>
        entry.type === "switch" ? { ...entry, switch: { ...entry.switch, reason: "another" } } : entry,
      ),
    );
    expect(await told(world, other)).toEqual(
      TOLD.map((one) => (typeof one === "string" ? one : { ...(one as object), reason: "another" })),
    );
  });

  it("hides secrets like everything else", async () => {
    const world = await newWorld();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const source = sourceOf(session([user("u1"), assistant("a1"), switched("s1", { reason: secret })]));
    const redactor = await loadRedactor();
    const { originalId } = await carry({ ...world, source, to: agent, kind: "resume", redactor });
    const found = await told(world, { agent, id: originalId });
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(found[2]).toMatchObject({ reason: expect.stringContaining("redacted") });
  });
});

it("is no fact, no text that is searched, and no turn", async () => {
  const source = sourceOf(session([first, user("u1"), assistant("a1"), second]));
  const plain = sourceOf(session([user("u1"), assistant("a1")]));
  expect(await Array.fromAsync(factsOf(visible(source)))).toEqual(
    await Array.fromAsync(factsOf(visible(plain))),
  );
  expect([...textsOf(first)]).toEqual([]);
  const digests = async (one: typeof source) => (await turnsOf(one)).map(({ digest }) => digest);
  expect(await digests(source)).toEqual(await digests(plain));
});
