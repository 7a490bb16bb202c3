// Whether Codex is signed in and limited. Refusals and counts are what 0.166.0 recorded.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { dated, type Files, homeWith, lines } from "../home.ts";

async function account(files: Files, env: Record<string, string> = {}) {
  return codex.account?.(await homeWith(files, env));
}
const state = async (files: Files, env?: Record<string, string>) => (await account(files, env))?.state;
const AUTH = ".codex/auth.json";
const CONFIG = ".codex/config.toml";

describe("the account", () => {
  it("is signed in with a login or a key", async () => {
    const tokens = { id_token: "i", access_token: "a", refresh_token: "r" };
    expect(await account({ [AUTH]: { OPENAI_API_KEY: null, tokens } })).toEqual({
      state: "signed_in",
      login: "codex login",
    });
    expect(await state({ [AUTH]: { OPENAI_API_KEY: "x" } })).toBe("signed_in");
    expect(await state({ "moved/auth.json": { tokens } }, { CODEX_HOME: "~/moved" })).toBe("signed_in");
    expect(await state({}, { CODEX_API_KEY: "x" })).toBe("signed_in");
    expect(await state({}, { CODEX_ACCESS_TOKEN: "x" })).toBe("signed_in");
  });

  it("is signed out where there is neither", async () => {
    expect(await state({})).toBe("signed_out");
    expect(await state({ [AUTH]: { OPENAI_API_KEY: null, tokens: null } })).toBe("signed_out");
    expect(await state({ [AUTH]: { OPENAI_API_KEY: "", tokens: {} }, [CONFIG]: "= broken" })).toBe(
      "signed_out",
    );
  });

  it("is not known of a keychain, a damaged file, or a key that only some versions take", async () => {
    expect(await state({ [CONFIG]: 'cli_auth_credentials_store = "keyring"' })).toBe("unknown");
    for (const damaged of ['{"OPENAI_API_KEY":', "", "[]", "folder"])
      expect(await state({ [AUTH]: damaged })).toBe("unknown");
    expect(await state({}, { OPENAI_API_KEY: "x" })).toBe("unknown");
    const auto = { [CONFIG]: 'cli_auth_credentials_store = "auto"' };
    expect(await state(auto, { DBUS_SESSION_BUS_ADDRESS: "unix:/x" })).toBe("unknown");
  });

  it("is that of the provider where the user has one of their own", async () => {
    const provider = (facts: string) => ({
      [CONFIG]: `model_provider = "sim"\n[model_providers.sim]\nbase_url = "http://127.0.0.1:1/v1"\n${facts}`,
    });
    expect(await state(provider(""))).toBe("signed_in");
    expect(await state(provider('env_key = "SIM_KEY"'), { SIM_KEY: "x" })).toBe("signed_in");
    expect(await account(provider('env_key = "SIM_KEY"'), { OTHER: "x" })).toEqual({
      state: "signed_out",
      login: "export SIM_KEY=…",
    });
    expect(await state(provider('env_key = "SIM_KEY"'))).toBe("unknown");
    expect(await state(provider('env_key = "K"\nexperimental_bearer_token = "x"'))).toBe("signed_in");
    expect(await state(provider("requires_openai_auth = true"))).toBe("signed_out");
    expect(await state({ [CONFIG]: 'model_provider = "ollama"' })).toBe("signed_in");
    expect(await state({ [CONFIG]: 'model_provider = "cloud"' })).toBe("unknown");
  });
});

const ID = "01a1ee1e-44ef-72c2-a953-ec9d36aef2ce";
const FILE = `.codex/sessions/2026/11/18/rollout-2026-11-18T10-05-23-${ID}.jsonl`;
const TIME = "2026-11-18T10:05:23.709Z";
const now = new Date("2026-11-18T11:00:00Z");
const event = (payload: object, timestamp = TIME) => ({ timestamp, type: "event_msg", payload });
const counts = (rate_limits: unknown, timestamp?: string) =>
  event({ type: "token_count", info: null, rate_limits }, timestamp);
const window = (used_percent: number, more: object = { resets_at: 1795007123 }) => ({
  used_percent,
  window_minutes: 300,
  ...more,
});
const secondary = { used_percent: 44, window_minutes: 10080, resets_at: 1795307123 };
const ended = (error: object | undefined, last_agent_message: string | null = null) =>
  event({ type: "task_complete", last_agent_message, error });
const words =
  "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 1:05 PM.";
const refused = ended({ message: words, codex_error_info: "usage_limit_exceeded" });

async function limit(content: string, at = now, name = FILE) {
  const home = await homeWith({ [name]: content });
  dated(home, name, TIME);
  return codex.limit?.(home, at);
}

describe("the limit", () => {
  const until = "2026-11-18T13:05:23.000Z";

  it("holds until the used up window is a new one", async () => {
    const content = lines(counts({ primary: window(100), secondary }), refused);
    expect(await limit(content)).toEqual({ said: words, until });
    expect(await limit(content, new Date(until))).toBeUndefined();
    const archived = FILE.replace("sessions/2026/11/18", "archived_sessions");
    expect(await limit(content, now, archived)).toEqual({ said: words, until });
  });

  it("is known from the counts of a response that was still given", async () => {
    const content = lines(counts({ primary: window(100), secondary }), ended(undefined, "Hello."));
    expect(await limit(content)).toEqual({ said: "100% of the limit of 300 minutes is used.", until });
    const both = counts({ primary: window(100), secondary: { ...secondary, used_percent: 100 } });
    expect((await limit(lines(both)))?.until).toBe(new Date(1795307123_000).toISOString());
    const earlier = counts({
      primary: { used_percent: 100, window_duration_mins: 300, resets_in_seconds: 7200 },
    });
    expect((await limit(lines(earlier)))?.until).toBe("2026-11-18T12:05:23.709Z");
  });

  it("is not reached below that, with credits, or once a later response says so", async () => {
    expect(await limit(lines(counts({ primary: window(99), secondary })))).toBeUndefined();
    const credits = { has_credits: true, unlimited: false, balance: "5" };
    expect(await limit(lines(counts({ primary: window(100), credits })))).toBeUndefined();
    const full = counts({ primary: window(100) });
    expect(await limit(lines(full, counts({ primary: window(3) })))).toBeUndefined();
    expect(await limit(lines(full, counts(null), ended(undefined, "Hello.")))).toBeUndefined();
  });

  it("without counts is what the words say, or believed for an hour", async () => {
    const wait = event({
      type: "error",
      message: "usage limit reached, try again in 3 days 4 hours 12 minutes",
    });
    expect((await limit(lines(wait)))?.until).toBe("2026-11-21T14:17:23.709Z");
    const plain = ended({
      message: "exceeded retry limit, last status: 429 Too Many Requests",
      codex_error_info: { response_too_many_failed_attempts: { http_status_code: 429 } },
    });
    expect(await limit(lines(plain))).toEqual({
      said: "exceeded retry limit, last status: 429 Too Many Requests",
    });
    expect(await limit(lines(plain), new Date("2026-11-18T11:05:24Z"))).toBeUndefined();
    expect(await limit(lines(plain, ended(undefined, "Hello.")))).toBeUndefined();
  });

  it("is what a subagent was told, unless another agent started it", async () => {
    const meta = (more: object) => ({ timestamp: TIME, type: "session_meta", payload: { id: ID, ...more } });
    const below = { parent_thread_id: "01a1ee1e-0000-72c2-a953-ec9d36aef2ce" };
    for (const own of [below, { ...below, continued_from: `codex:${ID}` }, { continued_from: "other:1" }])
      expect(await limit(lines(meta(own), refused))).toBeDefined();
    const carried = meta({ ...below, continued_from: "other:1" });
    expect(await limit(lines(carried, refused))).toBeUndefined();
  });

  it("is nothing that other failures or damage say", async () => {
    expect(await limit(lines(ended({ message: "stream disconnected" })))).toBeUndefined();
    const odd = [
      counts("x"),
      counts({ primary: "x" }),
      counts({ primary: window(100, {}) }),
      event({ type: 7 }),
    ];
    for (const one of odd) expect(await limit(lines(one))).toBeUndefined();
    expect(await limit("")).toBeUndefined();
    expect(await limit(`${lines(refused)}{"timestamp":"x"`)).toBeDefined();
    expect(await limit(`${lines(refused)}${"x".repeat(1 << 19)}\n`)).toBeUndefined();
    expect(await codex.limit?.(await homeWith(), now)).toBeUndefined();
  });
});

it("a trusted project's own servers and model count, and none that is turned off", async () => {
  const home = await homeWith({
    "p/.codex/config.toml":
      'model = "own"\n[mcp_servers.proj]\ncommand = "x"\n[mcp_servers.on]\nenabled = false\n',
  });
  const p = join(home.dir, "p");
  const config = (
    trust: string,
  ) => `model = "m"\n[mcp_servers.on]\ncommand = "x"\n[mcp_servers.off]\ncommand = "x"
enabled = false\n[projects."${p}"]\ntrust_level = "${trust}"\n`;
  const trusted = await homeWith({ [CONFIG]: config("trusted") });
  expect(await codex.configuration(trusted, p)).toEqual({ model: "own", mcpServers: ["proj"] });
  expect(await codex.configuration(trusted)).toEqual({ model: "m", mcpServers: ["on"] });
  const untrusted = await homeWith({ [CONFIG]: config("untrusted") });
  expect(await codex.configuration(untrusted, p)).toEqual({ model: "m", mcpServers: ["on"] });
});

it("a profile that is named has a model and a provider of its own", async () => {
  const config = 'profile = "work"\nmodel = "m"\n[profiles.work]\nmodel = "w"\nmodel_provider = "p"\n';
  const home = await homeWith({ [CONFIG]: config });
  expect(await codex.configuration(home)).toEqual({ model: "w", provider: "p", mcpServers: [] });
  const none = await homeWith({ [CONFIG]: config.replace('"work"', '"other"') });
  expect(await codex.configuration(none)).toEqual({ model: "m", mcpServers: [] });
});
