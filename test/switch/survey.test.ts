// What is found in a session before it is switched: how often, in which messages, and in which entries.
import { describe, expect, it } from "vitest";
import type { Entry, Part } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { surveyed } from "../../src/switch/survey.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";
import { NAMES, sample } from "./samples.ts";
import { find } from "./world.ts";

async function looked(entries: readonly Entry[]) {
  const { stream, survey } = surveyed(sourceOf(session([...entries])));
  await Array.fromAsync(stream.entries());
  return survey;
}

const parts = (...found: Part[]) => ({ parts: found });
/** `entries`: ids, one for each time that it occurs in the entry. */
const mention = (count: number, messages: number[], entries: string[]) => ({
  count,
  messages,
  entries: [...new Set(entries)],
  counts: new Map([...new Set(entries)].map((id) => [id, entries.filter((one) => one === id).length])),
});
const image: Part = { type: "image", mimeType: "image/png", data: "AAAA" };
const named = (entry: Entry, fields: object) => ({ ...entry, ...fields }) as Entry;

const ENTRIES: Entry[] = [
  /* 0 */ user("u1", parts({ type: "text", text: "Look." }, image, image)),
  /* 1 */ named(
    assistant("a1", { turn: "t1", ...parts({ type: "thinking", text: "Hm.", signature: "s" }) }),
    { model: "claude-opus-4-5" },
  ),
  call("c1", { turn: "t1" }),
  named(call("c2", { turn: "t1" }), { tool: "write", input: { path: "/a", content: "" } }),
  /* 2 */ result("c1", parts(image)),
  /* 3 */ result("c2"),
  switched("s1"),
  /* 4 */ named(assistant("a2"), { thinking: "Apart." }),
  named(call("c3"), { tool: "unknown", originalTool: "mcp__one__find" }),
  named(call("c4"), { tool: "unknown", originalTool: "mcp__one__find" }),
  named(call("c5"), { tool: "unknown" }),
  /* 5 */ result("c3"),
  /* 6 */ result("c4"),
  /* 7 */ result("c5"),
  /* 8 */ user("u2", { injected: true }),
  /* 9 */ user("u3", parts({ type: "document", mimeType: "application/pdf", data: "AAAA" })),
  /* 10 */ named(assistant("a3", { turn: "t3" }), { thinking: "", model: "gpt-5.5", citations: [] }),
  named(call("c6", { turn: "t3" }), { tool: "web_search", input: { query: "x" } }),
  named(call("c7", { turn: "t3" }), { tool: "web_fetch", hosted: true }),
  named(call("c8", { turn: "t3" }), { tool: "unknown", originalTool: "code_interpreter", hosted: true }),
  named(call("c9", { turn: "t3" }), {
    tool: "edit",
    input: { changes: [{ path: "/b" }, { path: "/a" }, { path: 7 }, {}] },
  }),
  /* 11 */ result("c6"),
  /* 12 */ assistant("a4", parts({ type: "artifact", text: "x = 1", title: "One" }, image)),
  /* 13 */ user(
    "u4",
    parts({ type: "document", name: "PAPER.PDF" }, { type: "document", name: "notes.txt" }),
  ),
];

describe("a survey", () => {
  it("counts messages as people and as the format count them", async () => {
    expect(await looked(ENTRIES)).toMatchObject({
      messages: 14,
      toolCalls: 9,
      toolResults: 6,
      files: expect.objectContaining({ size: 2 }),
    });
  });

  it("names each feature with its messages and entries", async () => {
    const { features } = await looked(ENTRIES);
    expect(Object.fromEntries(features)).toEqual({
      thinking: mention(2, [1, 4], ["a1", "a2"]),
      hiddenThinking: mention(1, [10], ["a3"]),
      images: mention(3, [0, 2], ["u1", "u1", "r1"]),
      pdfs: mention(2, [9, 13], ["u3", "u4"]),
      webResults: mention(1, [10], ["a3"]),
      webCalls: mention(2, [10], ["c6", "c7"]),
      codeExecution: mention(1, [10], ["c8"]),
      artifacts: mention(1, [12], ["a4"]),
      generatedImages: mention(1, [12], ["a4"]),
      unfinishedCalls: mention(1, [10], ["c9"]),
    });
  });

  it.each<[boolean, Partial<Extract<Part, { type: "document" }>>]>([
    [true, { mimeType: "application/pdf", name: "paper" }],
    [true, { url: "https://example.org/a.pdf?page=2" }],
    [true, { path: "/papers/A.Pdf" }],
    [false, { mimeType: "text/plain", name: "named.pdf" }],
    [false, { mimeType: "text/csv" }],
    [false, { name: "a.pdf.txt" }],
    [false, {}],
  ])("a document is a PDF where it says so: %s %j", async (isOne, fields) => {
    const { features } = await looked([user("u1", parts({ type: "document", ...fields }))]);
    expect(features.has("pdfs")).toBe(isOne);
  });

  it("names tools that are nobody else's", async () => {
    const survey = await looked(ENTRIES);
    expect(Object.fromEntries(survey.otherTools)).toEqual({
      mcp__one__find: mention(2, [4], ["c3", "c4"]),
      unknown: mention(1, [4], ["c5"]),
      code_interpreter: mention(1, [10], ["c8"]),
    });
  });

  it("knows the message of every entry, and none of a switch", async () => {
    const { messageOf, entriesOf } = await looked(ENTRIES);
    expect(ENTRIES.map(({ id }) => messageOf(id))).toEqual([
      0,
      1,
      1,
      1,
      2,
      3,
      undefined,
      4,
      4,
      4,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      10,
      10,
      10,
      10,
      11,
      12,
      13,
    ]);
    expect(messageOf("nobody")).toBeUndefined();
    expect(entriesOf((message) => message < 2)).toEqual(ENTRIES.slice(0, 4).map(({ id }) => id));
  });

  it("finds nothing in a plain conversation", async () => {
    const survey = await looked([user("u1"), assistant("a1")]);
    expect(survey).toMatchObject({ messages: 2, toolCalls: 0, files: new Map() });
    expect([survey.features.size, survey.otherTools.size]).toEqual([0, 0]);
  });

  it.each(NAMES)("says the same when it is read again, and changes nothing: %s", async (name) => {
    const { world, original } = await sample(name);
    const { source } = await find(world, original);
    const plain = await Array.fromAsync(visible(source).entries());
    const { stream, survey } = surveyed(visible(source));
    const seen = () => ({
      ...survey,
      features: new Map(structuredClone([...survey.features])),
      otherTools: new Map(structuredClone([...survey.otherTools])),
      entriesOf: survey.entriesOf(() => true),
      messageOf: plain.map(({ id }) => survey.messageOf(id)),
    });
    expect(await Array.fromAsync(stream.entries())).toEqual(plain);
    const once = seen();
    expect(once.toolCalls).toBeGreaterThan(5);
    expect(await Array.fromAsync(stream.entries())).toEqual(plain);
    expect(seen()).toEqual(once);
    // Every entry that is named belongs to one of the messages that are named.
    for (const { entries, messages } of [...once.features.values(), ...once.otherTools.values()])
      expect(new Set(entries.map(survey.messageOf))).toEqual(new Set(messages));
  });
});
