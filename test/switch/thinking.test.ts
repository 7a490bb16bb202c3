// The translation matrix of thinking: from every kind of model to every other, by every policy.
import { describe, expect, it } from "vitest";
import { type Fate, fateOf, type ThinkingPolicy } from "../../src/switch/thinking.ts";

const CLAUDE = "claude-opus-4-5-20251101";
const SONNET = "claude-sonnet-4-5-20250929";
const GEMINI = "gemini-2.0-flash-thinking";
const O1 = "o1";

/** What a model of each kind leaves behind: Claude signs, Gemini's store keeps no signature, OpenAI shows no text. */
const thoughts = {
  [CLAUDE]: { text: "hm", signature: "signed" },
  [GEMINI]: { text: "hm" },
  [O1]: { text: "", signature: "encrypted" },
} as const;

/** Every target keeps what its own models have signed. */
const to = (model: string) => ({ model, keeps: () => true });

const fate = (from: keyof typeof thoughts, model: string, policy: ThinkingPolicy): Fate =>
  fateOf(thoughts[from], from, to(model), policy);

describe("from a model to itself", () => {
  it.each([CLAUDE, O1] as const)("%s: kept as it is, whatever the policy", (model) => {
    for (const policy of ["drop", "convert", "ask"] as const)
      expect(fate(model, model, policy)).toBe("preserve");
  });

  it("is the same model in any spelling", () => {
    const spelled = fateOf(thoughts[CLAUDE], "anthropic/claude-opus-4-5", to(CLAUDE), "drop");
    expect(spelled).toBe("preserve");
  });

  it("without a signature it cannot be kept, because the vendor would refuse it", () => {
    expect(fate(GEMINI, GEMINI, "drop")).toBe("drop");
    expect(fateOf({ text: "hm" }, CLAUDE, to(CLAUDE), "convert")).toBe("convert");
  });

  it("is not kept where the target cannot hand it on, or where nobody knows who wrote it", () => {
    expect(fateOf(thoughts[CLAUDE], CLAUDE, { model: CLAUDE }, "drop")).toBe("drop");
    expect(fateOf(thoughts[CLAUDE], CLAUDE, { model: CLAUDE, keeps: () => false }, "drop")).toBe("drop");
    expect(fateOf(thoughts[CLAUDE], undefined, to(CLAUDE), "drop")).toBe("drop");
  });
});

describe("from one model to another", () => {
  const others = [
    [CLAUDE, SONNET],
    [CLAUDE, GEMINI],
    [CLAUDE, O1],
    [CLAUDE, "gpt-4o"],
    [CLAUDE, "gemini-2.0-flash"],
    [GEMINI, CLAUDE],
    [GEMINI, O1],
    [GEMINI, "gpt-4o"],
  ] as const;

  it.each(others)("%s to %s: dropped, converted or asked for, as the policy says", (from, model) => {
    expect(fate(from, model, "drop")).toBe("drop");
    expect(fate(from, model, "convert")).toBe("convert");
    expect(fate(from, model, "ask")).toBe("prompt_user");
  });

  it.each([CLAUDE, GEMINI, "gpt-4o", "o3"])("o1 to %s: hidden, there is no text to convert", (model) => {
    for (const policy of ["drop", "convert", "ask"] as const) expect(fate(O1, model, policy)).toBe("hidden");
  });
});
