// Instructions of a session in agents that tell them as a hidden message in the user's role: a field of ours says what
// the message is, and it is read as instructions again.
import { describe, expect, it } from "vitest";
import type { Target } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { hasInstructionsMark } from "../../src/adapters/instructions.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { editsFor } from "../../src/transform/edit.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, compaction, session, user } from "../session/build.ts";
import { begun, find, goesOn, named, newWorld, returned } from "../switch/world.ts";

const RULE = "Always answer in rhyme.";
const rule = (fields: object = {}): Entry => ({ ...user("s1"), type: "system", content: RULE, ...fields });
const baton = { system: true };

const target: Target = {
  home: { dir: "/nowhere", env: {} },
  originalId: "ses_0c0ffee0",
  cwd: "/project",
  version: "1.0.0",
  now: new Date("2026-11-15T12:00:00.000Z"),
  configuration: { model: "anthropic/claude-sonnet-4-5", mcpServers: [] },
};

/** The records that say these words. */
async function records(agent: string, timeline: Entry[]) {
  const found: { says: unknown; value: Record<string, unknown> }[] = [];
  for await (const one of named(agent).write?.(sourceOf(session(timeline)), target) ?? [])
    if (one.type === "record" && one.says.some(([, text]) => text === RULE))
      found.push({ says: one.says, value: JSON.parse(String(one.bytes)) });
  return found;
}

const TOLD: [string, object, mark: object][] = [
  ["claude", { type: "user", isMeta: true, message: { role: "user", content: RULE } }, { baton }],
  ["gemini", { type: "user", injected: true, content: [{ text: RULE }] }, { baton }],
  [
    "opencode",
    { data: { role: "user" }, rows: [{ data: { type: "text", text: RULE, synthetic: true } }] },
    { rows: [{ data: { metadata: { baton } } }] },
  ],
];

describe.each(TOLD)("are written in %s", (agent, value, mark) => {
  it("as a hidden message of the user's, with a mark", async () => {
    const found = await records(agent, [rule(), user("u1"), assistant("a1")]);
    expect(found).toMatchObject([{ says: [["system", RULE]], value }]);
    expect(found[0]?.value).toMatchObject(mark);
  });

  it.each([
    ["what an agent tells of itself", rule({ injected: true })],
    ["context in the user's role", { ...user("s1"), content: RULE, injected: true } as Entry],
  ])("%s has none", async (_, entry) => {
    const found = await records(agent, [entry, user("u1"), assistant("a1")]);
    expect(found).toMatchObject([{ says: [["user", RULE]], value }]);
    expect(JSON.stringify(found)).not.toContain("baton");
  });
});

const WRITERS = adapters.filter(({ write }) => write).map(({ id }) => id);

describe.each(WRITERS)("in %s", (agent) => {
  const entriesIn = async (world: Awaited<ReturnType<typeof newWorld>>, id: string) => {
    const { source } = await find(world, { agent: named(agent), id });
    const all = await Array.fromAsync(visible(source).entries());
    return all.map(({ type, injected, note, ...entry }) => [
      `${type}${injected ? " injected" : ""}${note ? " note" : ""}`,
      "content" in entry ? entry.content : "",
    ]);
  };
  const SAID = [
    ["user", "says u1"],
    ["assistant", "replies a1"],
  ];

  it.each([
    ["at the beginning", [rule(), user("u1"), assistant("a1")], [["system", RULE], ...SAID]],
    ["behind what was said", [user("u1"), assistant("a1"), rule()], [...SAID, ["system", RULE]]],
    [
      "like a command of the CLI's own",
      [rule({ content: "/help them" }), user("u1"), assistant("a1")],
      [["system", "/help them"], ...SAID],
    ],
    [
      "like context of the CLI's own",
      [rule({ content: "<session_context> is theirs" }), user("u1"), assistant("a1")],
      [["system", "<session_context> is theirs"], ...SAID],
    ],
    [
      "in two, and in several pieces",
      [
        rule(),
        rule({
          id: "s2",
          content: "one\n\ntwo",
          parts: [
            { type: "text", text: "one" },
            { type: "text", text: "two" },
          ],
        }),
        user("u1"),
        assistant("a1"),
      ],
      [["system", RULE], ["system", expect.stringMatching(/^one\n{1,2}two$/)], ...SAID],
    ],
  ])("they are read as instructions: %s", async (_, timeline, told) => {
    const world = await newWorld();
    const { id } = await begun(world, named(agent), timeline as Entry[]);
    expect(await entriesIn(world, id)).toEqual(told);
  });

  it("they stay so in a fork, as they were or with other words, and are gone where they are taken out", async () => {
    const world = await newWorld();
    const there = await begun(world, named(agent), [rule(), user("u1"), assistant("a1")]);
    const { source, ref } = await find(world, there);
    const [first] = await Array.fromAsync(source.entries());
    const entry = first?.id ?? "";
    const fork = async (edits: Partial<Parameters<typeof editsFor>[1]>) => {
      const { originalId } = await carry({
        ...world,
        source,
        from: ref,
        to: named(agent),
        edits: editsFor(source, { drop: [], replace: [], ...edits }),
        kind: "fork",
      });
      return entriesIn(world, originalId);
    };
    expect(await fork({})).toEqual([["system", RULE], ...SAID]);
    const replace = [{ entry, content: "Never answer in rhyme." }];
    expect(await fork({ replace })).toEqual([["system", "Never answer in rhyme."], ...SAID]);
    expect(await fork({ drop: [entry] })).toEqual(SAID);
  });

  it("what was said elsewhere comes back behind them", async () => {
    const world = await newWorld();
    const there = await begun(world, named(agent), [rule(), user("u1"), assistant("a1")]);
    const away = named(agent === "codex" ? "claude" : "codex");
    const { source, ref } = await find(world, there);
    const { originalId } = await carry({ ...world, source, from: ref, to: away, kind: "resume" });
    await goesOn(world, { agent: away, id: originalId }, [user("u2"), assistant("a2")]);
    const back = await returned(world, { agent: away, id: originalId });
    expect(back.there).toMatchObject({ agent: { id: agent }, id: there.id });
    const told = await entriesIn(world, there.id);
    expect(told.filter(([type]) => type !== "switch")).toEqual([
      ["system", RULE],
      ...SAID,
      ["user", "says u2"],
      ["assistant", "replies a2"],
    ]);
  });
});

it("are still there in Gemini CLI when a compaction left them", async () => {
  const world = await newWorld();
  const there = await begun(world, named("gemini"), [rule(), user("u1"), assistant("a1")]);
  const left = [rule({ id: "s2" }), { ...user("u0"), content: "so far", injected: true } as Entry];
  await goesOn(world, there, [compaction("k1", { replacement: left }), user("u2"), assistant("a2")]);
  const { source } = await find(world, there);
  const made = (await Array.fromAsync(source.entries())).find(({ type }) => type === "compaction");
  expect(made).toMatchObject({ summary: "so far", replacement: [{ type: "system", content: RULE }, {}] });
  const told = await Array.fromAsync(visible(source).entries());
  expect(told.map(({ type }) => type)).toEqual(["system", "user", "user", "assistant"]);
});

it.each([[undefined], [null], ["system"], [{ system: "true" }], [{ system: 1 }], [[true]]])(
  "a mark that is none: %j",
  (mark) => {
    expect(hasInstructionsMark({ baton: mark })).toBe(false);
  },
);
