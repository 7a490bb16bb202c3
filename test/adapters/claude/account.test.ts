// Whether Claude Code is signed in and limited. States of the account are what `claude auth status` of 2.1.325 says of
// the same files; refusals are what it recorded.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import { dated, type Files, homeWith, lines } from "../home.ts";

// On a Mac what the files do not say may stand in the keychain.
const OUT = process.platform === "darwin" ? "unknown" : "signed_out";

async function state(files: Files, env: Record<string, string> = {}): Promise<string | undefined> {
  return (await claude.account?.(await homeWith(files, env)))?.state;
}

const stored = (claudeAiOauth: object) => ({ ".claude/.credentials.json": { claudeAiOauth } });

describe("the account", () => {
  it("is signed in with a login, which is renewed when it has expired", async () => {
    const login = { accessToken: "x", refreshToken: "y", expiresAt: Date.now() + 1e7 };
    expect(await state(stored(login))).toBe("signed_in");
    expect(await state(stored({ ...login, expiresAt: 1000 }))).toBe("signed_in");
    const moved = { "conf/.credentials.json": { claudeAiOauth: login } };
    expect(await state(moved, { CLAUDE_CONFIG_DIR: "~/conf" })).toBe("signed_in");
    expect(await state(moved)).toBe(OUT);
  });

  it.each([
    ["ANTHROPIC_API_KEY", "x"],
    ["ANTHROPIC_AUTH_TOKEN", "x"],
    ["CLAUDE_CODE_OAUTH_TOKEN", "x"],
    ["CLAUDE_CODE_USE_BEDROCK", "1"],
    ["CLAUDE_CODE_USE_VERTEX", "true"],
    ["CLAUDE_CODE_USE_FOUNDRY", "1"],
  ])("is signed in with %s, in the shell or in the settings", async (name, value) => {
    expect(await state({}, { [name]: value })).toBe("signed_in");
    expect(await state({ ".claude/settings.json": { env: { [name]: value } } })).toBe("signed_in");
    expect(await state({}, { [name]: "" })).toBe(OUT);
  });

  it("is signed in with a key that it keeps or is handed", async () => {
    expect(await state({ ".claude/settings.json": { apiKeyHelper: "./key" } })).toBe("signed_in");
    expect(await state({ ".claude.json": { primaryApiKey: "x" } })).toBe("signed_in");
  });

  it("is signed out otherwise, whatever is left or damaged", async () => {
    expect(await state({})).toBe(OUT);
    expect(await state({}, { CLAUDE_CODE_USE_BEDROCK: "0" })).toBe(OUT);
    expect(await state(stored({ accessToken: "", refreshToken: "y" }))).toBe(OUT);
    expect(await state({ ".claude/.credentials.json": { mcpOAuth: {} } })).toBe(OUT);
    expect(await state({ ".claude/.credentials.json": '{"claudeAiOauth":' })).toBe(OUT);
    expect(await state({ ".claude/.credentials.json": "" })).toBe(OUT);
    const left = { oauthAccount: { emailAddress: "a@b.c" }, customApiKeyResponses: { approved: ["x"] } };
    expect(await state({ ".claude.json": left, ".claude/settings.json": "[" })).toBe(OUT);
  });

  it("is not known where its file cannot be read", async () => {
    expect(await state({ ".claude/.credentials.json": "folder" })).toBe("unknown");
  });

  it("says how to sign in", async () => {
    expect((await claude.account?.(await homeWith()))?.login).toBe("claude auth login");
  });
});

const FILE = ".claude/projects/-p/4f395ba0-d6e3-41c6-b90e-8d81cdea11ce.jsonl";
const TIME = "2026-11-18T10:05:24.149Z";
const now = new Date("2026-11-18T11:00:00Z");

/** As recorded by 2.1.325. */
const refused = {
  type: "assistant",
  uuid: "ffb22249-5f08-43bb-aae7-ca64f64280aa",
  timestamp: TIME,
  message: {
    model: "<synthetic>",
    role: "assistant",
    content: [{ type: "text", text: "You've hit your limit · resets 2:05pm (Europe/Berlin)" }],
  },
  apiError: "usage_limit_reached",
  quotaLimits: { status: "rejected", resetsAt: 1795007123, rateLimitType: "five_hour" },
  error: "rate_limit",
  isApiErrorMessage: true,
  apiErrorStatus: 429,
};
const { quotaLimits: _, apiError: __, apiErrorStatus: ___, ...earlier } = refused;
const saying = (text: string, more: object = {}) => ({
  ...earlier,
  message: { ...refused.message, content: [{ type: "text", text }] },
  ...more,
});
const answered = {
  type: "assistant",
  timestamp: "2026-11-18T10:30:00Z",
  message: { model: "claude-opus-5-5", content: [{ type: "text", text: "Hi" }] },
};

async function limit(content: string, at = now) {
  const home = await homeWith({ [FILE]: content });
  dated(home, FILE, TIME);
  return claude.limit?.(home, at);
}

describe("the limit", () => {
  const said = "You've hit your limit · resets 2:05pm (Europe/Berlin)";

  it("holds until the time that is recorded with the refusal", async () => {
    const prompt = { type: "user", message: { content: "hello" } };
    const content = lines(prompt, refused, { type: "last-prompt" }, { type: "cost-state" });
    expect(await limit(content)).toEqual({ said, until: "2026-11-18T13:05:23.000Z" });
    expect(await limit(content, new Date("2026-11-18T13:05:24Z"))).toBeUndefined();
  });

  it("or that its words name", async () => {
    expect((await limit(lines(earlier)))?.until).toBe("2026-11-18T13:05:00.000Z");
    expect((await limit(lines(saying("Claude AI usage limit reached|1795007123"))))?.until).toBe(
      "2026-11-18T13:05:23.000Z",
    );
    const weekly = saying("You've hit your limit · resets Nov 21, 11:05am (Europe/Berlin)");
    expect((await limit(lines(weekly)))?.until).toBe("2026-11-21T10:05:00.000Z");
    const params = saying("no", { apiErrorParams: { rate_limit_info: { resetsAt: 1795007123 } } });
    expect((await limit(lines(params)))?.until).toBe("2026-11-18T13:05:23.000Z");
  });

  it("without an end is believed for an hour", async () => {
    const words = "API Error: Request rejected (429) · This request would exceed the rate limit.";
    expect(await limit(lines(saying(words)))).toEqual({ said: words });
    expect(await limit(lines(saying(words)), new Date("2026-11-18T11:06:00Z"))).toBeUndefined();
  });

  it("is over once a request was answered, here or in another session", async () => {
    expect(await limit(lines(refused, answered))).toBeUndefined();
    expect(await limit(lines({ ...answered, timestamp: "2026-11-18T10:00:00Z" }, refused))).toBeDefined();
    const other = ".claude/projects/-q/dd642da2-69a5-4da2-8a7c-ee350a937413.jsonl";
    const home = await homeWith({ [FILE]: lines(refused), [other]: lines(answered) });
    for (const file of [FILE, other]) dated(home, file, TIME);
    expect(await claude.limit?.(home, now)).toBeUndefined();
  });

  it("is nothing that other failures, prompts or damage say", async () => {
    const down = saying("API Error: 529 Overloaded", { error: "server_error" });
    expect(await limit(lines(down))).toBeUndefined();
    expect(await limit(lines(refused, down))).toBeDefined();
    expect(await limit(lines({ ...refused, type: "user" }))).toBeUndefined();
    expect(await limit(lines({ ...refused, timestamp: 7 }, { ...refused, message: "x" }))).toBeUndefined();
    expect(await limit("")).toBeUndefined();
    expect(await limit('{"type":"assistant"')).toBeUndefined();
    expect(await limit(`${lines(refused)}${"x".repeat(1 << 19)}\n`)).toBeUndefined();
    expect(await claude.limit?.(await homeWith(), now)).toBeUndefined();
  });
});
