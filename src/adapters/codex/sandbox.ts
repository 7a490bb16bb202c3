// How to run the real CLI in a private home against a model on loopback.
import type { Header } from "../../session/session.ts";
import type { ListCommand, Sandbox } from "../adapter.ts";

export function sandbox(home: string, port: number): Sandbox {
  return {
    files: { ".codex/config.toml": config(port) },
    env: {
      HOME: home,
      CODEX_HOME: `${home}/.codex`,
      BATON_LOOPBACK_KEY: "loopback",
      CODEX_API_KEY: "loopback",
    },
    resume: (originalId, prompt, was) => [
      "codex",
      "exec",
      "resume",
      "--json",
      "--skip-git-repo-check",
      ...(was ? staying(was, port) : []),
      originalId,
      prompt,
    ],
    start: (prompt, was) => [
      "codex",
      "exec",
      "--json",
      "--skip-git-repo-check",
      ...(was ? staying(was, port) : []),
      prompt,
    ],
    list: listCommand,
  };
}

/**
 * A thread is refused under another provider's name, and compacted before the turn when it is resumed with a
 * model of another kind (0.166.0).
 */
function staying(was: Header["model"], port: number): string[] {
  const model = was.model === "unknown" ? [] : ["-m", was.model];
  const chosen = ["-c", `model_provider=${JSON.stringify(was.provider)}`];
  // The built-in one cannot be defined anew, but sent elsewhere.
  if (was.provider === BUILT_IN) return [...model, ...chosen];
  const table = `{name="Loopback",base_url="${url(port)}",env_key="BATON_LOOPBACK_KEY",wire_api="responses"}`;
  return [...model, ...chosen, "-c", `model_providers.${was.provider}=${table}`];
}

const BUILT_IN = "openai";
const url = (port: number) => `http://127.0.0.1:${port}/v1`;

/** Plugins are off because Codex fetches their catalogue from the net as soon as it starts (0.166.0). */
function config(port: number): string {
  return `model = "gpt-5.5"
model_provider = "loopback"
openai_base_url = "${url(port)}"
check_for_update_on_startup = false
[model_providers.loopback]
name = "Loopback"
base_url = "${url(port)}"
env_key = "BATON_LOOPBACK_KEY"
wire_api = "responses"
[features]
plugins = false
hooks = false
apps = false
[analytics]
enabled = false
[otel]
exporter = "none"
metrics_exporter = "none"
`;
}

const LIST = 2;

/** The list that the picker shows, asked of the app server, which speaks JSON lines. */
function listCommand(): ListCommand {
  const messages = [
    { id: 1, method: "initialize", params: { clientInfo: { name: "baton", title: "Baton", version: "1" } } },
    { method: "initialized" },
    { id: LIST, method: "thread/list", params: { limit: 100 } },
  ];
  return {
    argv: ["codex", "app-server"],
    stdin: messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
    isComplete: (stdout) => stdout.split("\n").some(isAnswer),
  };
}

function isAnswer(line: string): boolean {
  return line.startsWith(`{"id":${LIST},`) && line.endsWith("}");
}
