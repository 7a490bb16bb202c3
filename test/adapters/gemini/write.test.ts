// What is written: a log that the CLI resumes twice without sending anything twice, and its own sessions as they were.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import type { Entry, UserEntry } from "../../../src/session/session.ts";
import { type Source, sourceOf } from "../../../src/session/source.ts";
import { carry } from "../../../src/switch/carry.ts";
import { thread } from "../../../src/transform/visible.ts";
import { assistant, call, result, session, user } from "../../session/build.ts";
import {
  called,
  ID,
  lines,
  metadata,
  model,
  NOW,
  opened,
  privateHome,
  put,
  response,
  user as said,
  targetIn,
  told,
  writtenTo,
} from "./store.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==";

async function written(timeline: Entry[]) {
  return writtenTo(sourceOf(session(timeline)), targetIn(await privateHome()));
}

describe("a new log", () => {
  it("begins with a line that names the session, its project and its title, as of now", async () => {
    const { lines } = await written([user("u1")]);
    expect(lines[0]).toMatchObject({ sessionId: ID, kind: "main", startTime: NOW.toISOString() });
    expect(lines[0]).toMatchObject({ lastUpdated: NOW.toISOString(), continuedFrom: expect.any(String) });
    expect(lines[0].projectHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("holds each result once, behind the message that made the calls", async () => {
    const { lines } = await written([
      user("u1"),
      assistant("a1"),
      call("c1"),
      call("c2"),
      result("c1"),
      result("c2"),
    ]);
    const [, , reply, results] = lines;
    const calls = reply.content.filter((piece: object) => "functionCall" in piece);
    expect(calls.map(({ functionCall }: { functionCall: { id: string } }) => functionCall.id)).toEqual([
      "c1",
      "c2",
    ]);
    expect(
      reply.toolCalls.map(({ id, result: kept }: { id: string; result: unknown }) => [id, kept]),
    ).toEqual([
      ["shown-c1", undefined],
      ["shown-c2", undefined],
    ]);
    expect(
      results.content.map((piece: { functionResponse: { id: string } }) => piece.functionResponse.id),
    ).toEqual(["c1", "c2"]);
    expect(new Set(lines.slice(1).map(({ id }) => id)).size).toBe(lines.length - 1);
  });

  it("keeps a prompt that begins like a command, word for word", async () => {
    const prompt: Entry = { ...(user("u1") as UserEntry), content: "/etc/hosts is what?" };
    const { lines, losses } = await written([prompt]);
    expect(lines[1].content).toEqual([{ thought: false, text: "/etc/hosts is what?" }]);
    expect(lines[1].displayContent).toEqual([{ text: "/etc/hosts is what?" }]);
    expect(losses.filter(({ kind }) => kind.startsWith("text"))).toEqual([]);
  });

  it("puts images and documents inline, beside a result too", async () => {
    const image = { type: "image" as const, mimeType: "image/jpeg", data: PNG };
    const pdf = { type: "document" as const, mimeType: "application/pdf", data: "JVBERi0=" };
    const { lines } = await written([
      { ...(user("u1") as UserEntry), parts: [{ type: "text", text: "look" }, image] },
      call("c1"),
      { ...result("c1"), parts: [{ type: "text", text: "read" }, pdf] } as Entry,
    ]);
    expect(lines[1].content[1]).toEqual({ inlineData: { mimeType: "image/png", data: PNG } });
    expect(lines[3].content[1]).toEqual({ inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } });
  });

  it("says that a document lost its name, and leaves out one that is no PDF", async () => {
    const pdf = { type: "document" as const, mimeType: "application/pdf", data: "JVBERi0=", name: "a.pdf" };
    const parts = [pdf, { ...pdf, data: "AAAA", name: "b.pdf" }];
    const { lines, losses } = await written([{ ...(user("u1") as UserEntry), parts }]);
    expect(lines[1].content).toEqual([
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
      { text: "[Document: b.pdf]" },
    ]);
    const told = losses.map(({ kind, severity, detail }) => [kind, severity, detail.slice(0, 5)]);
    expect(told).toContainEqual(["name_dropped", "info", "a.pdf"]);
    expect(told).toContainEqual(["document_dropped", "warning", "b.pdf"]);
  });

  it.each([
    ["image", "image/gif", Buffer.from("GIF89a").toString("base64"), "image_dropped", "[Image: a.bin]"],
    ["document", "application/zip", "UEsDBA==", "document_dropped", "[Document: a.bin]"],
    ["document", undefined, "AAAA", "document_dropped", "[Document: a.bin]"],
  ] as const)(
    "puts a note for an %s of a type that the vendor refuses: %s",
    async (type, mimeType, data, kind, note) => {
      const part = { type, data, name: "a.bin", ...(mimeType && { mimeType }) };
      const { lines, losses } = await written([{ ...(user("u1") as UserEntry), parts: [part] }]);
      expect(lines[1].content).toEqual([{ text: note }]);
      expect(losses).toContainEqual(
        expect.objectContaining({
          kind,
          severity: "warning",
          at: { entry: "u1" },
          detail: expect.stringContaining("does not take"),
        }),
      );
    },
  );

  it("takes photographs and text inline", async () => {
    const heic = Buffer.from("\0\0\0\x18ftypheic").toString("base64");
    const parts = [
      { type: "image" as const, mimeType: "image/heic", data: heic },
      { type: "document" as const, mimeType: "text/csv", data: "YSxi" },
    ];
    const { lines } = await written([{ ...(user("u1") as UserEntry), parts }]);
    expect(lines[1].content).toEqual([
      { inlineData: { mimeType: "image/heic", data: heic } },
      { inlineData: { mimeType: "text/csv", data: "YSxi" } },
    ]);
  });

  it("names a subagent by its own title, whatever the session is called", async () => {
    const child = session([user("s1")], { id: "child", title: "Its own" });
    const source = sourceOf(session([user("u1")], { children: [child] }));
    const { records } = await writtenTo(source, targetIn(await privateHome(), { title: "Asked for" }));
    const begun = records.filter(({ bytes }) => String(bytes).includes('"sessionId"'));
    expect(begun.map(({ bytes }) => JSON.parse(String(bytes)).summary)).toEqual(["Asked for", "Its own"]);
  });

  it("gives a call whose id comes again another one, and says so", async () => {
    const { lines, losses } = await written([call("c1"), result("c1"), user("u1"), call("c1"), result("c1")]);
    const ids = lines.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap(({ functionCall }) => functionCall?.id ?? []) : [],
    );
    expect(ids).toEqual(["c1", "c1-2"]);
    expect(losses.map(({ kind }) => kind)).toContain("id_changed");
  });

  it("leaves a blank prompt out and says so", async () => {
    const { lines, losses } = await written([
      { ...(user("u1") as UserEntry), content: " \n" },
      assistant("a1"),
    ]);
    expect(lines).toHaveLength(2);
    expect(losses).toContainEqual(expect.objectContaining({ kind: "text_dropped", severity: "info" }));
  });
});

describe("the store", () => {
  async function carried(files: Record<string, string>, cwd = "/home/dev/My Project!") {
    const home = await privateHome();
    for (const [path, bytes] of Object.entries(files)) await put(home, path, bytes);
    const source = sourceOf(session([user("u1"), assistant("a1")]));
    const batonHome = join(home.dir, ".baton");
    const { path } = await carry({ source, to: gemini, home, batonHome, cwd, kind: "resume", now: NOW });
    return { home, path: path.slice(join(home.dir, ".gemini/tmp").length + 1) };
  }

  it("has a folder for the project, marked as its own, and the whole id in the name", async () => {
    const { home, path } = await carried({});
    expect(path).toMatch(/^my-project\/chats\/session-2026-11-15T12-00-[0-9a-f-]{36}\.jsonl$/);
    const mark = await readFile(join(home.dir, ".gemini/tmp/my-project/.project_root"), "utf8");
    expect(mark).toBe("/home/dev/My Project!");
  });

  it.each([
    [
      "the registry names",
      { ".gemini/projects.json": '{"projects":{"/home/dev/My Project!":"named"}}' },
      "named",
    ],
    ["a mark claims", { ".gemini/tmp/claimed/.project_root": "/home/dev/My Project!\n" }, "claimed"],
    ["is free", { ".gemini/tmp/my-project/.project_root": "/somewhere/else" }, "my-project-1"],
    [
      "no other project has",
      { ".gemini/projects.json": '{"projects":{"/other":"my-project"}}' },
      "my-project-1",
    ],
    ["is left by a broken registry", { ".gemini/projects.json": "{broken" }, "my-project"],
  ])("takes the folder that %s", async (_, files, slug) => {
    const { home, path } = await carried(files);
    expect(path.split("/")[0]).toBe(slug);
    for (const [name, bytes] of Object.entries(files))
      expect(await readFile(join(home.dir, name), "utf8")).toBe(bytes);
  });
});

describe("its own session", () => {
  const records = [
    said("u1", "one"),
    model("g1", ""),
    model("g1", "look", {
      toolCalls: [called("c1", "glob", { pattern: "*" }, "a.txt")],
      extra: { kept: true },
    }),
    { ...said("r1", ""), content: [response("c1", "glob", "a.txt")] },
    { $set: { memoryScratchpad: { version: 1 } } },
    model("g2", "found"),
  ];
  const OTHER = "99999999-2222-4333-8444-555555555555";

  async function forked(source: Source, change: (entries: Entry[]) => Entry[]) {
    const entries = change(await Array.fromAsync(thread(source).entries()));
    const stream = {
      ...thread(source),
      async *entries() {
        yield* entries;
      },
    };
    return writtenTo(stream, targetIn(await privateHome(), { originalId: OTHER }));
  }

  it("is copied line by line under another id, without what stands there twice", async () => {
    const { lines, losses } = await forked(await opened(...records), (entries) => entries);
    expect(lines[0]).toMatchObject({ sessionId: OTHER, lastUpdated: NOW.toISOString() });
    const [prompt, calling, results, ...others] = lines.slice(1, -1);
    expect([prompt, ...others]).toEqual([records[0], records[4], records[5]]);
    // In the form that a second resume does not send twice.
    const { content, toolCalls, ...rest } = calling;
    const call = called("c1", "glob", { pattern: "*" }, "a.txt");
    expect(rest).toMatchObject({ id: "g1", extra: { kept: true }, displayContent: [{ text: "look" }] });
    expect(content).toEqual([
      { text: "look" },
      { functionCall: { id: "c1", name: "glob", args: call.args } },
    ]);
    const { result, ...shown } = call;
    expect(toolCalls).toEqual([{ ...shown, id: "shown-c1" }]);
    expect(results).toMatchObject({ id: "g1_response", type: "user", content: result });
    expect(losses).toMatchObject([{ kind: "records_dropped", severity: "info" }]);
  });

  it("says what was changed in it, and keeps everything else of that message", async () => {
    const { lines } = await forked(await opened(...records), (entries) =>
      entries.map((entry) => {
        if (entry.type === "user") return { ...entry, content: "changed" };
        return entry.type === "tool_result" ? { ...entry, output: "b.txt" } : entry;
      }),
    );
    expect(lines[1]).toMatchObject({ id: "u1", content: [{ text: "changed" }] });
    expect(lines[2]).toMatchObject({ id: "g1", extra: { kept: true } });
    expect(JSON.stringify(lines)).toContain("b.txt");
    expect(JSON.stringify(lines)).not.toContain("a.txt");
    expect(lines.at(-2)).toEqual(records[5]);
  });

  it("takes its subagents along, into a folder that outlives a ghost of the session", async () => {
    const home = await privateHome();
    const chats = ".gemini/tmp/project/chats";
    const log = lines({ ...metadata, sessionId: "agent", kind: "subagent" }, said("s1", "Go"));
    await put(home, ".gemini/tmp/project/.project_root", "/home/dev/project");
    await put(home, `${chats}/session-2026-01-02T03-04-11111111.jsonl`, lines(metadata, ...records));
    await put(home, `${chats}/${ID}/agent.jsonl`, log);
    const found = await Array.fromAsync(gemini.discover(home));
    const source = await gemini.open(found.find(({ parent }) => parent === undefined) as SessionRef);
    const batonHome = join(home.dir, ".baton");
    const made = await carry({
      source,
      to: gemini,
      home,
      batonHome,
      cwd: "/home/dev/new",
      kind: "fork",
      now: NOW,
    });
    const copy = made.path.replace(/session-.*-([0-9a-f-]{36})\.jsonl$/, "$1.agents/agent.jsonl");
    expect(await readFile(copy, "utf8")).toBe(log);
    const refs = await Array.fromAsync(gemini.discover(home));
    const again = await gemini.open(refs.find(({ path }) => path === made.path) as SessionRef);
    const children = await Array.fromAsync(again.children());
    expect(children.map(({ header }) => header.source.originalId)).toEqual(["agent"]);
    expect(again.header.project.path).toBe("/home/dev/new");
  });

  it("goes without what was taken out of it", async () => {
    const { lines } = await forked(await opened(...records), (entries) => entries.slice(0, 1));
    expect(lines.slice(1, -1).filter(({ id }) => id)).toEqual([records[0]]);
  });

  it("can be extended: the new lines follow those that are there", async () => {
    const source = await opened(...records);
    const home = await privateHome();
    const text = `${JSON.stringify({ sessionId: ID, projectHash: "x" })}\n${records.map((one) => JSON.stringify(one)).join("\n")}`;
    const path = await put(home, ".gemini/tmp/project/chats/session-2026-01-02T03-04-11111111.jsonl", text);
    const [ref] = (await Array.fromAsync(gemini.discover(home))) as [SessionRef];
    const more = sourceOf(session([user("u5"), call("c1"), result("c1")]));
    const { main } = await writtenTo(more, targetIn(home, { onto: { ref } }));
    // The file had no newline at its end.
    expect(main.startsWith("\n{")).toBe(true);
    await put(home, path.slice(home.dir.length + 1), text + main);
    const again = await gemini.open(ref);
    const before = await told(source);
    expect(await told(again)).toEqual([
      ...before,
      "user says u5",
      "call c1-2",
      expect.stringContaining("result c1-2"),
    ]);
    expect(again.header.metadata.lastModified).toBe(NOW.toISOString());
  });
});
