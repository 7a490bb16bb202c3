// Whether Gemini CLI is signed in and limited, and what a project's own settings change. Without credentials 0.61.0
// ends with 41 in the states that are signed out here.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { dated, type Files, homeWith, lines } from "../home.ts";

const SETTINGS = ".gemini/settings.json";
const chosen = (selectedType: string, more: Files = {}): Files => ({
  [SETTINGS]: { security: { auth: { selectedType } } },
  ...more,
});
async function state(files: Files, env: Record<string, string> = {}): Promise<string | undefined> {
  return (await gemini.account?.(await homeWith(files, env)))?.state;
}

describe("the account", () => {
  it("with Google is signed in as long as its token is there", async () => {
    const creds = { ".gemini/oauth_creds.json": { refresh_token: "x", expiry_date: 1000 } };
    expect(await state(chosen("oauth-personal", creds))).toBe("signed_in");
    const moved = {
      "m/.gemini/oauth_creds.json": { refresh_token: "x" },
      "m/.gemini/settings.json": { selectedAuthType: "oauth-personal" },
    };
    expect(await state(moved, { GEMINI_CLI_HOME: "~/m" })).toBe("signed_in");
    expect(await state({}, { GOOGLE_GENAI_USE_GCA: "true", GOOGLE_CLOUD_ACCESS_TOKEN: "x" })).toBe(
      "signed_in",
    );
    for (const left of ["{}", "", "{", '{"refresh_token":""}'])
      expect(await state(chosen("oauth-personal", { ".gemini/oauth_creds.json": left }))).toBe("signed_out");
    const accounts = { ".gemini/google_accounts.json": { active: "a@b.c" } };
    expect(await state(chosen("oauth-personal", accounts))).toBe("signed_out");
  });

  it("with Google is not known where the token is encrypted, elsewhere or unreadable", async () => {
    const encrypted = { ".gemini/gemini-credentials.json": "x" };
    expect(await state(chosen("oauth-personal", encrypted))).toBe("unknown");
    expect(await state(chosen("oauth-personal"), { GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: "true" })).toBe(
      "unknown",
    );
    expect(await state(chosen("oauth-personal"), { GOOGLE_APPLICATION_CREDENTIALS: "/x" })).toBe("unknown");
    expect(await state(chosen("oauth-personal", { ".gemini/oauth_creds.json": "folder" }))).toBe("unknown");
    expect(await state({ ".gemini/oauth_creds.json": { refresh_token: "x" } })).toBe("unknown");
  });

  it("with a key needs it in the shell or in a file of variables", async () => {
    expect(await state({}, { GEMINI_API_KEY: "x" })).toBe("signed_in");
    expect(await state(chosen("gemini-api-key"), { GEMINI_API_KEY: "x" })).toBe("signed_in");
    expect(
      await state(chosen("gemini-api-key", { ".gemini/.env": 'A=1\nexport GEMINI_API_KEY="x"\n' })),
    ).toBe("signed_in");
    expect(await state({ ".env": "GEMINI_API_KEY=x" })).toBe("signed_in");
    expect(await state({ ".gemini/.env": "A=1", ".env": "GEMINI_API_KEY=x" })).toBe("signed_out");
    expect(await state({ ".env": "GEMINI_API_KEY=\n#GEMINI_API_KEY=x" })).toBe("signed_out");
  });

  it.runIf(process.platform === "linux")(
    "with a key may have it in a keychain where there is one",
    async () => {
      expect(await state(chosen("gemini-api-key"))).toBe("signed_out");
      expect(await state(chosen("gemini-api-key", { ".gemini/gemini-credentials.json": "x" }))).toBe(
        "unknown",
      );
      expect(await state(chosen("gemini-api-key"), { DBUS_SESSION_BUS_ADDRESS: "unix:/x" })).toBe("unknown");
    },
  );

  it("of a cloud is what its variables say", async () => {
    expect(await state(chosen("vertex-ai"), { GOOGLE_API_KEY: "x" })).toBe("signed_in");
    expect(await state({}, { GOOGLE_GENAI_USE_VERTEXAI: "true" })).toBe("signed_out");
    const place = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "l" };
    expect(await state(chosen("vertex-ai"), place)).toBe("unknown");
    const adc = { ".config/gcloud/application_default_credentials.json": {} };
    expect(await state(chosen("vertex-ai", adc), place)).toBe("signed_in");
    expect(await state({}, { CLOUD_SHELL: "true" })).toBe("signed_in");
    expect(await state(chosen("compute-default-credentials"))).toBe("unknown");
    expect(await state({}, { GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1", GEMINI_API_KEY: "x" })).toBe(
      "unknown",
    );
  });

  it("is signed out where nothing was chosen, whatever else is damaged", async () => {
    expect(await gemini.account?.(await homeWith())).toEqual({ state: "signed_out", login: "gemini" });
    expect(await state({ [SETTINGS]: "{ broken" })).toBe("signed_out");
    expect(await state({ [SETTINGS]: { security: { auth: { selectedType: 7 } } } })).toBe("signed_out");
  });
});

const FILE = ".gemini/tmp/p/chats/session-2026-11-18T10-07-601dba64.jsonl";
const TIME = "2026-11-18T10:07:48.715Z";
const now = new Date("2026-11-18T11:00:00Z");
const message = (type: string, content: unknown, timestamp = TIME) => ({
  id: `${type}${timestamp}`,
  timestamp,
  type,
  content,
});

async function limit(content: string, at = now) {
  const home = await homeWith({ [FILE]: content });
  dated(home, FILE, TIME);
  return gemini.limit?.(home, at);
}

describe("the limit", () => {
  const said =
    "[API Error: You have exhausted your capacity on this model. Your quota will reset after 23h59m40s.]";
  const refused = message("error", said);
  const until = "2026-11-19T10:07:28.715Z";

  it("holds until the time that a notice names", async () => {
    expect(await limit(lines(refused, { $set: { lastUpdated: TIME } }))).toEqual({ said, until });
    expect(await limit(lines(refused), new Date(until))).toBeUndefined();
    const notice =
      "Usage limit reached for gemini-2.5-pro.\nAccess resets at 11:45 PM GMT+1.\n/model to switch models.";
    expect((await limit(lines(message("info", [{ text: notice }]))))?.until).toBe("2026-11-18T22:45:00.000Z");
  });

  it("without an end is believed for an hour", async () => {
    const daily = lines(message("error", "You have exhausted your daily quota on this model."));
    expect(await limit(daily)).toEqual({ said: "You have exhausted your daily quota on this model." });
    expect(await limit(daily, new Date("2026-11-18T11:08:00Z"))).toBeUndefined();
  });

  it("is over once the model has answered", async () => {
    const reply = message("gemini", "Hello.", "2026-11-18T10:30:00Z");
    expect(await limit(lines(refused, reply))).toBeUndefined();
    expect(await limit(lines({ ...reply, timestamp: "2026-11-18T10:00:00Z" }, refused))).toBeDefined();
  });

  it("is nothing that prompts, other notices or damage say", async () => {
    expect(await limit(lines(message("user", said)))).toBeUndefined();
    expect(
      await limit(lines(message("error", "fetch failed"), message("info", "Quota: see /stats"))),
    ).toBeUndefined();
    expect(await limit(lines({ ...refused, timestamp: 7 }, { ...refused, content: 7 }))).toBeUndefined();
    for (const damaged of ["", "{", `${lines(refused)}${"x".repeat(1 << 19)}\n`])
      expect(await limit(damaged)).toBeUndefined();
    expect(await gemini.limit?.(await homeWith({ ".gemini/tmp": "x" }), now)).toBeUndefined();
  });
});

it("the servers of a session are the user's and its project's, unless they are turned off", async () => {
  const server = { command: "true" };
  const home = await homeWith({
    [SETTINGS]: { model: { name: "user" }, mcpServers: { a: server, b: server, Off: server } },
    ".gemini/mcp-server-enablement.json": { off: { enabled: false } },
    "p/.gemini/settings.json": {
      model: { name: "own" },
      mcpServers: { c: server },
      mcp: { excluded: ["B"] },
    },
    "q/.gemini/settings.json": { mcpServers: { c: server }, mcp: { allowed: ["c"] } },
    "r/.gemini/settings.json": "{",
  });
  const at = (project: string) => gemini.configuration(home, join(home.dir, project));
  expect(await at("p")).toMatchObject({ model: "own", mcpServers: ["a", "c"] });
  expect((await at("q")).mcpServers).toEqual(["c"]);
  expect(await at("r")).toMatchObject({ model: "user", mcpServers: ["a", "b"] });
  expect((await gemini.configuration(home)).mcpServers).toEqual(["a", "b"]);
  const named = { ...home, env: { GEMINI_MODEL: "shell" } };
  expect((await gemini.configuration(named, join(home.dir, "p"))).model).toBe("shell");
});
