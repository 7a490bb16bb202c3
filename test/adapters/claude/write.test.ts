// Sessions of other agents in Claude Code's dialect.

import { posix, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry, Session } from "../../../src/session/session.ts";
import { collect, sourceOf } from "../../../src/session/source.ts";
import { entryText } from "../../../src/session/text.ts";
import { prepare } from "../../../src/switch/prepare.ts";
import { visible } from "../../../src/transform/visible.ts";
import { fc } from "../../property.ts";
import { assistant, call, result, session, user } from "../../session/build.ts";
import { NOW, writtenAndRead } from "./written.ts";

const kinds = (losses: readonly { kind: string }[]) => losses.map(({ kind }) => kind);
const carried = (timeline: Entry[], fields: Partial<Session> = {}) =>
  writtenAndRead(sourceOf(session(timeline, fields)), { title: "A title" });
const message = (line: Record<string, unknown> | undefined) => line?.message as Record<string, unknown>;

describe("every line", () => {
  it("follows the one before it and names session, folder, version and entry point", async () => {
    const { lines } = await carried([user("u1"), assistant("a1"), user("u2")]);
    const thread = lines.filter(({ uuid }) => uuid !== undefined);
    expect(thread.map(({ type }) => type)).toEqual(["user", "assistant", "user"]);
    let parent: unknown = null;
    for (const line of thread) {
      expect(line).toMatchObject({
        parentUuid: parent,
        sessionId: "0c0ffee0-0000-4000-8000-000000000001",
        cwd: "/home/dev/project",
        version: "2.1.325",
        entrypoint: "cli",
        isSidechain: false,
      });
      parent = line.uuid;
    }
    expect(lines.slice(3)).toMatchObject([
      { type: "custom-title", customTitle: "A title" },
      { type: "last-prompt", lastPrompt: "says u2", leafUuid: parent },
    ]);
  });

  it("keeps its time, unless that is no time or lies ahead", async () => {
    const times = ["2026-01-01T10:00:00.000Z", "2030-01-01T00:00:00.000Z", "yesterday"];
    const { lines } = await carried(times.map((timestamp, at) => ({ ...user(`u${at}`), timestamp })));
    const now = NOW.toISOString();
    expect(lines.slice(0, 3).map(({ timestamp }) => timestamp)).toEqual([times[0], now, now]);
  });

  it("is the same when it is written again", async () => {
    const first = await carried([user("u1"), call("c1"), result("c1")]);
    const second = await carried([user("u1"), call("c1"), result("c1")]);
    expect(first.lines).toEqual(second.lines);
  });

  it("holds no half characters", async () => {
    const { lines, source, losses } = await carried([{ ...user("u1"), content: "a \ud800 b" } as Entry]);
    expect(losses.map(({ kind }) => kind)).toContain("text_replaced");
    expect(message(lines[0]).content).toBe("a \ufffd b");
    expect((await collect(source)).timeline[0]).toMatchObject({ content: "a \ufffd b" });
  });
});

describe("a model message", () => {
  it("has one id for all its lines, and its parallel results hang below their calls", async () => {
    const turn = { turn: "t1" };
    const { lines } = await carried([
      user("u1"),
      assistant("a1", turn),
      call("c1", turn),
      call("c2", turn),
      result("c1"),
      result("c2"),
      assistant("a2"),
    ]);
    const [, text, first, second, one, two, after] = lines;
    expect(new Set([text, first, second].map((line) => message(line).id)).size).toBe(1);
    expect(message(after).id).not.toBe(message(text).id);
    expect(one).toMatchObject({ parentUuid: first?.uuid, sourceToolAssistantUUID: first?.uuid });
    expect(two).toMatchObject({ parentUuid: second?.uuid });
    expect(after).toMatchObject({ parentUuid: two?.uuid });
  });

  it("of another vendor takes a model name that makes the CLI choose its default silently", async () => {
    const foreign: Entry = { ...assistant("a1"), model: "gpt-5", usage: { input: 1, output: 2 } };
    const own: Entry = { ...assistant("a2"), model: "claude-opus-5-5", usage: { input: 3, output: 4 } };
    const { lines, losses, source } = await carried([user("u1"), foreign, user("u2"), own]);
    expect(message(lines[1]).model).toBe("<synthetic>");
    expect(message(lines[3]).model).toBe("claude-opus-5-5");
    expect(kinds(losses)).toEqual(["model_changed", "usage_dropped"]);
    expect(source.header.metadata.tokens).toMatchObject({ input: 3, output: 4 });
  });

  it("keeps thinking only under a signature of a Claude model", async () => {
    const thought = (signature?: string) => [
      { type: "thinking" as const, text: "hm", ...(signature && { signature }) },
      { type: "text" as const, text: "so" },
    ];
    const own: Entry = { ...assistant("a1", { parts: thought("s") }), model: "claude-opus-5-5" };
    const kept = await carried([user("u1"), own]);
    expect(message(kept.lines[1]).content).toEqual([{ type: "thinking", thinking: "hm", signature: "s" }]);
    const dropped = await carried([user("u1"), assistant("a1", { parts: thought() })]);
    expect(kinds(dropped.losses)).toEqual(["thinking_dropped"]);
    expect(dropped.lines).toHaveLength(4);
  });
});

describe("content", () => {
  const png = { type: "image" as const, mimeType: "image/png", data: "iVBORw0KGgo=" };
  const pdf = { type: "document" as const, mimeType: "application/pdf", data: "JVBERi0=", name: "a.pdf" };

  it("keeps images and PDFs as they are, in messages and in results", async () => {
    const said = user("u1", { parts: [{ type: "text", text: "look" }, png, pdf] });
    const { lines, source } = await carried([said, call("c1"), result("c1", { parts: [png] })]);
    expect(message(lines[0]).content).toEqual([
      { type: "text", text: "look" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png.data } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: pdf.data },
        title: "a.pdf",
      },
    ]);
    const { timeline } = await collect(source);
    expect(timeline[0]?.parts?.slice(1)).toEqual([png, pdf]);
    expect(timeline[2]?.parts).toEqual([png]);
  });

  it("that the API refuses becomes a note, and says so", async () => {
    const tiff = { ...png, mimeType: "image/tiff", data: "SUkqAAgAAAA=", name: "scan.tiff" };
    const word = { ...pdf, mimeType: "application/msword", name: "letter.doc" };
    const huge = { ...png, data: `${png.data.slice(0, 8)}${"A".repeat(8_000_000)}` };
    const named = { ...pdf, data: "AAAA", name: "so-called.pdf" };
    const { lines, losses } = await carried([user("u1", { parts: [tiff, word, huge, named] })]);
    expect(JSON.stringify(lines[0])).toContain("[Image: scan.tiff]");
    expect(JSON.stringify(lines[0])).toContain("[Document: letter.doc]");
    expect(JSON.stringify(lines[0])).toContain("[Document: so-called.pdf]");
    const dropped = ["image_dropped", "document_dropped", "image_dropped", "document_dropped"];
    expect(kinds(losses)).toEqual(dropped);
  });

  it("is named by what its bytes are, because the API looks at them", async () => {
    const { lines, losses } = await carried([user("u1", { parts: [{ ...png, mimeType: "image/jpeg" }] })]);
    expect(message(lines[0]).content).toMatchObject([{ type: "image", source: { media_type: "image/png" } }]);
    expect(kinds(losses)).toEqual([]);
    const broken = await carried([user("u1", { parts: [{ ...png, data: "AA==" }] })]);
    expect(kinds(broken.losses)).toEqual(["image_dropped"]);
  });

  it("that the model made follows its words in the user's role", async () => {
    const { lines, losses } = await carried([
      user("u1"),
      { ...assistant("a1"), parts: [{ type: "text", text: "Here" }, png] } as Entry,
      user("u2"),
    ]);
    expect(lines.slice(1, 3).map(message)).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: "Here" }] },
      { role: "user", content: [{ type: "image", source: { data: png.data } }] },
    ]);
    expect(lines[2]).toMatchObject({ isMeta: true });
    expect(kinds(losses)).toEqual(["role_changed"]);
  });

  it("of a failed result is text only, because the CLI sends nothing else", async () => {
    const failed = {
      ...result("c1", { parts: [{ type: "text", text: "no" }, png] }),
      success: false,
    } as Entry;
    const { losses, lines } = await carried([call("c1"), failed]);
    expect(kinds(losses)).toContain("image_dropped");
    expect(message(lines[1]).content).toMatchObject([{ is_error: true, content: [{ text: "no" }] }]);
  });

  it("of system messages reaches the model as a hidden user message", async () => {
    const { lines, losses } = await carried([
      { ...user("s1"), type: "system", content: "be brief" } as Entry,
    ]);
    expect(lines[0]).toMatchObject({ type: "user", isMeta: true, message: { content: "be brief" } });
    expect(kinds(losses)).toEqual(["role_changed"]);
  });

  it("that no model saw is left out, and empty messages are too", async () => {
    const note: Entry = { ...user("n1"), type: "system", content: "status", note: true };
    const { lines, losses } = await carried([note, { ...user("u1"), content: " \n" } as Entry, user("u2")]);
    expect(lines).toHaveLength(3);
    expect(kinds(losses)).toEqual(["system_dropped", "text_dropped"]);
  });
});

it("a compaction is one again, with what it keeps", async () => {
  const compaction: Entry = {
    ...user("k"),
    type: "compaction",
    summary: "what was",
    keeps: ["u2", "c1"],
  } as Entry;
  const { source } = await carried([
    user("u1"),
    user("u2"),
    call("c1"),
    result("c1"),
    compaction,
    user("u3"),
  ]);
  const seen = await Array.fromAsync(visible(source).entries());
  expect(seen.map((entry) => ("content" in entry ? entry.content : entry.type))).toEqual([
    "what was",
    "says u2",
    "tool_call",
    "tool_result",
    "says u3",
  ]);
});

it("a subagent becomes a file of its own, linked to its call", async () => {
  const child = session([user("x1"), assistant("x2")], {
    source: { cli: "codex", originalId: "child" },
    title: "Look",
  });
  const links = [{ type: "subagent" as const, session: "codex:child", entry: "c1", label: "Look" }];
  const { losses, source, files } = await carried([user("u1"), call("c1"), result("c1")], {
    links,
    children: [child],
  });
  expect(kinds(losses)).toContain("subagent_linked");
  expect([...files.keys()].filter((path) => path.includes("/subagents/agent-"))).toHaveLength(2);
  const meta = [...files].find(([path]) => path.endsWith(".meta.json"));
  expect(JSON.parse(String(meta?.[1]))).toMatchObject({ toolUseId: "c1", description: "Look" });
  expect(source.header.links).toMatchObject([{ type: "subagent", entry: "c1" }]);
  const [read] = await Array.fromAsync(source.children());
  expect(`claude:${read?.header.source.originalId}`).toBe(source.header.links?.[0]?.session);
  expect((await collect(read!)).timeline).toMatchObject([{ content: "says x1" }, { content: "replies x2" }]);
});

describe("any session", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.constantFrom("<command-name>x", "[Request interrupted by user]", "\u2028"),
  );
  const id = fc.integer({ min: 0, max: 10_000 }).map((n) => `id:${n}`);
  const said = fc.record({
    type: fc.constantFrom("user", "assistant", "system"),
    content: text,
    turn: fc.constantFrom(undefined, "t1", "t2"),
  });
  const tool = fc.oneof(
    fc.record({ tool: fc.constant("bash"), input: fc.record({ command: text }) }),
    fc.record({ tool: fc.constant("read"), input: fc.record({ path: text, limit: fc.nat() }) }),
    fc.record({ tool: fc.constant("write"), input: fc.record({ path: text, content: text }) }),
    fc.record({
      tool: fc.constant("edit"),
      input: fc.record({
        path: text,
        edits: fc.array(fc.record({ old: text, new: text }), { maxLength: 3 }),
      }),
    }),
    fc.record({ tool: fc.constant("unknown"), input: fc.dictionary(fc.constantFrom("a", "b"), text) }),
  );
  const exchange = fc.record({
    calls: fc.array(fc.tuple(id, tool, fc.boolean(), text), { minLength: 1, maxLength: 3 }),
  });
  const timeline = fc.array(fc.oneof(said, exchange), { maxLength: 10 }).map((items) => {
    const used = new Set<string>();
    return items.flatMap((item, at): Entry[] => {
      const base = { id: `e${at}`, timestamp: "2026-01-02T03:04:05.000Z" };
      if (!("calls" in item)) return [{ ...base, ...item } as Entry];
      const calls = item.calls.filter(([name]) => !used.has(name) && used.add(name));
      return [
        ...calls.map(
          ([name, what]) =>
            ({
              ...base,
              id: name,
              type: "tool_call",
              turn: `x${at}`,
              originalTool: "theirs",
              ...what,
            }) as Entry,
        ),
        ...calls.map(
          ([name, , success, output]) =>
            ({ ...base, id: `r${name}`, type: "tool_result", callId: name, success, output }) as Entry,
        ),
      ];
    });
  });

  it("reads back as it was, except for the losses that were reported", async () => {
    await fc.assert(
      fc.asyncProperty(timeline, async (entries) => {
        const stream = prepare(visible(sourceOf(session(entries))), { thinking: "drop" });
        const meant = await Array.fromAsync(stream.entries());
        const { source, says, losses } = await writtenAndRead(stream).catch((error: Error) => {
          // Nothing to say, nothing written.
          if (meant.every(isEmpty)) return { source: undefined, says: [], losses: [] };
          throw error;
        });
        if (!source) return;
        const found = (await collect(source)).timeline;
        expect(found.map(saying)).toEqual(says);
        expect(found.filter(isFirst).map(fact)).toEqual(meant.filter((entry) => !isEmpty(entry)).map(fact));
        const calls = meant.filter((entry) => entry.type === "tool_call");
        const named = found.filter((entry) => entry.type === "tool_call");
        expect(named.map(({ tool: name, input }) => [name, input])).toEqual(calls.flatMap(asClaude));
        // Nothing about a call changes in silence; what is said of several is said once, with their number.
        const told = losses.filter(({ kind }) => kind.startsWith("tool_"));
        const count = told.map(({ detail }) => Number(/\((\d+) times\)$/.exec(detail)?.[1] ?? 1));
        expect(count.reduce((sum, one) => sum + one, 0)).toBe(calls.length);
      }),
      { numRuns: 150 },
    );
  });
});

const isEmpty = (entry: Entry) => "content" in entry && entry.content.trim() === "";

/** Calls that became several are numbered from the second one on. */
const isFirst = (entry: Entry) =>
  entry.type === "tool_call"
    ? !/^id-\d+-\d+$/.test(entry.id)
    : !(entry.type === "tool_result" && entry.output.startsWith("[Step "));

function saying(entry: Entry): [string, string] {
  return [entry.type, entryText(entry)];
}

/** What must be read again for a call: its arguments, with an absolute path; an edit for each replacement. */
function asClaude({ tool, input }: Extract<Entry, { type: "tool_call" }>): [string, unknown][] {
  const whole = JSON.parse(JSON.stringify(input), (_, value) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
  if (tool === "unknown") return [[tool, whole]];
  if (tool === "bash") return [[tool, whole]];
  const { path, edits } = whole;
  const isWhole = path === "" || posix.isAbsolute(path) || win32.isAbsolute(path);
  const file = { ...whole, path: isWhole ? path : posix.join("/home/dev/project", path) };
  if (tool !== "edit") return [[tool, file]];
  // An edit that replaces nothing has no counterpart and is kept as it is.
  if (edits.length === 0) return [["unknown", whole]];
  return edits.map((edit: unknown) => [tool, { ...file, edits: [edit] }]);
}

function fact(entry: Entry): unknown {
  switch (entry.type) {
    case "tool_call":
      return [entry.type];
    case "tool_result":
      return [entry.type, entry.success, entry.output.toWellFormed()];
    default:
      return [entry.type, "content" in entry ? entry.content.toWellFormed() : ""];
  }
}
