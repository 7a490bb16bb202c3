// Facts of models: an answer for any id, the table's, the user's or one that is assumed and says so.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED, aliased, DEFAULT_MODELS, defaultModel } from "../../src/models/defaults.ts";
import { detectProvider } from "../../src/models/detect.ts";
import { factsOf } from "../../src/models/facts.ts";
import { MODELS, SOURCE } from "../../src/models/known.ts";
import { modelOf } from "../../src/models/names.ts";
import { readOverrides } from "../../src/models/overrides.ts";
import { RATE_LIMITS, rateLimitsOf } from "../../src/models/rate-limits.ts";
import { fc } from "../property.ts";

const READS = ["text", "image", "pdf"];

describe("a known model", () => {
  it.each([
    ["claude-sonnet-4-5-20250929", "Sonnet 4.5", "claude", 200_000, 64_000, "signed"],
    ["claude-opus-4-5-20251101", "Opus 4.5", "claude", 200_000, 64_000, "signed"],
    ["claude-3-7-sonnet-20250219", "Sonnet 3.7", "claude", 200_000, 64_000, "signed"],
    ["claude-3-5-sonnet-20241022", "Sonnet 3.5", "claude", 200_000, 8192, "none"],
    ["gemini-2.0-flash", "Gemini 2.0 Flash", "gemini", 1_048_576, 8192, "none"],
    ["gemini-2.0-flash-thinking", "Gemini 2.0 Thinking", "gemini", 1_048_576, 65_536, "thoughts"],
    ["gemini-2.5-pro", "Gemini 2.5 Pro", "gemini", 1_048_576, 65_536, "thoughts"],
    ["gemini-1.5-pro", "Gemini 1.5 Pro", "gemini", 2_097_152, 8192, "none"],
    ["gemini-1.5-flash", "Gemini 1.5 Flash", "gemini", 1_048_576, 8192, "none"],
    ["gpt-4o", "GPT-4o", "openai", 128_000, 16_384, "none"],
    ["gpt-4o-mini", "GPT-4o Mini", "openai", 128_000, 16_384, "none"],
    ["gpt-5.5", "GPT-5.5", "openai", 1_050_000, 128_000, "hidden"],
    ["o1", "O1", "openai", 200_000, 100_000, "hidden"],
    ["o1-mini", "O1 Mini", "openai", 128_000, 65_536, "hidden"],
    ["o3-mini", "O3 Mini", "openai", 200_000, 100_000, "hidden"],
    ["gpt-oss:20b", "GPT-OSS 20B", "openai", 131_072, 32_768, "thoughts"],
    ["qwen3-coder:30b", "Qwen3 Coder 30B", "qwen", 262_144, 65_536, "none"],
  ])("%s", (id, name, provider, window, output, thinking) => {
    expect(factsOf(id)).toMatchObject({ id, name, provider, window, output, thinking, known: true });
  });

  it("takes what its vendor says", () => {
    expect(factsOf("claude-sonnet-4-5")).toMatchObject({ input: READS, tools: true, caching: true });
    expect(factsOf("o1-mini")).toMatchObject({ input: ["text"], tools: false, caching: true });
    expect(factsOf("gemini-2.5-pro").input).toEqual(["text", "image", "pdf", "audio", "video"]);
    expect(factsOf("llama3.3")).toMatchObject({ vendor: "meta", input: ["text"], caching: false });
  });

  it("has a million tokens where [1m] asks for them, and never fewer than without", () => {
    expect(factsOf("claude-sonnet-4-5[1m]")).toMatchObject({ window: 1_000_000, output: 64_000 });
    expect(factsOf("claude-tale-9[1m]")).toMatchObject({ window: 1_000_000, known: false });
    expect(factsOf("gpt-4o[1m]").window).toBe(128_000);
  });
});

describe("a model that nobody knows", () => {
  it.each([
    ["claude-tale-9", "claude", ASSUMED.claude],
    ["us.anthropic.claude-tale-9-v1:0", "claude", ASSUMED.claude],
    ["gemini-9-ultra", "gemini", ASSUMED.gemini],
    ["gpt-99", "openai", ASSUMED.openai],
    ["o9-mini", "openai", ASSUMED.openai],
    ["gpt-oss-7t-x", "openai", ASSUMED.other],
    ["qwen99-zen", "qwen", ASSUMED.other],
    ["my-company/foo-7b", "unknown", ASSUMED.other],
    ["", "unknown", ASSUMED.other],
  ])("%s is assumed to be like its family", (id, provider, assumed) => {
    expect(factsOf(id)).toMatchObject({ id, provider, known: false, ...assumed });
  });

  it("is assumed to be small, and the assumptions are these", () => {
    expect(ASSUMED.other).toEqual({
      window: 128_000,
      output: 8192,
      input: ["text"],
      tools: true,
      thinking: "none",
      caching: false,
    });
    expect(ASSUMED.claude).toMatchObject({
      window: 200_000,
      output: 64_000,
      thinking: "signed",
      input: READS,
    });
    expect(ASSUMED.gemini.window).toBe(1_048_576);
    expect(ASSUMED.openai.window).toBe(400_000);
  });
});

it("the user's own facts win, and make a model known", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-models-"));
  const foo = { name: "Foo", window: 32_000, output: 4000, input: ["text", "audio"] };
  const own = { ...foo, tools: false, thinking: "thoughts", caching: true };
  const models = { "foo-7b": own, "gpt-4o": { output: 99 } };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ models }));
  const overrides = readOverrides(folder);
  expect(factsOf("my-company/foo-7b", overrides)).toMatchObject({ ...own, provider: "unknown", known: true });
  expect(factsOf("openai/gpt-4o", overrides)).toMatchObject({ name: "GPT-4o", output: 99, window: 128_000 });
});

it("a name or a price of the user's own says nothing of what a model can do", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-models-"));
  const prices = { input: 1, output: 2 };
  const models = { "named-1": { name: "Named" }, "priced-1": { prices }, "told-1": { tools: false } };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ models }));
  const overrides = readOverrides(folder);
  expect(factsOf("named-1", overrides)).toMatchObject({ name: "Named", known: false, ...ASSUMED.other });
  expect(factsOf("priced-1", overrides)).toMatchObject({ known: false, ...ASSUMED.other });
  expect(factsOf("told-1", overrides)).toMatchObject({ known: true, tools: false });
});

it("any text whatever has facts and a provider", () => {
  const parts = [
    "claude-",
    "gemini-",
    "gpt-",
    "o1",
    "[1m]",
    "/",
    ":",
    "llama-3",
    "70b",
    "constructor",
    "__proto__",
  ];
  const ids = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.oneof(fc.constantFrom(...parts), fc.string())).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(ids, (id) => {
      const facts = factsOf(id);
      expect(facts.window).toBeGreaterThan(0);
      expect(facts.output).toBeGreaterThan(0);
      expect(facts.input).toContain("text");
      expect(typeof facts.name).toBe("string");
      expect(detectProvider(id)).toBe(facts.provider);
      expect(facts.provider).toMatch(/^[a-z]+$/);
    }),
    { numRuns: 2000 },
  );
});

describe("the provider", () => {
  it.each([
    ["claude-sonnet-4-5[1m]", "claude"],
    ["anthropic/claude-4.5-sonnet", "claude"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude"],
    ["us-gov.anthropic.claude-opus-4-6-v1", "claude"],
    ["anthropic/new-thing", "claude"],
    ["models/gemini-2.5-pro", "gemini"],
    ["gemma3:4b", "gemini"],
    ["gpt-5", "openai"],
    ["o1", "openai"],
    ["o3-mini", "openai"],
    ["o4-mini", "openai"],
    ["codex-mini-latest", "openai"],
    ["chatgpt-4o-latest", "openai"],
    ["openai/gpt-oss-120b", "openai"],
    ["meta-llama/llama-4-scout", "meta"],
    ["qwq:32b", "qwen"],
    ["deepseek-ai/DeepSeek-V9", "deepseek"],
    ["us.deepseek.r1-v1:0", "deepseek"],
    ["codestral-latest", "mistral"],
    ["kimi-k2", "moonshot"],
    ["z-ai/glm-4.6", "zhipu"],
    ["grok-code-fast-1", "xai"],
    ["MiniMax-M2", "minimax"],
    ["openai/my-own", "unknown"],
    ["octopus-1", "unknown"],
    ["", "unknown"],
  ])("of %s is %s", (id, provider) => expect(detectProvider(id)).toBe(provider));
});

it("every vendor of the table has a default model, which is one of its own", () => {
  for (const vendor of new Set(MODELS.map((model) => model.vendor)))
    expect(modelOf(defaultModel(vendor) ?? "")).toMatchObject({ vendor, id: DEFAULT_MODELS[vendor] });
  expect(defaultModel("claude")).toBe(defaultModel("anthropic"));
  expect(defaultModel("gemini")).toBe(defaultModel("google"));
  for (const stranger of ["somebody", "", "constructor", "__proto__"])
    expect(defaultModel(stranger)).toBeUndefined();
});

it("the table is sane, and says where it is from", () => {
  expect(SOURCE.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(MODELS.filter(({ window, output }) => !(output > 0 && output <= window))).toEqual([]);
  expect(MODELS.filter(({ input }) => input[0] !== "text")).toEqual([]);
});

it("limits of a minute", () => {
  expect(rateLimitsOf("claude")).toMatchObject([{ requestsPerMinute: 60, tokensPerMinute: 100_000 }]);
  expect(rateLimitsOf("gemini")).toMatchObject([{ requestsPerMinute: 60, tokensPerMinute: 1_000_000 }]);
  expect(rateLimitsOf("openai")).toMatchObject([
    { tier: "Tier 1", requestsPerMinute: 500, tokensPerMinute: 30_000 },
    { tier: "Tier 4+", requestsPerMinute: 10_000, tokensPerMinute: 800_000 },
  ]);
  expect(rateLimitsOf("azure")).toMatchObject([{ requestsPerMinute: null, tokensPerMinute: null }]);
  expect(rateLimitsOf("somebody")).toEqual([]);
  expect(RATE_LIMITS.every(({ strategy }) => strategy.length > 0)).toBe(true);
});

describe("a name in an agent's settings", () => {
  it.each([
    ["default", "claude-sonnet-5"],
    ["opus", "claude-opus-5-5"],
    ["opusplan", "claude-opus-5-5"],
    ["sonnet", "claude-sonnet-5"],
    ["haiku", "claude-haiku-4-5-20251001"],
    ["fable", "claude-fable-5-1"],
    ["Sonnet", "claude-sonnet-5"],
    ["sonnet[1m]", "claude-sonnet-5[1m]"],
    ["OPUS[1M]", "claude-opus-5-5[1M]"],
  ])("that stands for a model: %s", (name, model) => {
    expect(aliased(name)).toBe(model);
    expect(factsOf(aliased(name)).known).toBe(true);
    // It is no name for anything else.
    expect(aliased(model)).toBe(model);
  });

  it.each([
    "",
    "[1m]",
    "gpt-5.5",
    "claude-opus-4-5-20251101",
    "claude-sonnet-4-5[1m]",
    "my-sonnet",
    "sonnet ",
    "a\nb",
  ])("that stands for itself: %j", (name) => {
    expect(aliased(name)).toBe(name);
  });

  it("is none of those that every object has", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"])
      expect(aliased(name)).toBe(name);
  });
});
