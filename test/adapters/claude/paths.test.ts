// Where sessions lie: names of folders, every layout of the store, files from elsewhere, the old database.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import { encodeProject } from "../../../src/adapters/claude/paths.ts";
import { guessProject } from "../../../src/adapters/claude/project.ts";
import { findSessions, summarise } from "../../../src/catalog/scan.ts";
import { collect } from "../../../src/session/source.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "baton-claude-"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<string> {
  const whole = join(home, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, content);
  return whole;
}

const found = async (env = {}) => Array.fromAsync(claude.discover({ dir: home, env }));
const line = (session: string, more = {}) =>
  `${JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, sessionId: session, message: { role: "user", content: "hi" }, ...more })}\n`;

describe("the name of a project's folder", () => {
  it("has a dash for every character that is neither letter nor digit", () => {
    expect(encodeProject("/home/dev/my app.v2/ü")).toBe("-home-dev-my-app-v2--");
    expect(encodeProject("C:\\Users\\dev")).toBe("C--Users-dev");
  });

  it("is cut and marked when it is long", () => {
    const path = `/tmp/${"long-folder-name/".repeat(20)}end`;
    const cut = path.replace(/[^A-Za-z0-9]/g, "-").slice(0, 200);
    expect(encodeProject(path)).toBe(`${cut}-v9hz58`);
  });

  it("is turned back into a path that exists, if there is one", async () => {
    await mkdir(join(home, "my-app", "sub"), { recursive: true });
    expect(await guessProject(encodeProject(join(home, "my-app")))).toBe(join(home, "my-app"));
    expect(await guessProject(encodeProject(join(home, "my-app", "sub")))).toBe(join(home, "my-app", "sub"));
    expect(await guessProject("-no-such-place")).toBe("/no/such/place");
    expect(await guessProject("C--Users-dev")).toBe("C:\\Users\\dev");
  });
});

describe("discovery", () => {
  it("finds sessions with their subagents of every layout, and their long outputs", async () => {
    const project = ".claude/projects/-p";
    await put(`${project}/s1.jsonl`, line("s1"));
    await put(`${project}/agent-old.jsonl`, line("s1", { isSidechain: true, agentId: "old" }));
    await put(`${project}/s1/subagents/agent-new.jsonl`, line("s1", { isSidechain: true, agentId: "new" }));
    await put(`${project}/s1/subagents/agent-new.meta.json`, "{}");
    await put(`${project}/s1/subagents/workflows/wf_1/agent-deep.jsonl`, line("s1"));
    await put(`${project}/s1/subagents/workflows/wf_1/journal.jsonl`, "{}\n");
    await put(`${project}/s1/tool-results/x.txt`, "long");
    await put(`${project}/memory/MEMORY.md`, "");
    await put(`${project}/sessions-index.json`, "{}");
    const refs = await found();
    expect(refs.map(({ originalId, parent }) => [originalId, parent])).toEqual([
      ["s1", undefined],
      ["s1/agent-old", "s1"],
      ["s1/agent-new", "s1"],
      ["s1/agent-deep", "s1"],
    ]);
    const roles = refs[0]?.files.map(({ role }) => role);
    expect(roles).toEqual(["main", "subagent", "subagent", "subagent", "tool_result"]);
    const session = await collect(await claude.open(refs[0]!));
    expect(session.children).toHaveLength(3);
  });

  it("follows the variable that moves the store, and links", async () => {
    await put("moved/projects/-p/s1.jsonl", line("s1"));
    expect(await found()).toEqual([]);
    expect(await found({ CLAUDE_CONFIG_DIR: join(home, "moved") })).toHaveLength(1);
    await symlink(join(home, "moved"), join(home, ".claude"));
    expect(await found()).toHaveLength(1);
    expect(claude.stores({ dir: "/h", env: {} })).toEqual([join("/h", ".claude")]);
  });

  it("finds nothing where there is nothing", async () => {
    expect(await found()).toEqual([]);
    await put(".claude/projects", "a file");
    expect(await found()).toEqual([]);
  });

  it("says which file of a subagent is gone", async () => {
    const result = {
      type: "user",
      uuid: "u2",
      parentUuid: "u1",
      toolUseResult: { agentId: "x", status: "completed" },
      message: { content: [{ type: "tool_result", tool_use_id: "t", content: "" }] },
    };
    const path = await put(".claude/projects/-p/s1.jsonl", `${line("s1")}${JSON.stringify(result)}\n`);
    const source = await claude.open((await claude.recognise(path))!);
    expect(source.losses.map(({ kind, detail }) => [kind, detail])).toContainEqual([
      "file_missing",
      "agent-x.jsonl",
    ]);
  });
});

describe("a file from elsewhere", () => {
  it.each([
    ["native", line("s1")],
    ["a summary first", `{"type":"summary","summary":"s","leafUuid":"u"}\n${line("s")}`],
    ["side records first", `{"type":"queue-operation","operation":"enqueue","sessionId":"s"}\n`],
    [
      "simplified",
      '{"type":"user","content":"Hello"}\n{"type":"assistant","message":{"content":[]},"content":""}\n',
    ],
    ["a saved stream", '{"type":"system","subtype":"init","session_id":"s","model":"m"}\n'],
    ["damaged at first", `{"type":"us\n// comment\n${line("s")}`],
  ])("is recognised: %s", async (_, content) => {
    const ref = await claude.recognise(await put("elsewhere.jsonl", content));
    expect(ref).toMatchObject({ agent: "claude", originalId: "elsewhere" });
  });

  it.each([
    ["empty", ""],
    ["other JSON", '{"a":1}\n'],
    [
      "a rollout",
      '{"type":"session_meta","timestamp":"t","payload":{"id":"x"}}\n{"type":"response_item","payload":{"type":"message","role":"user"}}\n',
    ],
    [
      "universal lines",
      '{"type":"header","id":"x","version":"1.0","source":{"cli":"claude"}}\n{"type":"user","id":"e1","timestamp":"t","content":"c"}\n',
    ],
    ["not JSON", "hello\n"],
  ])("is not: %s", async (_, content) => {
    expect(await claude.recognise(await put("elsewhere.jsonl", content))).toBeUndefined();
  });

  it("that is not there is not recognised", async () => {
    expect(await claude.recognise(join(home, "nothing.jsonl"))).toBeUndefined();
  });
});

describe("a subagent beside its session", () => {
  const parentsOf = async () => (await found()).map(({ parent }) => parent);

  it.each([
    [
      "with blanks in its JSON",
      `{ "note": "\\"sessionId\\": \\"x\\"", "sessionId": "s1", "type": "user" }\n`,
    ],
    ["after lines that do not say", `not JSON\n{"type":"summary","leafUuid":"x"}\n${line("s1")}`],
    ["with a very long first line", line("s1", { type: "user", aside: "x".repeat(1 << 20) })],
    [
      "after a very long prompt",
      JSON.stringify({ type: "user", text: "x".repeat(1 << 20), sessionId: "s1" }),
    ],
    ["inside a longer object", line("s1", { aside: { sessionId: "x" } })],
  ])("names it %s", async (_, content) => {
    await put(".claude/projects/-p/agent-a.jsonl", content);
    expect(await parentsOf()).toEqual(["s1"]);
  });

  it("may not name any", async () => {
    await put(".claude/projects/-p/agent-a.jsonl", `{"type":"user","inner":{"sessionId":"x"}}\n`);
    expect(await parentsOf()).toEqual(["unknown"]);
  });
});

describe("the database of 0.2", () => {
  async function store(): Promise<string> {
    const path = await put(".claude/__store.db", "");
    const database = new DatabaseSync(path);
    database.exec(`
      CREATE TABLE base_messages (uuid TEXT PRIMARY KEY, parent_uuid TEXT, session_id TEXT, timestamp INTEGER,
        message_type TEXT, cwd TEXT, user_type TEXT, version TEXT, isSidechain INTEGER);
      CREATE TABLE user_messages (uuid TEXT PRIMARY KEY, message TEXT, tool_use_result TEXT, timestamp INTEGER);
      CREATE TABLE assistant_messages (uuid TEXT PRIMARY KEY, cost_usd REAL, duration_ms INTEGER, message TEXT,
        is_api_error_message INTEGER, timestamp INTEGER, model TEXT);
      CREATE TABLE conversation_summaries (leaf_uuid TEXT PRIMARY KEY, summary TEXT, updated_at INTEGER);
      INSERT INTO base_messages VALUES
        ('u1', NULL, 's1', 1746000000, 'user', '/home/dev/old', 'external', '0.2.90', 0),
        ('a1', 'u1', 's1', 1746000060, 'assistant', '/home/dev/old', 'external', '0.2.90', 0),
        ('u2', 'a1', 's1', 1746000070, 'user', '/home/dev/old', 'external', '0.2.90', 0),
        ('x1', NULL, 's2', 1746000000000, 'user', '/home/dev/other', 'external', '0.2.90', 0);
      INSERT INTO user_messages VALUES
        ('u1', '{"role":"user","content":"An old prompt"}', NULL, 1746000000),
        ('u2', '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"out"}]}', '{"stdout":"out"}', 1),
        ('x1', 'not JSON', NULL, 1);
      INSERT INTO assistant_messages VALUES ('a1', 0.25, 100,
        '{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":1,"output_tokens":2}}',
        0, 1746000060, 'claude-3-7-sonnet-20250219');
      INSERT INTO conversation_summaries VALUES ('u2', 'Old summary', 1746000070);`);
    database.close();
    return path;
  }

  it("is read as sessions, with costs, models and summaries", async () => {
    await store();
    const refs = await found();
    expect(refs.map(({ originalId }) => originalId)).toEqual(["s1", "s2"]);
    const session = await collect(await claude.open(refs[0]!), { records: true });
    expect(session).toMatchObject({
      title: "Old summary",
      project: { path: "/home/dev/old" },
      model: { model: "claude-3-7-sonnet-20250219" },
      metadata: { created: "2025-04-30T08:00:00.000Z", cost: 0.25, messageCount: 2 },
    });
    expect(session.timeline).toMatchObject([
      { type: "user", content: "An old prompt" },
      { type: "tool_call", tool: "bash", model: "claude-3-7-sonnet-20250219" },
      { type: "tool_result", callId: "t1", output: "out" },
    ]);
    expect(session.records).toHaveLength(4);
    expect((await collect(await claude.open(refs[1]!))).timeline).toMatchObject([{ content: "not JSON" }]);
  });

  it("keeps the order of its rows, its subagents, and what is damaged in it", async () => {
    const database = new DatabaseSync(await store());
    const side = '{"role":"user","content":"look"}';
    const cut = '{"role":"user","content":"cut o';
    const error = '{"id":"m2","model":"<synthetic>","content":[{"type":"text","text":"API Error: busy"}]}';
    database.exec(`
      INSERT INTO base_messages VALUES
        ('u9', NULL, 's3', 1746000900000, 'user', '/home/dev/old', 'external', '0.2.90', 0),
        ('a9', 'u9', 's3', 1746000100000, 'assistant', '/home/dev/old', 'external', '0.2.90', 0),
        ('k1', NULL, 's3', 1746000000000, 'user', '/home/dev/old', 'external', '0.2.90', 1),
        ('u8', 'a9', 's3', 1746000000000, 'user', '/home/dev/old', 'external', '0.2.90', 0);
      INSERT INTO user_messages VALUES
        ('u9', '{"role":"user","content":"first"}', NULL, 1), ('k1', '${side}', NULL, 1), ('u8', '${cut}', NULL, 1);
      INSERT INTO assistant_messages VALUES ('a9', 0, 1, '${error}', 1, 1, '<synthetic>');`);
    database.close();
    const source = await claude.open((await found()).find(({ originalId }) => originalId === "s3")!);
    const session = await collect(source, { records: true });
    expect(session.timeline).toMatchObject([
      { type: "user", content: "first" },
      { type: "system", content: "API Error: busy", note: true },
    ]);
    expect(source.losses).toMatchObject([{ kind: "record_malformed", at: { record: 3 } }]);
    expect(JSON.parse(session.records?.[3]?.raw ?? "").message).toBe(cut);
    expect(session.children).toMatchObject([
      { source: { originalId: "s3/thread-k1" }, timeline: [{ content: "look" }] },
    ]);
  });

  it("gives way to a file with the same session", async () => {
    await store();
    await put(".claude/projects/-p/s1.jsonl", line("s1"));
    expect((await found()).map(({ path }) => path.endsWith(".db"))).toEqual([false, true]);
  });

  it("that cannot be read is a session that says so, and a row with its problem in the list", async () => {
    const whole = await readFile(await store());
    const damaged = [
      Buffer.from("this is no database, it only looks like one from outside"),
      whole.subarray(0, whole.length / 2),
      Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 7)]),
    ];
    for (const bytes of damaged) {
      await writeFile(join(home, ".claude/__store.db"), bytes);
      const [ref] = await found();
      await expect(claude.open(ref!)).rejects.toMatchObject({ code: "damaged" });
      const listed = await findSessions({ dir: home, env: {} }, [claude]);
      const rows = await Promise.all(listed.map((one) => summarise(one)));
      expect(rows).toMatchObject([{ problems: [expect.stringContaining("__store.db")] }]);
    }
  });

  it("may hold numbers of any size", async () => {
    const database = new DatabaseSync(await store());
    database.exec("UPDATE base_messages SET timestamp = 9223372036854775807 WHERE uuid = 'x1'");
    database.close();
    const ref = (await found()).find(({ originalId }) => originalId === "s2");
    expect((await collect(await claude.open(ref!))).timeline).toHaveLength(1);
  });
});
