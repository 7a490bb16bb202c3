// What is known of models by name: how they are called, how much they take and in what form, and where that was read.
// Names are short, as one would say them. Prices stand here only where the price library has none or a wrong one.
import {
  type Common,
  K,
  M,
  MODALITIES,
  type Model,
  type Prices,
  READS,
  READS_TEXT,
  rows,
  SEES,
} from "./model.ts";
import { OPEN_MODELS } from "./open.ts";

/** The date is that of the newest entry of the list. */
export const SOURCE = {
  name: "models.dev (as in OpenCode 1.18.33), older models from their vendors' pages",
  date: "2026-09-28",
} as const;

/** Twice the price of the model itself; the library takes such an id for the model itself or does not know it. */
const fast = (input: number, cacheRead: number): Prices => ({
  input,
  output: input * 5,
  cacheRead,
  cacheWrite: input * 1.25,
  cacheWriteHour: input * 2,
});

/** All three vendors keep prompts that are sent again, for all of their models that are served. */
const CLAUDE: Common = { vendor: "anthropic", input: READS, thinking: "signed", caching: true };
const GEMINI: Common = { vendor: "google", input: MODALITIES, thinking: "thoughts", caching: true };
const OPENAI: Common = { vendor: "openai", input: READS, thinking: "hidden", caching: true };

export const MODELS: readonly Model[] = [
  ...rows(CLAUDE, [
    ["claude-fable-5-1", "Fable 5.1", M, 128 * K],
    ["claude-fable-5", "Fable 5", M, 128 * K],
    ["claude-opus-5-5", "Opus 5.5", M, 128 * K],
    ["claude-opus-5-5-fast", "Opus 5.5 Fast", M, 128 * K, fast(8, 0.4)],
    ["claude-opus-5", "Opus 5", M, 128 * K],
    ["claude-opus-5-fast", "Opus 5 Fast", M, 128 * K, fast(10, 1)],
    ["claude-opus-4-8", "Opus 4.8", M, 128 * K],
    ["claude-opus-4-8-fast", "Opus 4.8 Fast", M, 128 * K, fast(10, 1)],
    ["claude-opus-4-7", "Opus 4.7", M, 128 * K],
    ["claude-opus-4-6", "Opus 4.6", M, 128 * K],
    ["claude-opus-4-5-20251101", "Opus 4.5", 200 * K, 64 * K],
    ["claude-opus-4-1-20250805", "Opus 4.1", 200 * K, 32 * K],
    ["claude-opus-4-20250514", "Opus 4", 200 * K, 32 * K],
    ["claude-sonnet-5", "Sonnet 5", M, 128 * K],
    ["claude-sonnet-4-6", "Sonnet 4.6", M, 128 * K],
    // A million only where it is asked for, with [1m].
    ["claude-sonnet-4-5-20250929", "Sonnet 4.5", 200 * K, 64 * K],
    ["claude-sonnet-4-20250514", "Sonnet 4", 200 * K, 64 * K],
    ["claude-haiku-4-5-20251001", "Haiku 4.5", 200 * K, 64 * K],
    ["claude-3-7-sonnet-20250219", "Sonnet 3.7", 200 * K, 64 * K],
  ]),
  ...rows({ ...CLAUDE, thinking: "none" }, [
    ["claude-3-5-sonnet-20241022", "Sonnet 3.5", 200 * K, 8192],
    ["claude-3-5-haiku-20241022", "Haiku 3.5", 200 * K, 8192],
    ["claude-3-opus-20240229", "Opus 3", 200 * K, 4096],
    ["claude-3-haiku-20240307", "Haiku 3", 200 * K, 4096],
  ]),
  ...rows(GEMINI, [
    ["gemini-3.8-flash", "Gemini 3.8 Flash", 1_048_576, 65_536],
    ["gemini-3.7-flash", "Gemini 3.7 Flash", 1_048_576, 65_536],
    ["gemini-3.6-flash", "Gemini 3.6 Flash", 1_048_576, 65_536],
    ["gemini-3.5-flash", "Gemini 3.5 Flash", 1_048_576, 65_536],
    ["gemini-3.5-flash-lite", "Gemini 3.5 Flash Lite", 1_048_576, 65_536],
    ["gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", 1_048_576, 65_536],
    ["gemini-3.1-flash-lite", "Gemini 3.1 Flash Lite", 1_048_576, 65_536],
    ["gemini-3-pro-preview", "Gemini 3 Pro Preview", 1_048_576, 65_536],
    ["gemini-3-flash-preview", "Gemini 3 Flash Preview", 1_048_576, 65_536],
    ["gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, 65_536],
    ["gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, 65_536],
    ["gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite", 1_048_576, 65_536],
  ]),
  ...rows({ ...GEMINI, thinking: "none" }, [
    ["gemini-2.0-flash", "Gemini 2.0 Flash", 1_048_576, 8192],
    ["gemini-2.0-flash-lite", "Gemini 2.0 Flash Lite", 1_048_576, 8192],
  ]),
  ...rows({ ...GEMINI, input: SEES, tools: false }, [
    ["gemini-2.0-flash-thinking", "Gemini 2.0 Thinking", 1_048_576, 65_536],
  ]),
  ...rows({ ...GEMINI, thinking: "none" }, [
    ["gemini-1.5-pro", "Gemini 1.5 Pro", 2_097_152, 8192],
    ["gemini-1.5-flash", "Gemini 1.5 Flash", 1_048_576, 8192],
  ]),
  ...rows(OPENAI, [
    ["gpt-6-astra", "GPT-6 Astra", 1_050_000, 128 * K],
    ["gpt-6-sol", "GPT-6 Sol", 1_050_000, 128 * K],
    ["gpt-6-luna", "GPT-6 Luna", 1_050_000, 128 * K],
    ["gpt-5.6", "GPT-5.6", 1_050_000, 128 * K],
    ["gpt-5.6-sol", "GPT-5.6 Sol", 1_050_000, 128 * K],
    ["gpt-5.6-terra", "GPT-5.6 Terra", 1_050_000, 128 * K],
    ["gpt-5.6-luna", "GPT-5.6 Luna", 1_050_000, 128 * K],
    ["gpt-5.5", "GPT-5.5", 1_050_000, 128 * K],
    ["gpt-5.5-pro", "GPT-5.5 Pro", 1_050_000, 128 * K],
    ["gpt-5.4", "GPT-5.4", 1_050_000, 128 * K],
    ["gpt-5.3-codex", "GPT-5.3 Codex", 400 * K, 128 * K],
    [
      "gpt-5.3-codex-spark",
      "GPT-5.3 Codex Spark",
      128 * K,
      32 * K,
      { input: 1.75, output: 14, cacheRead: 0.175 },
    ],
  ]),
  ...rows({ ...OPENAI, input: SEES }, [
    // Newer than the snapshot: from the list of Codex 0.166.0, which has no word on prices; sizes as of GPT-6 Sol.
    ["gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, 128 * K],
    ["gpt-6.1-terra", "GPT-6.1 Terra", 1_050_000, 128 * K],
    ["gpt-5.4-pro", "GPT-5.4 Pro", 1_050_000, 128 * K],
    ["gpt-5.4-mini", "GPT-5.4 Mini", 400 * K, 128 * K],
    ["gpt-5.4-nano", "GPT-5.4 Nano", 400 * K, 128 * K],
    ["gpt-5.2", "GPT-5.2", 400 * K, 128 * K],
    ["gpt-5.2-codex", "GPT-5.2 Codex", 400 * K, 128 * K],
    ["gpt-5.2-pro", "GPT-5.2 Pro", 400 * K, 128 * K],
    ["gpt-5.1", "GPT-5.1", 400 * K, 128 * K],
    ["gpt-5.1-codex", "GPT-5.1 Codex", 400 * K, 128 * K],
    ["gpt-5.1-codex-max", "GPT-5.1 Codex Max", 400 * K, 128 * K],
    ["gpt-5.1-codex-mini", "GPT-5.1 Codex Mini", 400 * K, 128 * K],
    ["gpt-5", "GPT-5", 400 * K, 128 * K],
    ["gpt-5-codex", "GPT-5 Codex", 400 * K, 128 * K],
    ["gpt-5-mini", "GPT-5 Mini", 400 * K, 128 * K],
    ["gpt-5-nano", "GPT-5 Nano", 400 * K, 128 * K],
    ["gpt-5-pro", "GPT-5 Pro", 400 * K, 272 * K],
  ]),
  ...rows({ ...OPENAI, thinking: "none" }, [
    ["gpt-4.1", "GPT-4.1", 1_047_576, 32_768],
    ["gpt-4.1-mini", "GPT-4.1 Mini", 1_047_576, 32_768],
    ["gpt-4.1-nano", "GPT-4.1 Nano", 1_047_576, 32_768],
    ["gpt-4o", "GPT-4o", 128 * K, 16_384],
    ["gpt-4o-mini", "GPT-4o Mini", 128 * K, 16_384],
  ]),
  ...rows({ ...OPENAI, thinking: "none", input: SEES }, [["gpt-4-turbo", "GPT-4 Turbo", 128 * K, 4096]]),
  ...rows({ ...OPENAI, thinking: "none", input: READS_TEXT }, [
    ["gpt-4", "GPT-4", 8192, 8192],
    ["gpt-3.5-turbo", "GPT-3.5 Turbo", 16_385, 4096],
  ]),
  ...rows(OPENAI, [
    ["o1", "O1", 200 * K, 100 * K],
    ["o3", "O3", 200 * K, 100 * K],
  ]),
  ...rows({ ...OPENAI, input: SEES }, [
    ["o4-mini", "O4 Mini", 200 * K, 100 * K],
    ["o1-pro", "O1 Pro", 200 * K, 100 * K],
    ["o3-pro", "O3 Pro", 200 * K, 100 * K],
    ["codex-mini-latest", "Codex Mini", 200 * K, 100 * K],
  ]),
  ...rows({ ...OPENAI, input: READS_TEXT }, [["o3-mini", "O3 Mini", 200 * K, 100 * K]]),
  ...rows({ ...OPENAI, input: READS_TEXT, tools: false }, [["o1-mini", "O1 Mini", 128 * K, 65_536]]),
  ...OPEN_MODELS,
];
