// One conversation through three vendors and back to the first, each hop by `switchOver`: the real CLI of each agent
// resumes it against a strict model, and tells it exactly what `prepareSwitch` promised.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { ucfSchema } from "../../src/formats/ucf-schema.ts";
import type { Call, Reply } from "../../src/loopback/reply.ts";
import { sessionId } from "../../src/session/id.ts";
import { undo } from "../../src/storage/undo.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { settleConversations } from "../../src/switch/record.ts";
import { bringBack } from "../../src/switch/return.ts";
import { switchOver } from "../../src/switch/switch-over.ts";
import { join as joined } from "../../src/transform/join.ts";
import { visible } from "../../src/transform/visible.ts";
import { factsOf } from "../../src/verify/facts.ts";
import {
  find,
  type Hop,
  hop,
  MODELS,
  reducing,
  requestFor,
  resumed,
  summarizerAt,
  switchesIn,
  type There,
  type User,
  type Wish,
  withUser,
} from "./hop.ts";
import type { CliName } from "./install.ts";
import { long, longSession, NEWEST, OLDER, OLDEST } from "./long-session.ts";
import { PNG } from "./media.ts";

const CHAIN = ["claude", "gemini", "codex"] as const;

const CALLS: Readonly<Record<(typeof CHAIN)[number], (command: string) => Call>> = {
  claude: (command) => ({ name: "Bash", input: { command, description: "Runs it" } }),
  gemini: (command) => ({ name: "run_shell_command", input: { command } }),
  codex: (cmd) => ({ name: "exec_command", input: { cmd } }),
};

const work = (name: (typeof CHAIN)[number], more = ""): Reply[] => [
  {
    thinking: `**Working** Here ${name} ponders.`,
    text: `Here ${name} works.${more}`,
    calls: [CALLS[name](`echo output of ${name}`)],
  },
  { text: `Here ${name} has worked.` },
];

/** An image in the prompt goes in through the stream of messages. */
async function begun({ rig }: User): Promise<There> {
  const claude = rig("claude");
  const path = await claude.write("dot.png", PNG);
  const file = await claude.write("a.txt", "one\ntwo\nthree\n");
  const image = { type: "base64", media_type: "image/png", data: PNG.toString("base64") };
  const content = [
    { type: "text", text: "What is on this picture?" },
    { type: "image", source: image },
  ];
  const message = { role: "user", content };
  const { id } = await claude.run(
    [...claude.driver.start("").slice(0, -1), "--input-format", "stream-json"],
    [
      {
        thinking: "I compare it with the file.",
        text: "I look at the file too.",
        calls: [{ name: "Read", input: { file_path: path } }, CALLS.claude("echo looked")],
      },
      { thinking: "They are the same.", text: "A dot, as in the file." },
    ],
    { stdin: `${JSON.stringify({ type: "user", message, parent_tool_use_id: null, session_id: "" })}\n` },
  );
  await claude.resume(id, "Change the file", [
    { calls: [{ name: "Read", input: { file_path: file } }] },
    { calls: [{ name: "Edit", input: { file_path: file, old_string: "two", new_string: "2" } }] },
    { text: "And a failure.", calls: [CALLS.claude("echo out; echo err >&2; exit 3")] },
    { text: "Changed, and one command failed." },
  ]);
  await claude.resume(id, "Grüße, 世界 🌍!", [{ text: "Grüße zurück." }]);
  return { agent: "claude", id };
}

const SWITCHES = [
  { fromProvider: "claude", toProvider: "gemini", fromModel: MODELS.claude, toModel: MODELS.gemini },
  { fromProvider: "gemini", toProvider: "openai", fromModel: MODELS.gemini, toModel: MODELS.codex },
  { fromProvider: "openai", toProvider: "claude", fromModel: MODELS.codex, toModel: MODELS.claude },
];

/** Of the texts that follow each other, the parts that a model was told of a chain. */
const SAID = [
  "I look at the file too.",
  "A dot, as in the file.",
  "Change the file",
  "And a failure.",
  "Changed, and one command failed.",
  "Grüße, 世界 🌍!",
  "Grüße zurück.",
];
const workedIn = (name: CliName) => [`Go on, ${name}`, `Here ${name} works.`, `Here ${name} has worked.`];

it("every hop arrives whole, and so does what returns", async () => {
  await withUser(CHAIN, async (user) => {
    const a = await begun(user);
    const own = await Array.fromAsync(visible((await find(user, a)).source).entries());
    const b = await hop(user, a, "gemini", "Go on, gemini", work("gemini"), { reason: "out of quota" });
    expect(b.told.slice(2)).toEqual([...SAID, "Go on, gemini"]);
    const kinds = Map.groupBy(b.promised, ({ type }) => type);
    const counts = Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]));
    expect(counts).toEqual({ text: 2 + SAID.length, image: 2, call: 5, result: 5 });
    expect(b.switched.analysis).toMatchObject({ canSwitch: true, requiresSummarization: false });
    expect(await switchesIn(user, b.there)).toMatchObject([{ ...SWITCHES[0], reason: "out of quota" }]);

    const c = await hop(user, b.there, "codex", "Go on, codex", work("codex"));
    expect(c.told.slice(2)).toEqual([...SAID, ...workedIn("gemini"), "Go on, codex"]);
    expect(await switchesIn(user, c.there)).toMatchObject(SWITCHES.slice(0, 2));

    const d = await hop(user, c.there, "claude", "Go on, claude", work("claude"));
    const all = [...SAID, ...workedIn("gemini"), ...workedIn("codex")];
    expect(d.told.slice(2)).toEqual([...all, "Go on, claude"]);
    expect(/ponders|I compare it/.exec(JSON.stringify(d.asked.request.messages))).toBeNull();
    expect(await switchesIn(user, d.there)).toMatchObject(SWITCHES);

    await returned(user, c.there, b.there);
    await returned(user, b.there, a);
    const added = prepare(visible((await find(user, b.there)).source, { from: b.length }), {
      thinking: "drop",
    });
    const before = { ...visible((await find(user, a)).source), entries: () => replayed(own) };
    const meant = await Array.fromAsync(factsOf(joined(before, added)));
    const home = await resumed(user, a, "Home again", [{ text: "Welcome." }], meant);
    expect(home.told.slice(2)).toEqual([...all, "Home again"]);
    expect(await switchesIn(user, a)).toMatchObject([
      ...SWITCHES.slice(0, 2),
      { fromProvider: "openai", toProvider: "gemini" },
      { fromProvider: "gemini", toProvider: "claude", toModel: MODELS.claude },
    ]);
  });
});

async function returned({ home, batonHome, ...user }: User, from: There, to: There): Promise<void> {
  const { ref, source } = await find({ home }, from);
  const installed = async () => user.rig(to.agent).cli;
  const back = await bringBack({ source, ref, adapters, home, batonHome, installed });
  expect(back).toMatchObject({ agent: to.agent, originalId: to.id, isExtended: true, warnings: [] });
}

async function* replayed<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

function isReduced({ prepared, switched, asked }: Hop, { options }: Wish): number {
  const { analysis } = switched;
  expect(analysis.requiresSummarization).toBe(true);
  expect(analysis.tokens.after).toBeLessThan(analysis.tokens.before);
  const budget = options?.budget ?? 0;
  const { overhead, scale } = prepared.size;
  expect(analysis.tokens.after).toBeLessThanOrEqual(Math.ceil((budget + overhead) * scale));
  const blocks = asked.request.messages.flatMap((message) => message.blocks);
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.callId] : []));
  expect(results).toEqual(calls);
  // Of what the target would have been told: context of the old agent itself is no part of it.
  const left = prepared.reduction?.reduction.leftOut ?? 0;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(prepared.originalMessageCount - prepared.preservedMessageCount);
  return left;
}

it("every hop is reduced, each in another way, and stays one conversation", async () => {
  await withUser(CHAIN, async (user) => {
    const a = await longSession(user);
    const truncating = reducing("truncate", 7000);
    const b = await hop(user, a, "gemini", "Go on, gemini", work("gemini", long("gemini", 1500)), truncating);
    const left = isReduced(b, truncating);
    expect(OLDEST.filter((text) => JSON.stringify(b.asked.body).includes(text.slice(0, 20)))).toEqual([]);
    expect(b.told).toEqual([
      `[Earlier conversation left out - ${left} messages; all of it: baton show claude:${a.id}]`,
      ...OLDER,
      ...NEWEST,
      "Go on, gemini",
    ]);

    const hybrid = reducing("hybrid", 2500);
    const c = await hop(user, b.there, "codex", "Go on, codex", work("codex", long("codex", 9500)), hybrid);
    const summed = isReduced(c, hybrid);
    const [summary = "", ...told] = c.told;
    expect(told).toEqual([...NEWEST, "Go on, gemini", ...said("gemini", 1500), "Go on, codex"]);
    expect(summary).toMatch(new RegExp(`^\\[Previous conversation summary - ${summed} messages\\]\n\n.`));

    await user.rig("codex").resume(c.there.id, "One thing more", [{ text: "One more it is." }]);
    const asked = user.place.loopback.requests.length;
    const summarize = {
      ...reducing("summarize", 600),
      summarizer: summarizerAt(user.place.loopback.url),
    };
    user.place.answer(() => ({ text: SUMMARY }));
    const first = await switchOver(await requestFor(user, c.there, "claude", summarize));
    const summaries = user.place.loopback.requests.slice(asked);
    expect(summaries.map(({ status, violations }) => [status, violations])).toEqual([[200, []]]);
    await isOneLineage(user, [a, b.there, c.there, { agent: "claude", id: first.originalId }]);
    await undo(user.batonHome);
    await settleConversations(user.batonHome);
    await isOneLineage(user, [a, b.there, c.there]);

    const d = await hop(user, c.there, "claude", "Go on, claude", work("claude"), summarize);
    expect(d.told).toEqual([
      `[Previous conversation summary - ${isReduced(d, summarize)} messages]\n\n${SUMMARY}`,
      "One thing more",
      "One more it is.",
      "Go on, claude",
    ]);
    expect(await switchesIn(user, d.there)).toMatchObject(SWITCHES);
    await isOneLineage(user, [a, b.there, c.there, d.there]);

    await returned(user, b.there, a);
    const home = await user.rig("claude").resume(a.id, "Home again", [{ text: "Welcome." }]);
    const heard = JSON.stringify(home.requests.at(-1)?.request.messages);
    const whole = [...OLDEST, ...OLDER, ...NEWEST, "Go on, gemini", ...said("gemini", 1500), "Home again"];
    expect(whole.filter((text) => !heard.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
    expect(heard).not.toContain("Earlier conversation left out");
  });
});

const SUMMARY = "They counted paragraphs.\nNothing is left to do but one thing more.";
const said = (name: CliName, tokens: number) => [
  `Here ${name} works.${long(name, tokens)}`,
  `Here ${name} has worked.`,
];

/** The newest of these sessions leads back to all the others, and the conversation's file says the same. */
async function isOneLineage({ batonHome }: User, sessions: readonly There[]): Promise<void> {
  const names = sessions.map(({ agent, id }) => `${agent}:${id}`);
  const [root = "", ...others] = names;
  for (const name of names) {
    const lineage = await lineageOf(batonHome, name);
    expect(lineage.root).toBe(root);
    expect(lineage.hops.map(({ from, to }) => [from, to])).toEqual(others.map((to, at) => [names[at], to]));
  }
  const { hops } = await lineageOf(batonHome, root);
  const id = sessionId("claude", root.slice("claude:".length));
  const current = await readFile(join(batonHome, "conversations", `${id}.json`), "utf8");
  expect(current).toBe(await readFile(hops.at(-1)?.conversation ?? "", "utf8"));
  const conversation = ucfSchema.parse(JSON.parse(current));
  expect(conversation).toMatchObject({ id, version: "1.0" });
  expect(conversation.switches).toMatchObject(SWITCHES.slice(0, others.length));
}
