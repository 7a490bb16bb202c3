// Which model of a vendor is taken where none is named, and what is assumed of a model that nobody knows.
import { badgeOf } from "../session/vendor.ts";
import { type Abilities, K, MODALITIES, READS, READS_TEXT, SEES } from "./model.ts";

/** By vendor: the newest that is served to everybody, of the middle price. */
export const DEFAULT_MODELS: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5",
  google: "gemini-3.8-flash",
  openai: "gpt-6-sol",
  meta: "llama3.3",
  qwen: "qwen3-coder",
  deepseek: "deepseek-v4-pro",
  mistral: "mistral-medium-3.5",
  moonshot: "kimi-k3",
  zhipu: "glm-5.3",
  minimax: "minimax-m3",
  xai: "grok-4.7",
};

/** Of a vendor or a provider (`anthropic` or `claude`); undefined for one that is not known. */
export function defaultModel(vendor: string): string | undefined {
  return Object.entries(DEFAULT_MODELS).find(([name]) => name === vendor || badgeOf(name) === vendor)?.[1];
}

/** Names that CLIs take for the newest of a family. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["default", "claude-sonnet-5"],
  ["opus", "claude-opus-5-5"],
  ["opusplan", "claude-opus-5-5"],
  ["sonnet", "claude-sonnet-5"],
  ["haiku", "claude-haiku-4-5-20251001"],
  ["fable", "claude-fable-5-1"],
  ["pro", "gemini-3.1-pro-preview"],
  ["flash", "gemini-3.8-flash"],
  ["flash-lite", "gemini-3.5-flash-lite"],
  ["auto", "gemini-3.8-flash"],
]);

/** The model that a name in an agent's settings stands for, as far as that is known; others stay as they are. */
export function aliased(model: string): string {
  const [, name = "", long = ""] = /^(.*?)(\[1m\])?$/is.exec(model) ?? [];
  const found = ALIASES.get(name.toLowerCase());
  return found === undefined ? model : `${found}${long}`;
}

export type Family = "claude" | "gemini" | "openai" | "other";

export const FAMILIES: Readonly<Record<Family, string>> = {
  claude: "a Claude model",
  gemini: "a Gemini model",
  openai: "an OpenAI model",
  other: "any model",
};

/** What is assumed of a model that is in no table, by what its id begins like. */
export const ASSUMED: Readonly<Record<Family, Abilities>> = {
  claude: {
    window: 200 * K,
    output: 64 * K,
    input: READS,
    tools: true,
    thinking: "signed",
    caching: true,
  },
  gemini: {
    window: 1_048_576,
    output: 65_536,
    input: MODALITIES,
    tools: true,
    thinking: "thoughts",
    caching: true,
  },
  openai: {
    window: 400 * K,
    output: 128 * K,
    input: SEES,
    tools: true,
    thinking: "hidden",
    caching: true,
  },
  other: {
    window: 128 * K,
    output: 8192,
    input: READS_TEXT,
    tools: true,
    thinking: "none",
    caching: false,
  },
};
