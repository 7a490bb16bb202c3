// Sentences that depend on who goes on and on what was lost: a model of another vendor, and several losses of a kind.
import { describe, expect, it } from "vitest";
import { assistant, call, result, user } from "../session/build.ts";
import { analysed, coded, DIRECTIONS } from "./directions.ts";
import { around } from "./featured.ts";

const TO_GPT = DIRECTIONS["Claude → GPT-4o"];
const TO_CLAUDE = DIRECTIONS["OpenAI → Claude"];

describe("a model of another vendor", () => {
  it.each([
    [{ ...TO_CLAUDE, model: "gpt-4o" }, "GPT-4o is no model of anthropic: Claude Code may refuse it."],
    [
      { ...TO_CLAUDE, model: "qwen3-coder" },
      "Qwen3 Coder is no model of anthropic: Claude Code may refuse it.",
    ],
    [{ ...TO_GPT, model: "claude-opus-4-5" }, "Opus 4.5 is no model of openai: Codex CLI may refuse it."],
    [{ ...TO_GPT, to: "gemini" }, "GPT-4o is no model of google: Gemini CLI may refuse it."],
  ])("may be refused: %#", async (way, message) => {
    const { warnings, canSwitch, lossyFeatures } = await analysed(way, around([]));
    expect(coded(warnings, "model_foreign")).toEqual([`warning: ${message}`]);
    // It says nothing of what the conversation holds.
    expect({ canSwitch, lossyFeatures }).toEqual({ canSwitch: true, lossyFeatures: [] });
  });

  it.each([
    ["the agent's own", TO_GPT],
    ["one that nobody knows", { ...TO_GPT, model: "mystery-1" }],
    ["in an agent that has models of all", DIRECTIONS["Claude → OpenCode"]],
    ["in an agent that has models of all", { ...TO_GPT, to: "opencode", model: "openai/gpt-4o" }],
  ])("is none: %s", async (_, way) => {
    expect(coded((await analysed(way, around([]))).warnings, "model_foreign")).toEqual([]);
  });

  it("is what somebody wants who has set another provider", async () => {
    const way = { ...TO_GPT, model: "qwen3-coder" };
    const set = (provider: string) => ({
      files: { ".codex/config.toml": `model_provider = "${provider}"\n` },
    });
    const other = await analysed(way, around([]), set("ollama"));
    expect(coded(other.warnings, "model_foreign")).toEqual([]);
    const own = await analysed(way, around([]), set("openai"));
    expect(coded(own.warnings, "model_foreign")).toHaveLength(1);
  });
});

describe("losses of one kind", () => {
  const answered = [call("c1"), result("c1"), result("c1", {}, "again")];

  it("are one sentence, as grave as the gravest, with how many there are and what the first one is", async () => {
    const timeline = around([user("u2"), ...answered, result("c8"), result("c9"), assistant("a2")]);
    const { warnings } = await analysed(TO_GPT, timeline);
    expect(warnings.filter(({ code }) => code === "result_dropped")).toEqual([
      {
        type: "error",
        code: "result_dropped",
        message: "A tool result without a call would be missing (3 times): its call c1 is answered already",
        affectedMessages: [5, 6, 7],
        entries: ["again", "r8", "r9"],
      },
    ]);
  });

  it("are no error where none of them is, and one is not counted", async () => {
    const { warnings } = await analysed(TO_GPT, around([user("u2"), ...answered, assistant("a2")]));
    expect(coded(warnings, "result_dropped")).toEqual([
      "warning: A tool result without a call would be missing: its call c1 is answered already",
    ]);
  });
});
