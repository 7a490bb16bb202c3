// The translation matrix of thinking: from every kind of model to every other, by every policy, as the target's model
// is sent it and as it is announced.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry, Part } from "../../src/session/session.ts";
import { analysed as analysis } from "../../src/switch/analyse.ts";
import { type Prepared, prepareSwitch } from "../../src/switch/prepare-switch.ts";
import { isKept, type ThinkingPolicy } from "../../src/switch/thinking.ts";
import { assistant, user } from "../session/build.ts";
import { sourceWith } from "./featured.ts";
import { named } from "./world.ts";

const OPUS = "claude-opus-4-5-20251101";
const SONNET = "claude-sonnet-4-5-20250929";
const GEMINI = "gemini-2.0-flash-thinking";
const POLICIES = ["drop", "convert", "ask"] as const;

type Thinking = Extract<Part, { type: "thinking" }>;

/** Whose session it is, and what such a model leaves behind: Claude signs, Gemini's store keeps no signature, OpenAI shows no text. */
const SOURCES: Record<string, { agent: string; provider: string; thought?: Omit<Thinking, "type"> }> = {
  [OPUS]: { agent: "claude", provider: "anthropic", thought: { text: "hm", signature: "signed" } },
  [GEMINI]: { agent: "gemini", provider: "google", thought: { text: "hm" } },
  o1: { agent: "codex", provider: "openai", thought: { text: "", signature: "sealed", hidden: true } },
  "gemini-2.0-flash": { agent: "gemini", provider: "google" },
  "gpt-4o": { agent: "codex", provider: "openai" },
};

/** All into one agent, which hands on whatever its own model has signed; `keeps` false: one that does not. */
async function switched(from: string, model: string, policy: ThinkingPolicy, keeps = true) {
  const { agent = "", provider = "", thought } = SOURCES[from] ?? {};
  const parts: Part[] = [{ type: "text", text: "replies a1" }];
  if (thought) parts.unshift({ type: "thinking", ...thought });
  const timeline: Entry[] = [user("u1"), { ...assistant("a1", { parts }), model: from } as Entry];
  const request = {
    source: sourceWith({ agent, provider, model: from }, timeline),
    to: { ...named("opencode"), keepsThinking: () => keeps },
    home: { dir: "/nowhere", env: {} },
    adapters,
    model,
    options: { thinking: policy },
  };
  const prepared = await prepareSwitch(request);
  const { warnings } = (await analysis(prepared, request)).analysis;
  const said = warnings.filter(({ code }) => code.startsWith("thinking_"));
  return { parts: await partsOf(prepared), said: said.map(({ code, message }) => `${code}: ${message}`) };
}

/** Of the reply, as the target's model sees it. */
async function partsOf({ stream }: Prepared): Promise<readonly Part[]> {
  const entries = await Array.fromAsync(stream().entries());
  const reply = entries.find(({ id }) => id === "a1");
  return reply?.type === "assistant" ? (reply.parts ?? []) : [];
}

const REPLY = { type: "text", text: "replies a1" };
const REASONING = { type: "text", text: "[Previous reasoning]\nhm\n[End reasoning]" };

describe("from a model to itself", () => {
  it.each([OPUS, "o1"])("%s: kept as it is, whatever the policy, and nothing is said", async (model) => {
    for (const policy of POLICIES) {
      const { parts, said } = await switched(model, model, policy);
      expect(parts).toEqual([{ type: "thinking", ...SOURCES[model]?.thought }, REPLY]);
      expect(said).toEqual([]);
    }
  });

  it("is the same model in any spelling", async () => {
    expect((await switched(OPUS, "anthropic/claude-opus-4-5", "drop")).parts).toHaveLength(2);
  });

  it("without a signature it cannot be kept, because the vendor would refuse it", async () => {
    expect((await switched(GEMINI, GEMINI, "drop")).parts).toEqual([REPLY]);
    expect((await switched(GEMINI, GEMINI, "convert")).parts).toEqual([REASONING, REPLY]);
  });

  it("is not kept where the target cannot hand it on, or where nobody knows who wrote it", async () => {
    expect((await switched(OPUS, OPUS, "drop", false)).parts).toEqual([REPLY]);
    expect(isKept({ signature: "signed" }, undefined, { model: OPUS, keeps: () => true })).toBe(false);
    expect(isKept({ signature: "signed" }, OPUS, { model: OPUS })).toBe(false);
  });
});

describe("from one model to another", () => {
  const others = [OPUS, GEMINI].flatMap((from) =>
    [OPUS, SONNET, GEMINI, "gemini-2.0-flash", "o1", "gpt-4o"].flatMap((model) =>
      model === from ? [] : [[from, model] as const],
    ),
  );

  it.each(others)("%s to %s: dropped, converted or asked for, as the policy says", async (from, model) => {
    const dropped = await switched(from, model, "drop");
    expect(dropped.parts).toEqual([REPLY]);
    expect(dropped.said).toEqual([
      expect.stringMatching(/^thinking_dropped: 1 thinking block will be dropped: /),
    ]);
    const converted = await switched(from, model, "convert");
    expect(converted.parts).toEqual([REASONING, REPLY]);
    expect(converted.said).toEqual([
      expect.stringMatching(/^thinking_converted: 1 thinking block will be converted to text: /),
    ]);
    expect((await switched(from, model, "ask")).said).toEqual([
      expect.stringMatching(/^thinking_dropped: 1 thinking block will be dropped or converted: you choose: /),
    ]);
  });

  it.each([OPUS, GEMINI, "gpt-4o", "o3"])("o1 to %s: hidden, there is no text to convert", async (model) => {
    for (const policy of POLICIES) {
      const { parts, said } = await switched("o1", model, policy);
      expect(parts).toEqual([REPLY]);
      expect(said).toEqual([
        expect.stringMatching(/^thinking_hidden: 1 block of reasoning never had a text/),
      ]);
    }
  });

  it.each(["gemini-2.0-flash", "gpt-4o"])(
    "%s, which does not think, to any: nothing to say",
    async (from) => {
      for (const model of [OPUS, GEMINI, "o1"])
        expect(await switched(from, model, "drop")).toEqual({ parts: [REPLY], said: [] });
    },
  );
});
