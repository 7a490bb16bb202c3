// A conversation that was prepared for another model: the messages of its vendor's API, and what is said beside them.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { countTokens } from "../../src/models/tokens.ts";
import type { Entry } from "../../src/session/session.ts";
import { analysisOf } from "../../src/switch/analyse.ts";
import { prepareSwitch, type SwitchOptions, type SwitchRequest } from "../../src/switch/prepare-switch.ts";
import { type PreparedConversation, preparedConversation } from "../../src/switch/prepared-conversation.ts";
import type { Summarizer } from "../../src/switch/summarize.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { CLAUDE, OPENAI, replied, sourceWith, text } from "./featured.ts";
import { MODELS } from "./over.ts";
import { windowed } from "./prepared.ts";
import { named, newWorld } from "./world.ts";

type Target = "claude" | "gemini" | "codex";

async function prepared(
  to: Target,
  timeline: readonly Entry[],
  options: SwitchOptions = {},
  more: Pick<SwitchRequest, "overrides" | "summarizer"> = {},
): Promise<PreparedConversation> {
  const { home } = await newWorld();
  const request: SwitchRequest = {
    home,
    source: sourceWith(to === "claude" ? OPENAI : CLAUDE, timeline),
    to: named(to),
    ...(MODELS[to] !== undefined && { model: MODELS[to] }),
    adapters,
    options,
    ...more,
  };
  const made = await prepareSwitch(request);
  return preparedConversation(made, analysisOf(made, [], request));
}

const told: Entry = { ...user("s1"), type: "system", content: "Be brief." };
const TIMELINE: Entry[] = [
  told,
  user("u1"),
  replied("a1", [{ type: "thinking", text: "hm" }, text("let me look")], { turn: "t1" }),
  {
    ...call("c1"),
    turn: "t1",
    input: { command: "ls" },
    originalTool: "run",
    originalInput: { command: "ls" },
  } as Entry,
  result("c1"),
  assistant("a2"),
];

/** Each form of the same conversation. */
const FORMS: Record<Target, object[]> = {
  claude: [
    { role: "user", content: "says u1" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "let me look" },
        { type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "output of c1" }] },
    { role: "assistant", content: "replies a2" },
  ],
  gemini: [
    { role: "user", parts: [{ text: "says u1" }] },
    {
      role: "model",
      parts: [
        { text: "let me look" },
        expect.objectContaining({
          functionCall: { id: "c1", name: "run_shell_command", args: { command: "ls" } },
        }),
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "run_shell_command", response: { output: "output of c1" } } },
      ],
    },
    { role: "model", parts: [{ text: "replies a2" }] },
  ],
  codex: [
    { type: "message", role: "user", content: "says u1" },
    { type: "message", role: "assistant", content: [outputText("let me look")] },
    { type: "function_call", call_id: "c1", name: "exec_command", arguments: '{"cmd":"ls"}' },
    { type: "function_call_output", call_id: "c1", output: "output of c1" },
    { type: "message", role: "assistant", content: [outputText("replies a2")] },
  ],
};

function outputText(words: string): object {
  return { type: "output_text", text: words, annotations: [] };
}

const WORDS = "words ".repeat(12_000);
const words = ({ history }: PreparedConversation): string => JSON.stringify(history);

describe.each(Object.entries(FORMS) as [Target, object[]][])("for %s", (to, form) => {
  it("is in the form of its vendor's API, with the instructions beside it", async () => {
    const conversation = await prepared(to, TIMELINE);
    expect(conversation).toEqual({
      history: form,
      systemPrompt: "Be brief.",
      warnings: expect.any(Array),
      summarized: false,
      originalMessageCount: 5,
      preservedMessageCount: 5,
    });
    expect(conversation.warnings.find(({ code }) => code === "thinking_dropped")).toMatchObject({
      message: expect.stringContaining("1 thinking block will be dropped"),
      affectedMessages: [2],
      entries: ["a1"],
    });
  });

  it("can have no instructions", async () => {
    const conversation = await prepared(to, TIMELINE, { preserveSystemPrompt: false });
    expect(conversation).not.toHaveProperty("systemPrompt");
    expect(conversation.history).toEqual(form);
    expect(conversation).toMatchObject({ originalMessageCount: 5, preservedMessageCount: 4 });
    expect(await prepared(to, TIMELINE.slice(1))).not.toHaveProperty("systemPrompt");
  });

  it("can have no tool calls", async () => {
    const conversation = await prepared(to, TIMELINE, { includeToolHistory: false });
    expect(words(conversation)).not.toMatch(/tool_use|function|"run"|output of c1/);
    for (const said of ["says u1", "let me look", "replies a2"]) expect(words(conversation)).toContain(said);
    expect(conversation).toMatchObject({ originalMessageCount: 5, preservedMessageCount: 4 });
  });

  it("can have thinking as text", async () => {
    const conversation = await prepared(to, TIMELINE, { thinking: "convert" });
    expect(words(conversation)).toContain("[Previous reasoning]\\nhm\\n[End reasoning]");
    expect(conversation.warnings.map(({ code }) => code)).toContain("thinking_converted");
  });

  it("has a result for every call", async () => {
    const conversation = await prepared(to, TIMELINE.slice(0, 4));
    expect(words(conversation)).toContain("[Tool call was interrupted; no result was recorded]");
    expect(conversation).toMatchObject({ originalMessageCount: 3, preservedMessageCount: 3 });
    expect(conversation.warnings.find(({ code }) => code === "calls_unfinished")).toMatchObject({
      affectedMessages: [2],
      entries: ["c1"],
    });
  });

  describe("and too long", () => {
    const old = (at: number): Entry[] => [
      { ...user(`u${at}`), content: `question ${at}` } as Entry,
      { ...assistant(`a${at}`), content: `answer ${at} ${WORDS}` } as Entry,
    ];
    const long = [told, ...old(11), ...old(12), ...old(13), ...old(14), ...TIMELINE.slice(1)];
    // Room for two of the older turns, beside what the agent says by itself.
    const room = (named(to).ownTokens ?? 0) + 2.5 * countTokens(WORDS);
    const overrides = windowed(Math.ceil(room / 0.6));

    it("is truncated to the newest turns that fill 60 %", async () => {
      const conversation = await prepared(to, long, { summarizationStrategy: "truncate" }, { overrides });
      expect(conversation).toMatchObject({
        summarized: false,
        systemPrompt: "Be brief.",
        originalMessageCount: 13,
        preservedMessageCount: 9,
      });
      expect(words(conversation)).toContain(
        "[Earlier conversation left out - 4 messages; all of it: baton show ",
      );
      for (const said of ["question 13", "question 14", "says u1"])
        expect(words(conversation)).toContain(said);
      expect(words(conversation)).not.toMatch(/question 1[12]|answer 1[12]/);
    });

    it("is summarised but for the newest turn", async () => {
      const conversation = await prepared(to, long, { summarizationStrategy: "summarize" }, { overrides });
      expect(conversation).toMatchObject({
        summarized: true,
        systemPrompt: "Be brief.",
        originalMessageCount: 13,
        preservedMessageCount: 5,
      });
      expect(words(conversation)).toContain("[Previous conversation summary - 8 messages]\\n\\n");
      expect(conversation.history.slice(1)).toEqual(form);
    });

    it("keeps the newest turns behind a summary of the others", async () => {
      const asked: string[] = [];
      const summarizer: Summarizer = async ({ transcript }) => {
        asked.push(transcript);
        return "They talked.";
      };
      const options = { summarizationStrategy: "hybrid" as const };
      const conversation = await prepared(to, long, options, { overrides, summarizer });
      expect(conversation).toMatchObject({
        summarized: true,
        systemPrompt: "Be brief.",
        originalMessageCount: 13,
        preservedMessageCount: 9,
      });
      expect(words(conversation)).toContain("[Previous conversation summary - 4 messages]\\n\\nThey talked.");
      expect(words(conversation)).toContain("question 13");
      // Neither what stays nor the instructions are summarised.
      expect(asked.join("\n")).toContain("question 12");
      expect(asked.join("\n")).not.toMatch(/question 13|says u1|Be brief/);
    });

    it("is not reduced unless that is asked for", async () => {
      await expect(prepared(to, long, {}, { overrides })).rejects.toMatchObject({
        code: "refused",
        message: expect.stringMatching(/^[\d,]+ tokens are more than the target's model can be sent\.$/),
        hint: "Choose with --strategy how to reduce it: truncate, summarize or hybrid.",
      });
    });
  });
});
