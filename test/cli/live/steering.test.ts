// Lines that steer a run, and lines that mean nothing.
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { steer } from "../../../src/cli/live/steering.ts";
import type { LiveRun } from "../../../src/run/live.ts";

/** Writes down what a run is told. */
async function steered(lines: readonly string[], isKnown = true) {
  const told: unknown[] = [];
  const mistakes: string[] = [];
  const note =
    (name: string) =>
    (...given: unknown[]) => {
      told.push([name, ...given]);
      return isKnown;
    };
  const run = {
    id: "",
    events: Readable.from([]),
    isActive: false,
    prompt: note("run.prompt"),
    interrupt: note("interrupt"),
    decide: note("decide"),
    setModel: note("setModel"),
    setMode: note("setMode"),
    warn: note("warn"),
    unattended: note("unattended"),
    finish: note("finish"),
    end: note("end"),
  } satisfies LiveRun;
  const input = Readable.from(lines.map((line) => Buffer.from(line)));
  const onMistake = (sentence: string) => mistakes.push(sentence);
  await steer(input, { run, onPrompt: note("prompt"), onMistake, onEnd: note("end of the input") });
  return { told, mistakes };
}

it("prompts, approvals, interrupts and changes reach the run, in order, and the end of the input ends it", async () => {
  const lines = [
    { type: "prompt", text: "One" },
    {
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "text", text: "Two" },
          { type: "text", text: "lines" },
        ],
      },
    },
    { type: "user", message: { content: "Three" } },
    { type: "approval", id: "1", decision: "allow" },
    { type: "approval", id: "2", decision: "allow_session", input: { command: "ls" } },
    { type: "approval", id: "3", decision: "deny", message: "No." },
    { type: "approval", id: "4", decision: "allow", answers: { Which: ["This"] } },
    { type: "set_model", model: "m" },
    { type: "set_permission_mode", permission_mode: "deny" },
    { type: "interrupt" },
    { type: "end" },
  ];
  const { told, mistakes } = await steered([lines.map((line) => JSON.stringify(line)).join("\n")]);
  expect(mistakes).toEqual([]);
  expect(told).toEqual([
    ["prompt", "One"],
    ["prompt", "Two\nlines"],
    ["prompt", "Three"],
    ["decide", "1", { allow: true }],
    ["decide", "2", { allow: true, always: true, input: { command: "ls" } }],
    ["decide", "3", { allow: false, message: "No." }],
    ["decide", "4", { allow: true, answers: { Which: ["This"] } }],
    ["setModel", "m"],
    ["setMode", "deny"],
    ["interrupt"],
    ["finish"],
    // Nobody can answer any more, and no prompts come.
    ["end of the input"],
    ["unattended"],
    ["finish"],
  ]);
});

it("a line may come in pieces, and nothing that is wrong stops what follows", async () => {
  const { told, mistakes } = await steered([
    '{"type":"pro',
    'mpt","text":"ü"}\n\n',
    "not JSON\n",
    '{"type":"nothing"}\n{"type":"prompt"}\n{"type":"user","message":{"content":[]}}\n',
    '{"type":"set_permission_mode","permission_mode":"yolo"}\n',
    '{"type":"prompt","text":"Still here"}',
  ]);
  expect(told).toEqual([
    ["prompt", "ü"],
    ["prompt", "Still here"],
    ["end of the input"],
    ["unattended"],
    ["finish"],
  ]);
  expect(mistakes).toHaveLength(5);
  expect(mistakes[0]).toContain("not JSON");
  expect(mistakes[3]).toContain("no text");
});

it("a prompt without words, or after the end of the prompts, is none", async () => {
  const lines = [
    { type: "prompt", text: "" },
    { type: "prompt", text: " \n\t" },
    { type: "user", message: { content: " " } },
    { type: "prompt", text: "One" },
    { type: "end" },
    { type: "prompt", text: "Two" },
    { type: "user", message: { content: "Three" } },
    { type: "interrupt" },
  ];
  const { told, mistakes } = await steered(lines.map((line) => `${JSON.stringify(line)}\n`));
  expect(told).toEqual([
    ["prompt", "One"],
    ["finish"],
    ["interrupt"],
    ["end of the input"],
    ["unattended"],
    ["finish"],
  ]);
  const after = "A prompt came after the end of the prompts.";
  expect(mistakes).toEqual([...Array(3).fill("A prompt holds no text."), after, after]);
});

it("a model may be named as lists show it, and has to be named", async () => {
  const lines = ["Opus 4.5", " ", ""].map((model) => `${JSON.stringify({ type: "set_model", model })}\n`);
  const { told, mistakes } = await steered(lines);
  expect(told.slice(0, -3)).toEqual([["setModel", "claude-opus-4-5-20251101"]]);
  expect(mistakes).toEqual(Array(2).fill("set_model names no model."));
});

it("an approval that nobody waits for is said to be", async () => {
  const { mistakes } = await steered(['{"type":"approval","id":"7","decision":"allow"}\n'], false);
  expect(mistakes[0]).toContain("Nobody waits for the approval 7");
});
