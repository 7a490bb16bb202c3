// Questions as an event can hold them, and what is answered to them in the agent's own words: those it knows its
// questions and options by.
import type { Decision } from "../adapters/driver.ts";
import { distinct } from "../session/distinct.ts";
import { visibleSequences } from "../session/escapes.ts";
import { LONGEST_LINE } from "../session/event-rules.ts";
import type { Question } from "../session/tools.ts";

type Option = NonNullable<Question["options"]>[number];
type Answers = NonNullable<Decision["answers"]>;

/** Beside the same in the arguments, twice. */
const ROOM = LONGEST_LINE / 5;

/** How many of each, and how long. */
interface Limits {
  questions: number;
  options: number;
  question: number;
  header: number;
  label: number;
  description: number;
}

const WHOLE: Limits = {
  questions: Number.POSITIVE_INFINITY,
  options: Number.POSITIVE_INFINITY,
  question: Number.POSITIVE_INFINITY,
  header: Number.POSITIVE_INFINITY,
  label: Number.POSITIVE_INFINITY,
  description: Number.POSITIVE_INFINITY,
};
/** What a person can look through, where all of it is more than a line holds. */
const SHORT: Limits = { questions: 10, options: 30, question: 500, header: 100, label: 40, description: 60 };

export function shownQuestions(questions: readonly Question[]): Question[] {
  const whole = within(questions, WHOLE);
  return Buffer.byteLength(JSON.stringify(whole)) < ROOM ? whole : within(questions, SHORT);
}

/** Answers go by the words that were shown, which may be cut, or told apart by a number. */
export function answersAsAsked(questions: readonly Question[], answers: Answers): Answers {
  const shown = shownQuestions(questions);
  const given = Object.entries(answers).map(([name, answer]) => {
    const named = shown.findIndex(({ question }) => question === name);
    // Some agents take a question's short name too.
    const at = named === -1 ? shown.findIndex(({ header }) => header === name) : named;
    const asked = questions[at];
    if (!asked) return [name, answer] as const;
    const labels = new Map<string, string>();
    for (const [index, { label }] of (shown[at]?.options ?? []).entries())
      labels.set(label, optionsOf(asked)[index]?.label ?? label);
    const own = (word: string) => labels.get(word) ?? word;
    return [asked.question, typeof answer === "string" ? own(answer) : answer.map(own)] as const;
  });
  return Object.fromEntries(given);
}

function within(questions: readonly Question[], limits: Limits): Question[] {
  const list = questions.slice(0, limits.questions);
  const words = distinct(list.map(({ question }) => short(question, limits.question)));
  return list.map((asked, at) => {
    const { header, multiple } = asked;
    return {
      question: words[at] ?? "",
      ...(typeof header === "string" && { header: short(header, limits.header) }),
      ...(asked.options !== undefined && { options: optionsWithin(optionsOf(asked), limits) }),
      ...(multiple === true && { multiple }),
    };
  });
}

function optionsWithin(options: readonly Option[], limits: Limits): Option[] {
  const list = options.slice(0, limits.options);
  const labels = distinct(list.map(({ label }) => short(label, limits.label)));
  return list.map(({ description }, at) => ({
    label: labels[at] ?? "",
    ...(typeof description === "string" && { description: short(description, limits.description) }),
  }));
}

/** An agent may hand on what a model made up. */
function optionsOf({ options }: Question): Option[] {
  const list: unknown = options;
  return Array.isArray(list) ? list.filter((one): one is Option => typeof one?.label === "string") : [];
}

function short(text: string, most: number): string {
  const words = text.length > most ? `${text.slice(0, most)} …` : text;
  return visibleSequences(words.toWellFormed());
}
