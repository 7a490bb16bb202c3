// The directions of a switch, each with an agent that is installed, and what is announced for one of them.
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { type AnalyseRequest, analyse, type SwitchAnalysis } from "../../src/switch/analyse.ts";
import type { SwitchWarning } from "../../src/switch/warnings.ts";
import { homeWith } from "../adapters/home.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { CLAUDE, GEMINI, OPENAI, type Side, sourceWith } from "./featured.ts";
import { named } from "./world.ts";

export interface Way {
  from: Side;
  to: string;
  model: string;
}

export const DIRECTIONS = {
  "Claude → Gemini": { from: CLAUDE, to: "gemini", model: "gemini-3-pro-preview" },
  "Claude → GPT-4o": { from: CLAUDE, to: "codex", model: "gpt-4o" },
  "Claude → O3 Mini": { from: CLAUDE, to: "codex", model: "o3-mini" },
  "Claude → O1": { from: CLAUDE, to: "codex", model: "o1" },
  "Claude → O3": { from: CLAUDE, to: "codex", model: "o3" },
  "Gemini → Claude": { from: GEMINI, to: "claude", model: "claude-sonnet-4-5-20250929" },
  "OpenAI → Claude": { from: OPENAI, to: "claude", model: "claude-sonnet-4-5-20250929" },
  "Claude → OpenCode": { from: CLAUDE, to: "opencode", model: "anthropic/claude-sonnet-4-5" },
  "Opus → Sonnet": { from: CLAUDE, to: "claude", model: "claude-sonnet-4-5-20250929" },
  "Claude → unknown": { from: CLAUDE, to: "codex", model: "mystery-1" },
} satisfies Record<string, Way>;

export type Direction = keyof typeof DIRECTIONS;

/** Keys with which every CLI is signed in; nothing is ever sent. */
export const SIGNED_IN = {
  ANTHROPIC_API_KEY: "k",
  CODEX_API_KEY: "k",
  GEMINI_API_KEY: "k",
  OPENAI_API_KEY: "k",
};

export interface Setting extends Partial<AnalyseRequest> {
  /** What lies in the home. */
  files?: Readonly<Record<string, unknown>>;
  env?: Record<string, string>;
}

export async function analysed(
  { from, to, model }: Way,
  timeline: readonly Entry[],
  { files = {}, env = SIGNED_IN, ...more }: Setting = {},
): Promise<SwitchAnalysis> {
  const home = await homeWith(files, env);
  emptyStore(home.dir);
  const agent = named(to);
  return analyse({
    home,
    source: sourceWith(from, timeline),
    to: agent,
    model,
    adapters,
    installed: { version: agent.proven.at(-1) ?? "1.0.0", path: `/bin/${to}` },
    ...more,
  });
}

/** The warnings with this code: how grave, and in which words. */
export const coded = (warnings: readonly SwitchWarning[], code: string): string[] =>
  warnings.filter((one) => one.code === code).map(({ type, message }) => `${type}: ${message}`);
