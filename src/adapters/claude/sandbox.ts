// How to run the real CLI offline: with these variables its only requests go to the model on loopback.
import type { Header } from "../../session/session.ts";
import type { Sandbox } from "../adapter.ts";

const OPTIONS = ["--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"];

export function sandbox(home: string, port: number): Sandbox {
  return {
    files: { "tmp/.keep": "" },
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "sk-ant-api03-offline",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      // Otherwise it leaves folders in the system's temp folder.
      CLAUDE_CODE_TMPDIR: `${home}/tmp`,
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
      // Without it the CLI refuses to run as root in this permission mode.
      IS_SANDBOX: "1",
    },
    // The CLI stays with the model of the session by itself.
    resume: (originalId, prompt) => ["claude", "-p", prompt, "--resume", originalId, ...OPTIONS],
    start: (prompt, was) => ["claude", "-p", prompt, ...OPTIONS, ...(was ? modelOf(was) : [])],
    fillers: ["No response requested."],
  };
}

/** Other names than its vendor's make it warn. */
function modelOf({ model }: Header["model"]): string[] {
  return model.startsWith("claude-") ? ["--model", model] : [];
}
