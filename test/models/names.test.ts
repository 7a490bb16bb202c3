// Names of models: the names that were agreed on, every spelling of an id, and ids of models that nobody knows.
import { describe, expect, it } from "vitest";
import { makerOf } from "../../src/models/detect.ts";
import { MODELS } from "../../src/models/known.ts";
import { displayName, idNamed, isLong, isSameModel, modelOf } from "../../src/models/names.ts";
import { badgeFor } from "../../src/models/providers.ts";

describe("the names that were agreed on", () => {
  it.each([
    ["claude-sonnet-4-5-20250929", "Sonnet 4.5"],
    ["claude-opus-4-5-20251101", "Opus 4.5"],
    ["gemini-2.0-flash", "Gemini 2.0 Flash"],
    ["gemini-2.0-flash-thinking", "Gemini 2.0 Thinking"],
    ["gemini-1.5-pro", "Gemini 1.5 Pro"],
    ["gemini-1.5-flash", "Gemini 1.5 Flash"],
    ["gpt-4o", "GPT-4o"],
    ["gpt-4o-mini", "GPT-4o Mini"],
    ["o1", "O1"],
    ["o1-mini", "O1 Mini"],
    ["o3-mini", "O3 Mini"],
  ])("%s is %s", (id, name) => expect(displayName(id)).toBe(name));
});

describe("one model has one name in every spelling", () => {
  it.each([
    "claude-sonnet-4-5",
    "claude-sonnet-4-5[1m]",
    "claude-sonnet-4-5-20250929[1M]",
    "claude-sonnet-4.5",
    "anthropic/claude-sonnet-4.5",
    "anthropic/claude-4.5-sonnet-20250929",
    "openrouter/anthropic/claude-sonnet-4.5:beta",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-5@20250929",
    " Claude-Sonnet-4-5 ",
  ])("%s", (id) => {
    expect(displayName(id)).toBe("Sonnet 4.5");
    expect(modelOf(id)?.id).toBe("claude-sonnet-4-5-20250929");
  });

  it.each([
    ["claude-3-5-sonnet-latest", "Sonnet 3.5"],
    ["anthropic/claude-3.5-sonnet", "Sonnet 3.5"],
    ["claude-3-haiku-20240307", "Haiku 3"],
    ["gpt-4o-2024-08-06", "GPT-4o"],
    ["gpt-5(high)", "GPT-5"],
    ["o3-mini-2025-01-31", "O3 Mini"],
    ["models/gemini-2.5-pro", "Gemini 2.5 Pro"],
    ["gemini-2.0-flash-001", "Gemini 2.0 Flash"],
    ["gemini-2.0-flash-thinking-exp-01-21", "Gemini 2.0 Thinking"],
    ["gemini-2.5-pro-preview-05-06", "Gemini 2.5 Pro Preview"],
    ["codex-mini-latest", "Codex Mini"],
    ["openai/gpt-oss-120b", "GPT-OSS 120B"],
  ])("%s is %s", (id, name) => expect(displayName(id)).toBe(name));
});

describe("open weights have one name, with their size, in every spelling", () => {
  it.each([
    ["llama3.3:70b", "Llama 3.3 70B", "llama3.3:70b"],
    ["meta-llama/llama-3.3-70b-instruct", "Llama 3.3 70B", "llama3.3:70b"],
    ["us.meta.llama3-3-70b-instruct-v1:0", "Llama 3.3 70B", "llama3.3:70b"],
    ["ai/llama3.1:8B-Q4_K_M", "Llama 3.1 8B", "llama3.1:8b"],
    ["ai/qwen3-coder", "Qwen3 Coder", "qwen3-coder"],
    ["qwen3-coder:480b-cloud", "Qwen3 Coder 480B", "qwen3-coder:480b"],
    ["hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M", "Qwen3 Coder 30B", "qwen3-coder:30b"],
    ["qwen/qwen-2.5-coder-32b-instruct", "Qwen2.5 Coder 32B", "qwen2.5-coder:32b"],
    ["google/gemma-3-27b-it", "Gemma 3 27B", "gemma3:27b"],
    ["gemma3:4b-it-qat", "Gemma 3 4B", "gemma3:4b"],
    ["gpt-oss:20b", "GPT-OSS 20B", "gpt-oss-20b"],
    ["openai.gpt-oss-120b-1:0", "GPT-OSS 120B", "gpt-oss-120b"],
    ["deepseek/deepseek-r1-0528:free", "DeepSeek R1 0528", "deepseek-r1-0528"],
    ["deepseek-r1:14b", "DeepSeek R1 14B", "deepseek-r1:14b"],
    ["mistral-large-latest", "Mistral Large", "mistral-large"],
    ["mistral-large-2411", "Mistral Large 2.1", "mistral-large-2411"],
    ["moonshotai/Kimi-K2-Instruct", "Kimi K2", "kimi-k2"],
    ["GLM-4.6", "GLM-4.6", "glm-4.6"],
    ["x-ai/grok-4-0709", "Grok 4", "grok-4"],
    ["MiniMaxAI/MiniMax-M2", "MiniMax M2", "minimax-m2"],
  ])("%s is %s", (id, name, one) => {
    expect(displayName(id)).toBe(name);
    expect(modelOf(id)?.id).toBe(one);
  });
});

describe("a model that came out later", () => {
  it.each([
    ["claude-opus-9-1-20300101", "Opus 9.1"],
    ["claude-tale-6", "Tale 6"],
    ["claude-opus-6-fast", "Opus 6 Fast"],
    ["gemini-9.5-flash-lite", "Gemini 9.5 Flash Lite"],
    ["gpt-7.2-codex-max", "GPT-7.2 Codex Max"],
    ["gpt-8o-mini", "GPT-8o Mini"],
    ["o9-pro", "O9 Pro"],
  ])("%s is %s", (id, name) => expect(displayName(id)).toBe(name));
});

describe("a model of nobody we know", () => {
  it.each(["my-company/foo-7b", "unknown", "", "big-pickle", "claude-instant", "<synthetic>", "deepseek-v2"])(
    "%s keeps its id",
    (id) => expect(displayName(id)).toBe(id),
  );

  it("cannot act on a terminal", () => {
    expect(displayName("foo\u001b[31m\n\u202ebar")).toBe("foo[31mbar");
  });
});

describe("a model that is named as people read it", () => {
  it.each([
    ["Sonnet 4.5", "claude-sonnet-4-5-20250929"],
    ["sonnet 4.5", "claude-sonnet-4-5-20250929"],
    ["Claude Opus 4.5", "claude-opus-4-5-20251101"],
    ["gpt 4o", "gpt-4o"],
    ["GPT-4o", "gpt-4o"],
    ["GPT-4o Mini", "gpt-4o-mini"],
    ["Gemini 2.5 Pro", "gemini-2.5-pro"],
    ["o3 mini", "o3-mini"],
  ])("%s is %s", (name, id) => expect(idNamed(name)).toBe(id));

  it("is found by the name of each in the table", () => {
    for (const { id, name } of MODELS) expect([name, idNamed(name)]).toEqual([name, id]);
  });

  it.each([
    "gpt-4o",
    "Gpt-4o",
    "claude-sonnet-4-5",
    "anthropic/claude-sonnet-4.5",
    "claude-sonnet-4-5[1m]",
    "llama3.3:70b",
    "mystery-1",
    "my-company/foo-7b",
    "Claude",
    "",
  ])("%j stays what it is", (given) => expect(idNamed(given)).toBe(given));
});

it("[1m] asks for the long window", () => {
  expect(isLong("claude-sonnet-4-5[1m]")).toBe(true);
  expect(isLong("claude-sonnet-4-5")).toBe(false);
});

it.each([
  ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5@20250929", true],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20251001", false],
  ["gpt-5.5-2026-01-02", "gpt-5.5-20260102", true],
  ["gpt-5.5", "gpt-5.5-mini", false],
  ["gpt-5.5", "gpt-5.4", false],
])("%s and %s are one model: %s", (one, other, isSame) => {
  expect(isSameModel(one, other)).toBe(isSame);
  expect(isSameModel(other, one)).toBe(isSame);
});

it("no two models of the table are one, and each is told by its vendor's names", () => {
  expect(MODELS.map(({ id }) => modelOf(id)?.id)).toEqual(MODELS.map(({ id }) => id));
  expect(MODELS.filter(({ id, vendor }) => makerOf(id) !== vendor)).toEqual([]);
});

it.each([
  ["claude", { provider: "claude", label: "Claude", color: "#D97757" }],
  ["anthropic", { provider: "claude", label: "Claude", color: "#D97757" }],
  ["gemini", { provider: "gemini", label: "Gemini", color: "#4285F4" }],
  ["google", { provider: "gemini", label: "Gemini", color: "#4285F4" }],
  ["openai", { provider: "openai", label: "OpenAI", color: "#10A37F" }],
  ["codex", { provider: "openai", label: "OpenAI", color: "#10A37F" }],
  ["somebody", { provider: "somebody", label: "somebody", color: "#666" }],
])("the badge of %s", (name, badge) => expect(badgeFor(name)).toEqual(badge));
