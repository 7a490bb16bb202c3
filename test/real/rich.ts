// One session with everything in it, for each CLI: what `baton fidelity` carries from agent to agent. It is
// recorded once (`npm run renew -- --samples --write`) and published with the package.
import type { Rig } from "./harness.ts";
import type { CliName } from "./install.ts";
import { richClaude } from "./rich-claude.ts";
import { richCodex } from "./rich-codex.ts";
import { richGemini } from "./rich-gemini.ts";
import { richOpencode } from "./rich-opencode.ts";

export const RICH: Readonly<Partial<Record<CliName, (rig: Rig) => Promise<string>>>> = {
  claude: richClaude,
  codex: richCodex,
  gemini: richGemini,
  opencode: richOpencode,
};
