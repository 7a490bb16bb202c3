// How to run the real CLI in a private home against a model on loopback.
import type { Sandbox } from "../adapter.ts";

const MODEL = "gemini-2.5-pro";
const OPTIONS = ["-m", MODEL, "--output-format", "stream-json", "--yolo"];

export function sandbox(home: string, port: number): Sandbox {
  return {
    files: { ".gemini/settings.json": JSON.stringify(SETTINGS) },
    env: {
      HOME: home,
      GEMINI_CLI_HOME: home,
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
      GEMINI_API_KEY: "loopback",
      GEMINI_TELEMETRY_ENABLED: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // Otherwise it starts itself again, and stopping it leaves the other one running.
      GEMINI_CLI_NO_RELAUNCH: "true",
      // It is started several times, and compiled once.
      NODE_COMPILE_CACHE: `${home}/tmp/compiled`,
    },
    resume: (originalId, prompt) => ["gemini", ...OPTIONS, "--resume", originalId, "-p", prompt],
    start: (prompt) => ["gemini", ...OPTIONS, "-p", prompt],
    fillers: ["[The previous response was interrupted before it completed.]"],
    list: () => ({ argv: ["gemini", "--list-sessions"] }),
  };
}

/**
 * With a base URL set the CLI would guess another way to sign in. It cleans up as it does for everybody, except that
 * a session that is tried may be of any age.
 */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    sessionRetention: { enabled: true, maxAge: "36500d" },
  },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};
