// How to run the real CLI in a private home against a model on loopback.
import type { ListCommand, Sandbox } from "../adapter.ts";

export function sandbox(home: string, port: number): Sandbox {
  return {
    files: { ".codex/config.toml": config(port) },
    env: { HOME: home, CODEX_HOME: `${home}/.codex`, BATON_LOOPBACK_KEY: "loopback" },
    resume: (originalId, prompt) => [
      "codex",
      "exec",
      "resume",
      "--json",
      "--skip-git-repo-check",
      originalId,
      prompt,
    ],
    // An unanswered call is answered by the CLI itself.
    fillers: ["aborted"],
    list: listCommand,
  };
}

/** A custom provider only posts to /v1/responses; the built-in one would try a WebSocket first. */
function config(port: number): string {
  return `model = "gpt-5.5"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "Loopback"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "BATON_LOOPBACK_KEY"
wire_api = "responses"
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
