// Whether OpenCode has credentials and is limited, and what a project's own configuration changes. An error is recorded
// as 1.18.33 records one.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Home } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { type Files, homeWith } from "../home.ts";
import { emptyStore } from "./database.ts";

const AUTH = ".local/share/opencode/auth.json";
const CONFIG = ".config/opencode/opencode.json";

async function state(files: Files, env: Record<string, string> = {}): Promise<string | undefined> {
  return (await opencode.account?.(await homeWith(files, env)))?.state;
}

describe("the account", () => {
  it("is signed in with a login, or a key in the shell or the configuration", async () => {
    expect(await state({ [AUTH]: { anthropic: { type: "api", key: "x" } } })).toBe("signed_in");
    const moved = { "d/opencode/auth.json": { openai: { type: "oauth" } } };
    expect(await state(moved, { XDG_DATA_HOME: "~/d" })).toBe("signed_in");
    expect(await state({}, { OPENAI_API_KEY: "x" })).toBe("signed_in");
    const provider = (options: object) => ({ [CONFIG]: { provider: { sim: { options } } } });
    expect(await state(provider({ apiKey: "x" }))).toBe("signed_in");
    expect(await state(provider({ apiKey: "{env:SIM_KEY}" }), { SIM_KEY: "x" })).toBe("signed_in");
    expect(await state(provider({ baseURL: "http://localhost:11434/v1" }))).toBe("signed_in");
    expect(await state(provider({ apiKey: "{env:SIM_KEY}", baseURL: "https://x.example" }))).toBe("unknown");
  });

  it("is not known otherwise, because it has models that need none", async () => {
    expect(await opencode.account?.(await homeWith())).toEqual({
      state: "unknown",
      login: "opencode auth login",
    });
    for (const left of ["{}", "{", "", "[]", "folder"]) expect(await state({ [AUTH]: left })).toBe("unknown");
  });

  it("is signed out where these are turned off", async () => {
    expect(await state({ [CONFIG]: { disabled_providers: ["opencode"] } })).toBe("signed_out");
    expect(await state({ [CONFIG]: { enabled_providers: ["anthropic"] } })).toBe("signed_out");
    expect(await state({ [CONFIG]: { enabled_providers: ["opencode"] } })).toBe("unknown");
    expect(await state({ [CONFIG]: { disabled_providers: ["opencode"] }, [AUTH]: "folder" })).toBe("unknown");
  });
});

const now = new Date("2026-11-18T11:00:00Z");
const TIME = Date.parse("2026-11-18T10:30:00Z");
const reply = (more: object = {}, created = TIME) => ({
  role: "assistant",
  time: { created, completed: created },
  ...more,
});
const failed = (data: object, created = TIME) => reply({ error: { name: "APIError", data } }, created);
const refused = failed({
  message: "This request would exceed your account's rate limit. Please try again later.",
  statusCode: 429,
  isRetryable: true,
  responseHeaders: { "content-type": "application/json", "retry-after": "7200" },
});

interface Stored {
  data: unknown;
  session?: string;
  parts?: readonly object[];
}

function store(home: Home, messages: readonly Stored[]): void {
  const database = new DatabaseSync(emptyStore(home.dir));
  const session = database.prepare(
    "INSERT OR IGNORE INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'global', 's', '/x', 't', '1', 1, ?)",
  );
  const message = database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
  const part = database.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
  for (const [index, { data, session: id = "ses_a", parts = [] }] of messages.entries()) {
    const time = TIME + index;
    session.run(id, time);
    message.run(`msg_${index}`, id, time, time, typeof data === "string" ? data : JSON.stringify(data));
    for (const [place, one] of parts.entries())
      part.run(`prt_${index}_${place}`, `msg_${index}`, id, time, time, JSON.stringify(one));
  }
  database.close();
}

async function limit(messages: readonly Stored[], at = now) {
  const home = await homeWith();
  store(home, messages);
  return opencode.limit?.(home, at);
}

describe("the limit", () => {
  const said = "This request would exceed your account's rate limit. Please try again later.";
  const until = "2026-11-18T12:30:00.000Z";

  it("holds for as long as the vendor said", async () => {
    expect(await limit([{ data: refused }, { data: { role: "user" } }])).toEqual({ said, until });
    expect(await limit([{ data: refused }], new Date(until))).toBeUndefined();
    const dated = { "retry-after": "Wed, 18 Nov 2026 12:30:00 GMT" };
    const short = { "retry-after-ms": "7200000" };
    for (const responseHeaders of [dated, short])
      expect((await limit([{ data: failed({ statusCode: 429, responseHeaders }) }]))?.until).toBe(until);
    expect((await limit([{ data: failed({ message: "Rate limit: try again in 2 hours" }) }]))?.until).toBe(
      until,
    );
  });

  it("without an end is believed for an hour", async () => {
    const plain = [{ data: failed({ statusCode: 429, responseHeaders: { "retry-after": "soon" } }) }];
    expect(await limit(plain)).toEqual({ said: "429" });
    expect(await limit(plain, new Date("2026-11-18T11:30:01Z"))).toBeUndefined();
  });

  it("is over once a model has answered, here or in another session", async () => {
    expect(await limit([{ data: refused }, { data: reply({}, TIME + 60_000) }])).toBeUndefined();
    expect(
      await limit([{ data: refused }, { data: reply({}, TIME + 60_000), session: "ses_b" }]),
    ).toBeUndefined();
    expect(await limit([{ data: reply({}, TIME - 60_000) }, { data: refused }])).toBeDefined();
  });

  it("is known from attempts that were noted down, unless the reply came", async () => {
    const retry = {
      type: "retry",
      attempt: 1,
      time: { created: TIME },
      error: {
        name: "APIError",
        data: { message: "x", statusCode: 429, responseHeaders: { "retry-after": "7200" } },
      },
    };
    const open = { role: "assistant", time: { created: TIME } };
    expect(await limit([{ data: open, parts: [retry] }])).toEqual({ said: "x", until });
    expect(await limit([{ data: reply(), parts: [retry, { type: "text", text: "Hi" }] }])).toBeUndefined();
    expect(await limit([{ data: open }])).toBeUndefined();
  });

  it("is nothing that other failures or damage say", async () => {
    expect(await limit([{ data: failed({ message: "no", statusCode: 400 }) }])).toBeUndefined();
    expect(await limit([{ data: refused }, { data: failed({ statusCode: 500 }) }])).toBeDefined();
    for (const data of ["{", "x", "{}", { ...refused, time: 7 }])
      expect(await limit([{ data }])).toBeUndefined();
    expect(await limit([])).toBeUndefined();
    expect(await opencode.limit?.(await homeWith(), now)).toBeUndefined();
    const name = ".local/share/opencode/opencode.db";
    for (const damaged of ["", "SQLite format 3\0 and no more", "folder"])
      expect(await opencode.limit?.(await homeWith({ [name]: damaged }), now)).toBeUndefined();
  });
});

it("the servers of a session are the user's and its repository's, unless they are turned off", async () => {
  const server = { type: "local", command: ["true"] };
  const off = { enabled: false };
  const home = await homeWith({
    [CONFIG]: { model: "a/user", mcp: { a: server, b: server, off: { ...server, ...off } } },
    "p/opencode.json": { model: "a/own", mcp: { c: server, b: off } },
    "p/.opencode/opencode.jsonc": '{ "mcp": { "d": {} } } // last',
    "p/sub/opencode.json": "{",
    "extra.json": { mcp: { e: server } },
    "opencode.json": { mcp: { above: server } },
  });
  const at = (project: string, env = {}) => opencode.configuration({ ...home, env }, join(home.dir, project));
  expect((await at("p/sub")).mcpServers).toEqual(["a", "b"]);
  mkdirSync(join(home.dir, "p", ".git"));
  expect(await at("p/sub")).toEqual({
    model: "a/own",
    provider: "a",
    mcpServers: ["a", "c", "d"],
    damaged: [join(home.dir, "p/sub/opencode.json")],
  });
  expect(await opencode.configuration(home)).toEqual({
    model: "a/user",
    provider: "a",
    mcpServers: ["a", "b"],
  });
  const env = { OPENCODE_CONFIG: join(home.dir, "extra.json") };
  expect((await at("p", env)).mcpServers).toEqual(["a", "c", "d", "e"]);
});
