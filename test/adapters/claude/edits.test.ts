// A session that was edited in the universal form and is given back: each edit is in the file, or is reported.
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Entry, Session } from "../../../src/session/session.ts";
import { collect, sourceOf } from "../../../src/session/source.ts";
import { thread, visible } from "../../../src/transform/visible.ts";
import { fc } from "../../property.ts";
import { FIXTURES, openFixture, openLines } from "./open.ts";
import { writtenAndRead } from "./written.ts";

const names = readdirSync(FIXTURES);
const TIME = "2024-05-06T07:08:09.000Z";

async function documentOf(name: string): Promise<Session> {
  const session = await collect(await openFixture(name), { records: true });
  return JSON.parse(JSON.stringify(session)) as Session;
}

/** Edits the document, writes it and reads it again. */
async function edited(document: Session, edit: (session: Session) => unknown) {
  const before = structuredClone(document);
  edit(document);
  // As `convert` asks for it.
  const more = { title: document.title ?? "", cwd: document.project.path };
  const { source, losses, lines, files } = await writtenAndRead(sourceOf(document), more);
  const after = await collect(source);
  const ignored = losses.filter(({ kind }) => kind === "edit_ignored");
  return { before, after, losses, ignored, lines, files };
}

describe.each(names)("%s, unedited", (name) => {
  it("has no edits to report", async () => {
    const source = await openFixture(name);
    for (const stream of [source, thread(source), visible(source), sourceOf(await documentOf(name))]) {
      const { losses } = await writtenAndRead(stream, { title: stream.header.title ?? "" });
      expect(losses.filter(({ kind }) => kind === "edit_ignored")).toEqual([]);
    }
  });
});

describe("of the session as a whole", () => {
  it("a new title is given", async () => {
    const { after, lines } = await edited(await documentOf("tools"), (session) => {
      session.title = "Another title";
    });
    expect(after.title).toBe("Another title");
    expect(lines.at(-1)).toMatchObject({ type: "custom-title", customTitle: "Another title" });
  });

  it("another branch becomes the current one", async () => {
    const document = await documentOf("branches");
    const off = document.timeline.find((entry) => "content" in entry && entry.content === "Right reply");
    const { after, ignored, lines } = await edited(document, (session) => {
      session.head = off?.id ?? "";
    });
    expect(ignored).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ type: "last-prompt", leafUuid: off?.id });
    expect(after.head ?? after.timeline.at(-1)?.id).toBe(off?.id);
  });

  it("an earlier entry of the same branch cannot be the newest", async () => {
    const { ignored } = await edited(await documentOf("tools"), (session) => {
      session.head = session.timeline[0]?.id ?? "";
    });
    expect(ignored).toHaveLength(1);
  });

  it("another folder is named by every record", async () => {
    const { after, ignored, lines } = await edited(await documentOf("tools"), (session) => {
      session.project.path = "/elsewhere";
    });
    expect(ignored).toEqual([]);
    expect(after.project.path).toBe("/elsewhere");
    expect(new Set(lines.flatMap(({ cwd }) => cwd ?? []))).toEqual(new Set(["/elsewhere"]));
  });

  it("facts that only the records hold are reported", async () => {
    const { ignored } = await edited(await documentOf("tools"), (session) => {
      session.model.model = "claude-other";
      session.project.git = { branch: "other" };
      session.summary = "Other";
    });
    expect(ignored).toHaveLength(3);
  });
});

describe("of an entry", () => {
  it("model, time and token counts are written", async () => {
    const { after, before, ignored } = await edited(await documentOf("tools"), (session) => {
      for (const entry of session.timeline) {
        entry.timestamp = TIME;
        if (entry.model !== undefined) entry.model = "claude-opus-4-1";
        if (entry.usage) entry.usage = { input: 987, output: 654, cacheRead: 32 };
      }
    });
    expect(ignored).toEqual([]);
    const facts = ({ timestamp, model, usage }: Entry) => ({ timestamp, model, usage });
    expect(after.timeline.map(facts)).toEqual(
      before.timeline.map(({ model, usage }) => ({
        timestamp: TIME,
        model: model && "claude-opus-4-1",
        usage: usage && { input: 987, output: 654, cacheRead: 32 },
      })),
    );
  });

  it("what no record of its kind names is reported", async () => {
    const { ignored } = await edited(await documentOf("tools"), (session) => {
      const [first] = session.timeline;
      if (first) Object.assign(first, { model: "claude-x", timestamp: "soon" });
    });
    expect(ignored).toHaveLength(2);
  });

  it("what a compaction keeps, and when it was", async () => {
    const keepsIn = (session: Session) =>
      session.timeline.flatMap((entry) => (entry.type === "compaction" ? [entry.keeps ?? []] : []));
    const document = await documentOf("compacted");
    const first = document.timeline[0]?.id ?? "";
    expect(keepsIn(document).flat()).not.toEqual([]);
    for (const keeps of [[], [first]]) {
      const { after, ignored } = await edited(structuredClone(document), (session) => {
        for (const entry of session.timeline)
          if (entry.type === "compaction") Object.assign(entry, { keeps, timestamp: TIME });
      });
      expect(ignored).toEqual([]);
      for (const found of keepsIn(after)) expect(found).toEqual(keeps);
      const compaction = after.timeline.find(({ type }) => type === "compaction");
      expect(compaction?.timestamp).toBe(TIME);
    }
  });

  it("arguments keep the tool they belong to, with all that is not universal", async () => {
    const calls = [
      { id: "g", name: "Grep", input: { pattern: "x", "-n": true, head_limit: 5 } },
      {
        id: "m",
        name: "MultiEdit",
        input: { file_path: "/a", edits: [{ old_string: "a", new_string: "b" }] },
      },
      { id: "b", name: "Bash", input: { command: "ls", run_in_background: true, sandbox: false } },
    ];
    const source = await openLines([
      ...calls.map((call, at) => ({
        type: "assistant",
        uuid: `a${at}`,
        cwd: "/project",
        timestamp: TIME,
        message: { id: `m${at}`, content: [{ type: "tool_use", caller: "model", ...call }] },
      })),
    ]);
    const document = JSON.parse(JSON.stringify(await collect(source, { records: true }))) as Session;
    const { losses, lines } = await edited(document, ({ timeline }) => {
      for (const entry of timeline) {
        if (entry.type !== "tool_call") continue;
        if (entry.tool === "search") entry.input.pattern = "y";
        if (entry.tool === "bash") entry.input.command = "pwd";
        if (entry.tool === "edit") (entry.input.edits as unknown[]).push({ old: "c", new: "d", all: true });
      }
    });
    expect(losses).toEqual([]);
    const inputs = lines.slice(0, 3).map((line) => (line.message as { content: unknown[] }).content[0]);
    expect(inputs).toMatchObject([
      { caller: "model", name: "Grep", input: { pattern: "y", "-n": true, head_limit: 5 } },
      {
        name: "MultiEdit",
        input: {
          file_path: "/a",
          edits: [
            { old_string: "a", new_string: "b" },
            { old_string: "c", new_string: "d", replace_all: true },
          ],
        },
      },
      { name: "Bash", input: { command: "pwd", run_in_background: true, sandbox: false } },
    ]);
  });

  it("plain text stands for its text parts where only it was changed", async () => {
    const { after, ignored } = await edited(await documentOf("image"), (session) => {
      for (const entry of session.timeline) if (entry.type === "user") entry.content = "Other words";
    });
    expect(ignored).toEqual([]);
    const [first] = after.timeline.filter(({ type }) => type === "user");
    expect(first).toMatchObject({ content: "Other words" });
    expect(first?.parts?.some(({ type }) => type === "image")).toBe(true);
  });

  it("of a subagent in the same file is written there", async () => {
    const document = await documentOf("generation-1.0");
    const { after, ignored } = await edited(document, (session) => {
      const [child] = session.children as Session[];
      const said = child?.timeline.find(({ type }) => type === "assistant");
      if (said?.type === "assistant") said.content = "Said otherwise";
    });
    expect(ignored).toEqual([]);
    const [child] = after.children as Session[];
    expect(child?.timeline.map((entry) => ("content" in entry ? entry.content : ""))).toContain(
      "Said otherwise",
    );
    expect(after.timeline.map(({ id }) => id)).toEqual(document.timeline.map(({ id }) => id));
  });
});

it("one edit changes one entry and one record, or is reported", async () => {
  const documents = await Promise.all(names.map(documentOf));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 12 }),
      async (which, at, words) => {
        const original = documents[which % documents.length] as Session;
        const document = structuredClone(original);
        const target = document.timeline[at % document.timeline.length];
        if (!target || !change(target, `Edited ${words}`)) return;
        const { after, losses, files } = await edited(document, (session) => session.timeline);
        const raw = (original.records ?? []).map(({ raw: text, encoding }) =>
          Buffer.from(text, encoding ?? "utf8"),
        );
        const written = String([...files].find(([path]) => path.endsWith("000001.jsonl"))?.[1] ?? "");
        const own = new Set(target.records);
        const kept = raw.filter((_, index) => !own.has(index));
        for (const bytes of kept) expect(written).toContain(String(bytes));
        if (losses.some(({ kind, at: place }) => kind === "edit_ignored" && place.entry === target.id))
          return;
        expect(after.timeline.map(told)).toEqual(document.timeline.map(told));
      },
    ),
    { numRuns: 150 },
  );
});

/** Changes what an entry says; false where it says nothing. */
function change(entry: Entry, words: string): boolean {
  switch (entry.type) {
    case "tool_call": {
      const field = Object.keys(entry.input).find((name) => typeof entry.input[name] === "string");
      if (field === undefined) return false;
      entry.input[field] = words;
      return true;
    }
    case "tool_result":
      entry.output = words;
      return true;
    case "compaction":
      entry.summary = words;
      return true;
    case "switch":
      return false;
    default:
      if (entry.content === "") return false;
      entry.content = words;
      return true;
  }
}

/** Content without what follows from it. */
function told(entry: Entry): unknown {
  const { parts: _, injected: _i, interrupted: _s, ...rest } = JSON.parse(JSON.stringify(entry)) as Entry;
  if (rest.type !== "tool_call") return rest.type === "tool_result" ? { ...rest, details: undefined } : rest;
  const { originalInput: __, ...call } = rest;
  return call;
}
