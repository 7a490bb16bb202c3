// Questions come to the user whole or told apart, and answers go back in the agent's own words.
import { describe, expect, it } from "vitest";
import { answersAsAsked, shownQuestions } from "../../src/run/questions.ts";
import { distinct } from "../../src/session/distinct.ts";
import { LONGEST_LINE } from "../../src/session/event-rules.ts";

const long = (words: string) => `${words} `.repeat(100);

it("what a line has room for is shown whole", () => {
  const questions = [
    {
      question: long("Which of them"),
      header: long("One"),
      options: Array.from({ length: 40 }, (_, at) => ({
        label: `${"a".repeat(60)}${at}`,
        description: long("b"),
      })),
      multiple: true,
    },
    { question: "And why?" },
  ];
  expect(shownQuestions(questions)).toEqual(questions);
});

it("signs stand for sequences, and answers have them again", () => {
  const questions = [{ question: "Is \u001b[2Jit?", options: [{ label: "\u009bYes" }] }];
  const shown = [{ question: "Is ␛[2Jit?", options: [{ label: "<U+009B>Yes" }] }];
  expect(shownQuestions(questions)).toEqual(shown);
  expect(answersAsAsked(questions, { "Is ␛[2Jit?": "<U+009B>Yes" })).toEqual({
    "Is \u001b[2Jit?": "\u009bYes",
  });
});

describe("of more than a line has room for", () => {
  const url = "https://example.com/an-organisation-with-a-long-name/";
  const questions = Array.from({ length: 12 }, (_, at) => ({
    question: `${"Which? ".repeat(90)}${at}`,
    options: Array.from({ length: 50 }, (_, one) => ({ label: `${url}${one}`, description: long("b") })),
  }));
  const shown = shownQuestions(questions);

  it("the beginnings are shown, and that they are", () => {
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(LONGEST_LINE);
    expect(shown).toHaveLength(10);
    expect(shown[0]?.options).toHaveLength(30);
    expect(shown[0]?.question.length).toBeGreaterThan(500);
    expect(shown[0]?.question).toMatch(/ …$/);
    const labels = shown[0]?.options?.map(({ label }) => label) ?? [];
    expect(labels.slice(0, 2)).toEqual([`${url.slice(0, 40)} …`, `${url.slice(0, 40)} … (2)`]);
  });

  it("each can be told from the others, and its answer is that of the whole", () => {
    const chosen = shown.map(
      ({ question, options = [] }, at) => [question, options[at]?.label ?? ""] as const,
    );
    const whole = questions.slice(0, 10).map(({ question }, at) => [question, `${url}${at}`]);
    expect(answersAsAsked(questions, Object.fromEntries(chosen))).toEqual(Object.fromEntries(whole));
    const [first] = shown;
    const several = { [first?.question ?? ""]: [first?.options?.[3]?.label ?? "", "my own"] };
    expect(answersAsAsked(questions, several)).toEqual({
      [questions[0]?.question ?? ""]: [`${url}3`, "my own"],
    });
  });

  it("the agent's own words are answers too", () => {
    const own = { [questions[11]?.question ?? ""]: `${url}49`, key: "value" };
    expect(answersAsAsked(questions, own)).toEqual(own);
  });
});

it("a question goes by its short name too", () => {
  const questions = [{ question: "Which?", header: "One", options: [{ label: "A" }, { label: "A" }] }];
  expect(answersAsAsked(questions, { One: "A (2)" })).toEqual({ "Which?": "A" });
});

it("each of many that are the same has a number of its own, and they are soon told apart", {
  timeout: 10_000,
}, () => {
  const names = distinct(Array.from({ length: 50_000 }, () => "same"));
  expect(new Set(names).size).toBe(50_000);
  expect(distinct(["a", "a (2)", "a", "a"])).toEqual(["a", "a (2)", "a (3)", "a (4)"]);
});

it("what a model made up of options is nothing to choose from", () => {
  const questions = [
    { question: "Which?", header: 3, options: [null, "x", { label: 1 }, { label: "A", description: {} }] },
  ];
  expect(shownQuestions(questions as never)).toEqual([{ question: "Which?", options: [{ label: "A" }] }]);
  expect(shownQuestions([{ question: "Which?", options: "x" }] as never)).toEqual([
    { question: "Which?", options: [] },
  ]);
});
