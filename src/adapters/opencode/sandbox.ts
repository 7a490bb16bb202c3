// How to run the real CLI in a private home against a model on loopback.
import type { Header } from "../../session/session.ts";
import type { Sandbox } from "../adapter.ts";
import type { JsonObject } from "./native.ts";

const MODEL = { provider: "loopback", model: "loopback-model" };

/** The folder is the one it is started in; from another one `run` would say nothing and never end (1.18.33). */
const RUN = ["opencode", "run", "--format", "json"] as const;

export function sandbox(home: string, port: number): Sandbox {
  return {
    files: {
      ".config/opencode/opencode.json": JSON.stringify(config(port, MODEL)),
      ...Object.fromEntries(QUIET.map(([name, content]) => [`.config/opencode/${name}`, content])),
      [CATALOGUE]: "{}",
    },
    env: { HOME: home, ...OFFLINE, OPENCODE_MODELS_PATH: `${home}/${CATALOGUE}` },
    resume: (originalId, prompt) => [...RUN, "-s", originalId, "--", ...words(prompt)],
    start: (prompt) => [...RUN, "--", ...words(prompt)],
    staying: (was) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(config(port, was)) }),
    list: () => ({ argv: ["opencode", "session", "list", "--format", "json"] }),
  };
}

/** Half of its start is spent on the models of all providers that come with it (1.18.33); one is enough here. */
const CATALOGUE = ".config/opencode/no-models.json";

const PLUGIN = { "@opencode-ai/plugin": "*" };

/** As if its plugins' library were installed: it would be fetched as soon as the CLI starts (1.18.33). */
export const QUIET: readonly (readonly [name: string, content: string])[] = [
  ["node_modules/.keep", ""],
  ["package.json", JSON.stringify({ dependencies: PLUGIN })],
  ["package-lock.json", JSON.stringify({ packages: { "": { dependencies: PLUGIN } } })],
];

export const OFFLINE = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_SHARE: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
} as const;

function config(port: number, { provider, model }: Pick<Header["model"], "provider" | "model">): JsonObject {
  return {
    provider: {
      [provider]: {
        npm: "@ai-sdk/anthropic",
        name: "Loopback",
        options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "loopback" },
        models: { [model]: FACTS },
      },
    },
    model: `${provider}/${model}`,
    small_model: `${provider}/${model}`,
    enabled_providers: [provider],
    share: "disabled",
    autoupdate: false,
    snapshot: false,
  };
}

const FACTS = {
  name: "Loopback",
  attachment: true,
  reasoning: true,
  tool_call: true,
  modalities: { input: ["text", "image", "pdf"], output: ["text"] },
  limit: { context: 10_000_000, output: 32_000 },
} as const;

/** An argument with a blank in it is stored with quotes around it (1.18.33). */
function words(prompt: string): string[] {
  return prompt.split(" ");
}
