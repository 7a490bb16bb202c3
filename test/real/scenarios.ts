// Every kind of session, by agent. Each is made by the real CLI and named by the id it was given.
import { claudeScenarios } from "./claude.ts";
import { codexScenarios } from "./codex.ts";
import { geminiScenarios } from "./gemini.ts";
import type { Rig } from "./harness.ts";
import type { CliName } from "./install.ts";
import { openCodeScenarios } from "./opencode.ts";

export type Scenarios = Readonly<Record<string, (rig: Rig) => Promise<string>>>;

export const SCENARIOS: Readonly<Record<CliName, Scenarios>> = {
  claude: claudeScenarios,
  codex: codexScenarios,
  gemini: geminiScenarios,
  opencode: openCodeScenarios,
};
