// How each real CLI is started, offline and without asking for permission, to make sessions. The adapters have
// their own way of resuming for a proof; this one also runs tools.
import { join } from "node:path";
import type { CliName } from "./install.ts";

export interface Driver {
  files(url: string): Record<string, string>;
  env(home: string, url: string): Record<string, string>;
  start(prompt: string): string[];
  resume(id: string, prompt: string): string[];
  /** The prompt, where it is not an argument. */
  stdin?(prompt: string): string;
  /** The session's id, from what the CLI prints. */
  idOf(stdout: string): string | undefined;
  /** Where the session files are. */
  store(home: string): string;
  /** How a session's file is named; absent = its id and .jsonl. */
  file?(id: string): string;
  /** Whether a text in the user's role is context that the CLI itself put there. */
  isContext(text: string): boolean;
  /** The CLI sends results twice when it resumes a session of its own; the vendor's rule is not applied to that. */
  sendsTwice?: true;
}

const claude: Driver = {
  files: () => ({}),
  env: (_, url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-api03-fake",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Without it root may not skip permissions.
    IS_SANDBOX: "1",
  }),
  start: (prompt) => [...CLAUDE_PRINT, prompt],
  resume: (id, prompt) => [...CLAUDE_PRINT, "--resume", id, prompt],
  idOf: (stdout) => /"session_id":"([^"]+)"/.exec(stdout)?.[1],
  store: (home) => join(home, ".claude", "projects"),
  isContext: (text) => text.startsWith("<system-reminder>"),
};

const CLAUDE_PRINT = [
  "-p",
  "--output-format",
  "stream-json",
  "--verbose",
  "--permission-mode",
  "bypassPermissions",
];

const codex: Driver = {
  files: (url) => ({ ".codex/config.toml": codexConfig(url) }),
  env: (home) => ({ CODEX_HOME: join(home, ".codex"), SIM_KEY: "fake" }),
  start: (prompt) => ["exec", ...CODEX_EXEC, prompt],
  resume: (id, prompt) => ["exec", "resume", ...CODEX_EXEC, id, prompt],
  idOf: (stdout) => /"thread_id":"([^"]+)"/.exec(stdout)?.[1],
  store: (home) => join(home, ".codex", "sessions"),
  isContext: (text) => text.startsWith("<environment_context>"),
};

const CODEX_EXEC = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

/** Plugins are off because their catalogue is fetched from the net. */
function codexConfig(url: string): string {
  return `model = "gpt-5.5"
model_provider = "sim"
check_for_update_on_startup = false
[model_providers.sim]
name = "Sim"
base_url = "${url}/v1"
env_key = "SIM_KEY"
wire_api = "responses"
[features]
plugins = false
[analytics]
enabled = false
[otel]
exporter = "none"
metrics_exporter = "none"
`;
}

const opencode: Driver = {
  files: (url) => ({
    ".config/opencode/opencode.json": JSON.stringify(openCodeConfig(url)),
    // As if its library for plugins were there: it would be fetched.
    ".config/opencode/node_modules/.keep": "",
    ".config/opencode/package.json": JSON.stringify(OPENCODE_PACKAGE),
    ".config/opencode/package-lock.json": JSON.stringify({ packages: { "": OPENCODE_PACKAGE } }),
    // The catalogue that comes with it takes half of every start.
    [OPENCODE_CATALOGUE]: "{}",
  }),
  env: (home) => ({
    OPENCODE_MODELS_PATH: join(home, OPENCODE_CATALOGUE),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_SHARE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  // With a title of its own no model is asked for one.
  start: () => [...OPENCODE_RUN, "--title", "A_test"],
  resume: (id) => [...OPENCODE_RUN, "-s", id],
  // An argument with a blank is stored in quotes, and one that is a number fails.
  stdin: (prompt) => prompt,
  idOf: (stdout) => /"sessionID":"([^"]+)"/.exec(stdout)?.[1],
  store: (home) => join(home, ".local", "share", "opencode"),
  isContext: () => false,
};

const OPENCODE_CATALOGUE = ".config/opencode/no-models.json";
const OPENCODE_RUN = ["run", "--format", "json", "--auto"];
const OPENCODE_PACKAGE = { dependencies: { "@opencode-ai/plugin": "*" } };

/** The Anthropic API takes images and documents everywhere. */
function openCodeConfig(url: string): object {
  const facts = {
    name: "Sim",
    attachment: true,
    reasoning: true,
    tool_call: true,
    modalities: { input: ["text", "image", "pdf"], output: ["text"] },
    limit: { context: 1_000_000, output: 32_000 },
  };
  const options = { baseURL: `${url}/v1`, apiKey: "fake" };
  return {
    provider: { sim: { npm: "@ai-sdk/anthropic", name: "Sim", options, models: { "sim-model": facts } } },
    model: "sim/sim-model",
    small_model: "sim/sim-model",
    // It would be asked for with the first prompt, and take a reply that is meant for something else.
    agent: { title: { disable: true } },
    enabled_providers: ["sim"],
    share: "disabled",
    autoupdate: false,
  };
}

const gemini: Driver = {
  files: () => ({ ".gemini/settings.json": GEMINI_SETTINGS }),
  env: (_, url) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: "fake",
    // Otherwise another model is asked first which one to use.
    GEMINI_MODEL: "gemini-2.5-pro",
    GEMINI_TELEMETRY_ENABLED: "false",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    // Otherwise it starts itself again, and a signal reaches only the first of the two.
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  start: (prompt) => [...GEMINI_PRINT, "-p", prompt],
  resume: (id, prompt) => [...GEMINI_PRINT, "--resume", id, "-p", prompt],
  idOf: (stdout) => /"session_id":"([^"]+)"/.exec(stdout)?.[1],
  store: (home) => join(home, ".gemini", "tmp"),
  file: (id) => `*-${id.slice(0, 8)}*.jsonl`,
  isContext: (text) => text.startsWith("<session_context>"),
  sendsTwice: true,
};

const GEMINI_PRINT = ["-m", "gemini-2.5-pro", "--output-format", "stream-json", "--yolo"];

/** With a base URL set the CLI would guess another way to sign in. */
const GEMINI_SETTINGS = JSON.stringify({
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
});

export const DRIVERS: Record<CliName, Driver> = { claude, codex, gemini, opencode };
