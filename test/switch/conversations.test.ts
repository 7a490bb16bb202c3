// The conversation across providers as files under $BATON_HOME/conversations: valid, dated, current, nobody else's to
// read, and gone with what they show.
import { mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type Ucf, ucfSchema } from "../../src/formats/ucf-schema.ts";
import type { Entry } from "../../src/session/session.ts";
import { conversationFiles } from "../../src/storage/conversations.ts";
import { undo } from "../../src/storage/undo.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import { conversationId, LARGEST_CONVERSATION, settleConversations } from "../../src/switch/record.ts";
import { loadRedactor } from "../../src/transform/redact.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { modeOf, picture } from "../storage/store.ts";
import { WORDS } from "../transform/secrets.ts";
import { windowed } from "./prepared.ts";
import { conversationsIn, expectInLine, nameOf, switched } from "./run-switch.ts";
import { begun, find, goesOn, named, newWorld, returned, type There, type World } from "./world.ts";

const BEGINNING = [user("u1"), call("c1"), result("c1"), assistant("a1")];
const MORE = [user("u2"), assistant("a2")];

async function filesOf({ batonHome }: World, { agent, id }: There) {
  const lineage = await lineageOf(batonHome, `${agent.id}:${id}`);
  return conversationFiles(batonHome, conversationId(lineage));
}

function ucfIn(path: string): Ucf {
  const ucf: unknown = JSON.parse(readFileSync(path, "utf8"));
  expect(ucfSchema.safeParse(ucf).error).toBeUndefined();
  return ucf as Ucf;
}

const jsonIn = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** From Claude Code to Codex and on to Gemini CLI, with something said in each. */
async function journey() {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const one = await switched(world, a, "codex", { reason: "a limit" });
  await goesOn(world, one.there, MORE);
  const two = await switched(world, one.there, "gemini");
  return { world, a, b: one.there, c: two.there, one, two };
}

describe("after two switches", () => {
  it("there is a dated file for each, and the newest is the current one, byte for byte", async () => {
    const { world, a, one, two } = await journey();
    const { current, meta } = await filesOf(world, a);
    const id = relative(world.batonHome, current).slice("conversations/".length, -".json".length);
    expect(id).toMatch(/^[0-9a-z]{12}$/);
    expect(conversationsIn(world)).toEqual(
      [current, meta, one.backup ?? "", two.backup ?? ""]
        .map((path) => relative(join(world.batonHome, "conversations"), path))
        .toSorted(),
    );
    expect(readFileSync(current)).toEqual(readFileSync(two.backup ?? ""));
    expect(readFileSync(current)).not.toEqual(readFileSync(one.backup ?? ""));
    for (const backup of [one.backup, two.backup])
      expect(backup).toMatch(
        /\/backups\/[0-9a-z]{12}\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{6}\.json$/,
      );
    await expectInLine(world, a);
  });

  it("it says where each provider has its session, and where one took over from another", async () => {
    const { world, a, b, c, one, two } = await journey();
    const ucf = ucfIn(two.backup ?? "");
    const { ref } = await find(world, a);
    expect(ucf.id).toBe(ucfIn(one.backup ?? "").id);
    expect(ucf.providerState).toEqual({
      claude: { sessionId: a.id, sessionFile: ref.path },
      openai: { threadId: b.id },
      gemini: { sessionId: c.id },
    });
    expect(ucf.messages).toHaveLength(6);
    expect(ucf.switches).toMatchObject([
      { fromProvider: "claude", toProvider: "openai", messageIndex: 4, reason: "a limit" },
      { fromProvider: "openai", toProvider: "gemini", messageIndex: 6 },
    ]);
    expect(ucfIn(one.backup ?? "").switches).toHaveLength(1);
  });

  it("the facts beside it say the same as the journal", async () => {
    const { world, a, b, c, two } = await journey();
    const { meta, current } = await filesOf(world, a);
    const { hops } = await lineageOf(world.batonHome, nameOf(c));
    expect(jsonIn(meta)).toEqual({
      id: ucfIn(current).id,
      // Codex has none of its own, and shows what was asked first.
      title: "says u1",
      root: nameOf(a),
      current: nameOf(c),
      updated: hops[1]?.at,
      switches: hops.map((hop) => hop.switch),
      sessions: [nameOf(a), nameOf(b), nameOf(c)],
      conversation: two.backup,
    });
    expect(hops.map((hop) => hop.switch?.messageIndex)).toEqual([4, 6]);
  });

  it("nobody else can read any of it", async () => {
    const { world } = await journey();
    for (const [name, seen] of Object.entries(picture(join(world.batonHome, "conversations"))))
      expect([name, seen.slice(0, 3)]).toEqual([name, name === "backups" ? "700" : "600"]);
    expect(modeOf(join(world.batonHome, "conversations"))).toBe("700");
  });

  it("an undo takes its own away, and the last one all of it", async () => {
    const { world, a, one } = await journey();
    await undo(world.batonHome);
    await settleConversations(world.batonHome);
    const { current } = await filesOf(world, a);
    expect(readFileSync(current)).toEqual(readFileSync(one.backup ?? ""));
    await expectInLine(world, a);
    // Codex has gone on there, so the first one stays.
    await expect(undo(world.batonHome)).rejects.toMatchObject({ code: "refused" });
    await expectInLine(world, a);
  });

  it("and a return, it is one conversation whose newest session is the original", async () => {
    const { world, a, b, c } = await journey();
    await goesOn(world, c, [user("u3"), assistant("a3")]);
    const back = await returned(world, c);
    expect(back.originalId).toBe(b.id);
    await expectInLine(world, a);
    const { current, meta } = await filesOf(world, a);
    expect(jsonIn(meta)).toMatchObject({ root: nameOf(a), current: nameOf(b) });
    expect(ucfIn(current).providerState).toMatchObject({
      openai: { threadId: b.id },
      gemini: { sessionId: c.id },
    });
    expect(ucfIn(current).switches.map(({ messageIndex }) => messageIndex)).toEqual([4, 6, 8]);
    // Where it was added to the original, by the original's own count.
    const made = jsonIn(meta).switches.at(-1);
    expect(made).toMatchObject({ fromProvider: "gemini", toProvider: "openai", messageIndex: 8 });
    const entries = await Array.fromAsync((await find(world, b)).source.entries());
    const kept = entries.flatMap((entry) => (entry.type === "switch" ? [entry.switch.messageIndex] : []));
    expect(kept).toEqual([4, 6, 8]);
    await undo(world.batonHome, back.operation ?? "");
    await settleConversations(world.batonHome);
    await expectInLine(world, a);
    expect(jsonIn(meta)).toMatchObject({ current: nameOf(c) });
  });
});

it("each message is of the model that said it, and of the one that was left where nobody knows", async () => {
  const world = await newWorld();
  const [first, last] = ["claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"];
  const by = (id: string, model: string | undefined) => ({ ...assistant(id), model }) as Entry;
  const a = await begun(world, named("claude"), [
    ...[user("u1"), by("a1", first), user("u2"), by("a2", undefined)],
    ...[user("u3"), by("a3", last)],
  ]);
  const { backup } = await switched(world, a, "codex");
  const { messages, switches } = ucfIn(backup ?? "");
  expect(switches).toMatchObject([{ fromModel: last }]);
  const replies = messages.filter(({ role }) => role === "assistant");
  expect(replies.map(({ provider, model }) => [provider, model])).toEqual([
    ["claude", first],
    ["claude", last],
    ["claude", last],
  ]);
});

it("everything goes with the only switch there was", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  await switched(world, a, "opencode");
  expect(conversationsIn(world)).toHaveLength(3);
  await undo(world.batonHome);
  await settleConversations(world.batonHome);
  expect(conversationsIn(world)).toEqual([]);
});

it("it stays the current one where nothing is to be done", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  await switched(world, a, "codex");
  const { current, meta } = await filesOf(world, a);
  const before = [current, meta].map((path) => statSync(path));
  await settleConversations(world.batonHome);
  const after = [current, meta].map((path) => statSync(path));
  expect(after.map(({ ino, ctimeMs }) => [ino, ctimeMs])).toEqual(
    before.map(({ ino, ctimeMs }) => [ino, ctimeMs]),
  );
});

it("a session that is too large is not written once more, and known all the same", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const { ref } = await find(world, a);
  const files = ref.files.map((file) => ({ ...file, size: LARGEST_CONVERSATION + 1 }));
  const large = await switched(world, a, "codex", { from: { ...ref, files } });
  expect(large.backup).toBeNull();
  const { meta } = await filesOf(world, a);
  expect(conversationsIn(world)).toEqual([relative(join(world.batonHome, "conversations"), meta)]);
  expect([modeOf(join(world.batonHome, "conversations")), modeOf(meta)]).toEqual(["700", "600"]);
  expect(jsonIn(meta)).toMatchObject({
    current: nameOf(large.there),
    conversation: null,
    switches: [{ toProvider: "openai", messageIndex: 4 }],
  });
  const least = ref.files.map((file) => ({ ...file, size: LARGEST_CONVERSATION }));
  const { backup } = await switched(world, a, "codex", { from: { ...ref, files: least } });
  expect(backup).not.toBeNull();
  await expectInLine(world, a);
});

describe("a secret that is hidden", () => {
  const SECRET = WORDS.find(({ kind }) => kind === "github-token")?.secret ?? "";
  const long = { ...result("c1"), output: `${"one line of an output\n".repeat(4_000)}` } as Entry;
  const told: Entry[] = [
    { ...user("u1"), content: `Use ${SECRET} to push.` } as Entry,
    { ...call("c1"), input: { command: `git push https://me:${SECRET}@github.com/a/b` } } as Entry,
    long,
    { ...assistant("a1"), content: `We decided to use ${SECRET}.` } as Entry,
    ...MORE,
  ];

  it.each([
    ["as a whole", {}],
    ["with a summary", { options: { summarizationStrategy: "summarize" }, overrides: windowed(22_000) }],
    ["with clipped outputs", { options: { summarizationStrategy: "hybrid" }, overrides: windowed(30_000) }],
  ] as const)("is nowhere in what was written: %s", async (_, more) => {
    const world = await newWorld();
    const a = await begun(world, named("claude"), told);
    const { ref } = await find(world, a);
    const redactor = await loadRedactor();
    const done = await switched(world, a, "codex", { ...more, redactor });
    expect(done.analysis.requiresSummarization).toBe("options" in more);
    for (const folder of [world.batonHome, join(world.home.dir, ".codex")])
      expect(JSON.stringify(picture(folder))).not.toContain(SECRET);
    expect(readFileSync(done.path, "utf8")).toContain("[redacted: github-token");
    expect(readFileSync(done.backup ?? "", "utf8")).toContain("[redacted: github-token");
    expect(readFileSync(ref.path, "utf8")).toContain(SECRET);
  });
});

it("an id of a session, whatever is in it, is no way out of the folder", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  const { ref, source } = await find(world, a);
  for (const originalId of [
    "../../../outside",
    "/etc/passwd",
    "a\0b",
    "..",
    "",
    "x".repeat(5_000),
    "a:b:c",
  ]) {
    const odd = { ...source, header: { ...source.header, source: { cli: "claude", originalId } } };
    const done = await switched(world, a, "codex", { source: odd, from: ref });
    expect(relative(join(world.batonHome, "conversations", "backups"), done.backup ?? "")).toMatch(
      /^[0-9a-z]{12}\.[^/]+\.json$/,
    );
  }
  const names = conversationsIn(world);
  expect(names).toHaveLength(7 * 3);
  for (const name of names) expect(name).toMatch(/^(?:backups\/)?[0-9a-z]{12}\.[\w.-]*json$/);
});

it("a folder of its own is not taken for one of ours", async () => {
  const world = await newWorld();
  const a = await begun(world, named("claude"), BEGINNING);
  await switched(world, a, "codex");
  const { folder } = await filesOf(world, a);
  mkdirSync(join(folder, "notes"));
  truncateSync((await filesOf(world, a)).meta, 3);
  await settleConversations(world.batonHome);
  expect(statSync(join(folder, "notes")).isDirectory()).toBe(true);
  expect(jsonIn((await filesOf(world, a)).meta)).toMatchObject({ root: nameOf(a) });
});
