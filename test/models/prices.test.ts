// Prices: what the list has is computed as the list itself does it, and never for another model than was asked for.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calcPrice } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { MODELS } from "../../src/models/known.ts";
import { knownModels } from "../../src/models/list.ts";
import { OPEN_MODELS } from "../../src/models/open.ts";
import { type Overrides, readOverrides } from "../../src/models/overrides.ts";
import { costOf, loadPrices, type Price } from "../../src/models/prices.ts";
import { fc } from "../property.ts";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const none = readOverrides(join(tmpdir(), "no-such-folder"));
const find = await loadPrices(none);
const priced = (model: string, provider = "") => find(model, provider, NOW);

function userSays(text: string): Overrides {
  const folder = mkdtempSync(join(tmpdir(), "baton-models-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "models.json"), text);
  return readOverrides(folder);
}

describe("the matched price", () => {
  it.each([
    ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5", 3, 15],
    ["claude-sonnet-4-5[1m]", "anthropic/claude-sonnet-4-5", 3, 15],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4-5", 3, 15],
    ["claude-opus-4-5-20251101", "anthropic/claude-opus-4-5", 5, 25],
    ["claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5", 1, 5],
    ["gpt-5.1-codex-max", "openai/gpt-5.1", 1.25, 10],
    ["gpt-5.5", "openai/gpt-5.5", 5, 30],
    ["o1-mini", "openai/o1-mini", 1.1, 4.4],
    ["gemini-2.5-pro-preview-05-06", "google/gemini-2.5-pro", 1.25, 10],
    ["gemini-2.0-flash-thinking", "google/gemini-2.0-flash", 0.1, 0.4],
  ])("of %s is that of %s", (model, matched, input, output) => {
    expect(priced(model)).toMatchObject({ matched, prices: { input, output } });
  });

  it("is that of who served the model, where the list has it", () => {
    const asked = priced("anthropic/claude-sonnet-4.5", "openrouter");
    expect(asked?.matched).toBe("openrouter/anthropic/claude-sonnet-4.5");
  });

  it.each([
    ["claude-opus-4-8-fast", "anthropic/claude-opus-4-8-fast", 10],
    ["claude-opus-5-5-fast", "anthropic/claude-opus-5-5-fast", 8],
  ])("of %s is not that of the model it begins like", (model, matched, input) => {
    expect(priced(model)).toMatchObject({ matched, source: "table", prices: { input } });
  });

  it.each([
    "claude-opus-4-5-turbo",
    "claude-opus-9",
    "gpt-4o-ultra",
    "gpt-99",
    "gemini-2.5-pro-max",
    "unknown",
    "",
    "my-company/foo-7b",
    "big-pickle",
    "<synthetic>",
  ])("of %s is not guessed", (model) => expect(priced(model, "somebody")).toBeUndefined());
});

it("every model that its vendor alone serves has a price", () => {
  const own = MODELS.filter((model) => !OPEN_MODELS.includes(model));
  const unpriced = own.filter(({ id }) => priced(id) === undefined).map(({ id }) => id);
  // Newer than the price list: once that has them, they go from here.
  expect(unpriced).toEqual(["gpt-6.1-sol", "gpt-6.1-terra"]);
});

it("a model that many serve costs what whoever served it takes, and is listed with its vendor's price", () => {
  expect(priced("deepseek-v4-pro", "ollama")).toBeUndefined();
  expect(priced("grok-4.6")).toBeUndefined();
  const listed = knownModels(none, find, NOW);
  const matchedOf = (id: string) => listed.find((row) => row.id === id)?.matched;
  expect(matchedOf("grok-4.6")).toBe("x-ai/grok-4.6");
  expect(matchedOf("deepseek-v4-pro")).toBe("deepseek/deepseek-v4-pro");
  expect(matchedOf("qwen3-coder")).toBeNull();
});

it("a price is that of its day", () => {
  const at = (day: string) => find("o3", "openai", Date.parse(day))?.prices;
  expect(at("2025-05-01")).toMatchObject({ input: 10, output: 40 });
  expect(at("2026-05-01")).toMatchObject({ input: 2, output: 8 });
});

it.each(["deepseek-chat", "deepseek-reasoner", "deepseek-v4-pro", "o3"])(
  "a price of %s is that of its minute, whenever others were asked for",
  async (model) => {
    const provider = model === "o3" ? "openai" : "deepseek";
    const inOrder = await loadPrices(none);
    const changes = ["2025-06-09T23:59:59.999Z", "2026-08-16T23:59:59.999Z", "2026-11-16T00:00:00.000Z"];
    const times = changes
      .map((text) => Date.parse(text))
      .flatMap((from) =>
        Array.from({ length: 24 * 6 }, (_, at) => [from + at * 600_000, from + at * 600_000 + 1]).flat(),
      );
    for (const time of times) {
      const theirs = calcPrice({}, model, { providerId: provider, timestamp: new Date(time) })?.model_price;
      expect(inOrder(model, provider, time)?.prices, new Date(time).toISOString()).toMatchObject({
        input: theirs?.input_mtok,
        output: theirs?.output_mtok,
      });
    }
  },
);

it("a request is priced as the list prices it, cache and tiers included", () => {
  const count = fc.nat(400_000);
  const ids = MODELS.map(({ id }) => id).filter((id) => priced(id)?.source === "list");
  fc.assert(
    fc.property(
      fc.constantFrom(...ids),
      count,
      count,
      count,
      count,
      (id, input, cacheRead, cacheWrite, output) => {
        const price = priced(id) as Price;
        const [provider = ""] = price.matched.split("/");
        const theirs = calcPrice(
          {
            input_tokens: input + cacheRead + cacheWrite,
            cache_read_tokens: cacheRead,
            cache_write_tokens: cacheWrite,
            cache_write_1h_tokens: price.prices.cacheWriteHour === undefined ? 0 : cacheWrite,
            output_tokens: output,
          },
          price.matched.slice(provider.length + 1),
          { providerId: provider, timestamp: new Date(NOW) },
        );
        const tokens = { input, output, cacheRead, cacheWrite, cacheWriteHour: cacheWrite };
        expect(costOf(tokens, price)).toBeCloseTo(theirs?.total_price ?? Number.NaN, 8);
      },
    ),
    { numRuns: 300 },
  );
});

describe("the user's own file", () => {
  const own = userSays(
    '{"models":{"foo-7b":{"name":"Foo","window":32000,"prices":{"input":1,"output":2}},"gpt-5.5":{"prices":{"input":0,"output":0}}}}',
  );

  it("names and prices models that nobody knows, and wins over what is known", async () => {
    const findOwn = await loadPrices(own);
    expect(own.displayName("my-company/foo-7b")).toBe("Foo");
    expect(own.displayName("gpt-5.5")).toBe("GPT-5.5");
    expect(findOwn("my-company/foo-7b", "", NOW)).toMatchObject({
      source: "user",
      prices: { input: 1, output: 2 },
    });
    expect(findOwn("openai/gpt-5.5", "openai", NOW)).toMatchObject({ source: "user", prices: { input: 0 } });
    // 1,000 at $1 and 500 at $2 a million; without a price of its own the cache costs as much as input.
    const price = findOwn("foo-7b", "", NOW) as Price;
    expect(costOf({ input: 600, output: 500, cacheRead: 300, cacheWrite: 100 }, price)).toBeCloseTo(
      0.002,
      10,
    );
  });

  it("need not be there", () => {
    expect(none.entries).toEqual([]);
    expect(none.displayName("o1")).toBe("O1");
  });

  it.each([
    ["not json", /is not JSON/],
    ["[]", /has no list of models/],
    ['{"models":{"a":1}}', /"a"/],
    ['{"models":{"a":{"name":1}}}', /name/],
    ['{"models":{"a":{"window":"big"}}}', /window must be a number of tokens/],
    ['{"models":{"a":{"window":0}}}', /window must be a number of tokens/],
    ['{"models":{"a":{"output":-1}}}', /output must be a number of tokens/],
    ['{"models":{"a":{"input":"text"}}}', /input must be a list of text, image, pdf, audio, video/],
    ['{"models":{"a":{"input":["smell"]}}}', /input must be a list/],
    ['{"models":{"a":{"tools":"yes"}}}', /tools must be true or false/],
    ['{"models":{"a":{"thinking":true}}}', /thinking must be one of signed, thoughts, hidden, none/],
    ['{"models":{"a":{"caching":1}}}', /caching must be true or false/],
    ['{"models":{"a":{"prices":{"input":1}}}}', /at least input and output/],
    ['{"models":{"a":{"prices":{"input":1,"output":-1}}}}', /at least input and output/],
    ['{"models":{"a":{"prices":{"input":1,"output":1,"cacheRead":"x"}}}}', /dollars/],
  ])("that is wrong is an error that says where: %s", (text, message) => {
    expect(() => userSays(text)).toThrow(message);
  });
});
