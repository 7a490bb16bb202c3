// A session without its secrets: every text of it, its subagents included, and nothing that ties it together.
import { beforeAll, describe, expect, it } from "vitest";
import type { Entry, Session } from "../../src/session/session.ts";
import { collect, sourceOf } from "../../src/session/source.ts";
import { loadRedactor, type Redactor } from "../../src/transform/redact.ts";
import { redacted } from "../../src/transform/redact-session.ts";
import { thread, visible } from "../../src/transform/visible.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { WORDS } from "./secrets.ts";

const SECRET = WORDS.find(({ kind }) => kind === "github-token")?.secret ?? "";
const MARK = "[redacted: github-token 1]";
const base64 = (text: string) => Buffer.from(text).toString("base64");

let redactor: Redactor;
beforeAll(async () => {
  redactor = await loadRedactor();
});

const shown = async (given: Session) => collect(redacted(sourceOf(given), redactor), { records: true });
const shownEntry = async (entry: Entry) => (await shown(session([entry]))).timeline[0];

describe("every text of an entry", () => {
  it.each<[string, Entry]>([
    ["a prompt", { ...user("u"), content: `use ${SECRET}` } as Entry],
    ["a reply", { ...assistant("a"), content: `used ${SECRET}` } as Entry],
    ["thinking", assistant("a", { thinking: `hm, ${SECRET}` })],
    ["thinking in a part", assistant("a", { parts: [{ type: "thinking", text: SECRET }] })],
    ["a text in a part", user("u", { parts: [{ type: "text", text: SECRET }] })],
    ["code in a part", user("u", { parts: [{ type: "code", code: SECRET, language: "sh" }] })],
    ["an artifact", user("u", { parts: [{ type: "artifact", title: SECRET, text: SECRET }] })],
    ["an error in a part", user("u", { parts: [{ type: "error", text: SECRET }] })],
    ["the address of an image", user("u", { parts: [{ type: "image", url: `https://a/?t=${SECRET}` }] })],
    ["arguments", { ...call("c1"), input: { a: [{ b: `x ${SECRET}` }] } } as Entry],
    ["native arguments", { ...call("c1"), originalInput: { cmd: ["sh", `-c ${SECRET}`] } } as Entry],
    ["native arguments as a string", { ...call("c1"), originalInput: `{"a":"x\\n${SECRET}"}` } as Entry],
    ["an output", { ...result("c1"), output: `ok\n${SECRET}\n` } as Entry],
    ["an error", { ...result("c1"), success: false, error: `no ${SECRET}` } as Entry],
    ["details", { ...result("c1"), details: { patch: `+${SECRET}`, exitCode: 1 } } as Entry],
    ["a note", { ...user("u"), type: "system", content: SECRET } as Entry],
    ["a summary", compaction("k", { summary: `It used ${SECRET}.` })],
    [
      "what a compaction left",
      compaction("k", { replacement: [{ ...user("u"), content: SECRET } as Entry] }),
    ],
    ["a field that nobody knows", { ...user("u"), ...{ more: { deep: [SECRET] } } } as Entry],
  ])("%s", async (_, entry) => {
    const now = await shownEntry(entry);
    expect(JSON.stringify(now)).toBe(JSON.stringify(entry).replaceAll(SECRET, MARK));
  });

  it("stays where there is nothing to hide", async () => {
    const entries = [user("u"), assistant("a"), call("c1"), result("c1"), compaction("k", { summary: "s" })];
    const given = session(entries, { title: "t", links: [{ type: "chain", session: "a:b", label: "l" }] });
    expect(await shown(given)).toEqual(given);
    const found = await Array.fromAsync(redacted(sourceOf(given), redactor).entries());
    expect(found[0]).toBe(given.timeline[0]);
  });

  it("keeps what ties entries together", async () => {
    const entry = {
      ...result(SECRET, { turn: SECRET, parent: SECRET }, SECRET),
      model: SECRET,
      output: "fine",
    };
    expect(await shownEntry(entry as Entry)).toEqual(entry);
  });
});

describe("a signature", () => {
  const part = { type: "thinking", text: `hm, ${SECRET}`, signature: "signed" } as const;

  it("goes with the thinking that it was for, and stays with other thinking", async () => {
    const other = { type: "thinking", text: "hm", signature: "other" } as const;
    const now = await shownEntry(assistant("a", { parts: [part, other] }));
    expect(now?.parts).toEqual([{ type: "thinking", text: `hm, ${MARK}` }, other]);
  });

  it("goes with the call that it was for", async () => {
    const signed = { ...call("c1"), signature: "signed" } as Entry;
    expect(await shownEntry(signed)).toEqual(signed);
    const now = await shownEntry({ ...signed, input: { command: SECRET } } as Entry);
    expect(now).not.toHaveProperty("signature");
  });
});

describe("bytes", () => {
  it("stay, unless they are a text", async () => {
    const data = base64(`key ${SECRET}`);
    const parts = [
      { type: "image", mimeType: "image/png", data },
      { type: "document", mimeType: "application/pdf", data },
      { type: "document", mimeType: "text/plain", data, name: "notes.txt" },
      { type: "document", mimeType: "application/json", data },
    ] as const;
    const now = await shownEntry(user("u", { parts: [...parts] }));
    expect(now?.parts?.slice(0, 2)).toEqual(parts.slice(0, 2));
    expect(now?.parts?.slice(2).map((one) => (one as { data?: string }).data)).toEqual([
      base64(`key ${MARK}`),
      base64(`key ${MARK}`),
    ]);
  });
});

describe("a session", () => {
  const whole = session([user("u")], {
    title: `About ${SECRET}`,
    summary: SECRET,
    project: { path: "/project", git: { remote: `https://me:${SECRET}@github.com/a/b` } },
    model: { provider: "p", model: "m", config: { key: SECRET } },
    links: [{ type: "subagent", session: "a:b", label: `find ${SECRET}` }],
    records: [{ index: 0, raw: JSON.stringify({ content: SECRET }) }],
    children: [session([{ ...user("x"), content: SECRET } as Entry], { id: "child", title: SECRET })],
  });

  it("has no secrets in its header, its subagents and its records", async () => {
    const now = await shown(whole);
    expect(JSON.stringify(now)).not.toContain(SECRET);
    expect(now.title).toBe(`About ${MARK}`);
    expect(now.project).toEqual({ path: "/project", git: { remote: `https://me:${MARK}@github.com/a/b` } });
    expect(now.links?.[0]?.label).toBe(`find ${MARK}`);
    expect(now.records).toBeUndefined();
    expect(now.children).toMatchObject([{ title: MARK, timeline: [{ content: MARK }] }]);
  });

  it("says what was hidden, once all of it was read", async () => {
    const source = redacted(sourceOf(whole), redactor);
    await collect(source);
    expect(source.losses.map(({ kind, severity, detail }) => [kind, severity, detail])).toEqual([
      ["records_withheld", "info", "they stay in the source"],
      ["secrets_redacted", "warning", "1 github-token"],
    ]);
    const clean = redacted(sourceOf(session([user("u")])), redactor);
    await collect(clean);
    expect(clean.losses).toEqual([]);
  });

  it("has no secrets in what was said of it", () => {
    const source = sourceOf(session([]));
    const lost = {
      ...source,
      losses: [{ kind: "record_unknown", severity: "info", at: {}, detail: SECRET }],
    };
    expect(redacted(lost as typeof source, redactor).losses[0]?.detail).toBe(MARK);
  });

  it("is a source like any other", async () => {
    const given = session([{ ...user("u"), content: SECRET } as Entry, assistant("a"), user("v")]);
    const source = redacted(sourceOf(given), redactor);
    const ids = async (entries: AsyncIterable<Entry>) => (await Array.fromAsync(entries)).map(({ id }) => id);
    expect(await ids(source.entries({ from: 1, to: 2 }))).toEqual(["a"]);
    expect(await ids(visible(source).entries())).toEqual(["u", "a", "v"]);
    for await (const one of thread(source).entries()) expect(JSON.stringify(one)).not.toContain(SECRET);
  });

  it("is asked for whole texts, because one that stays in its file cannot be looked through", async () => {
    const source = sourceOf(whole);
    const asked: unknown[] = [];
    const noting = {
      ...source,
      entries: (range = {}) => {
        asked.push(range);
        return source.entries(range);
      },
    };
    await Array.fromAsync(redacted(noting, redactor).entries({ from: 0, texts: "referenced" }));
    expect(asked).toEqual([{ from: 0, texts: "whole" }]);
  });
});
