// Forms of MCP servers as questions, and the answers as what the form wants.
import { distinct } from "../../session/distinct.ts";
import type { Question } from "../../session/tools.ts";
import type { Decision } from "../driver.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { kept } from "./run-state.ts";

type Answers = NonNullable<Decision["answers"]>;

/** Without fields it is a question that is only agreed to. */
export function fieldQuestions(fields: JsonObject, message: string): Question[] {
  const words = questionsIn(fields);
  const list = Object.entries(fields).map(([name, field], at) =>
    questionOf(name, isObject(field) ? field : {}, words[at] ?? name),
  );
  return list.length > 0 ? list : [{ question: message, options: [{ label: YES }] }];
}

const YES = "Yes";
const NO = "No";

function questionOf(name: string, field: JsonObject, question: string): Question {
  const labels = choicesOf(field).map(({ label }) => ({ label }));
  return {
    question,
    header: word(field.title) ?? name,
    ...(labels.length > 0 && { options: labels }),
    ...(field.type === "array" && { multiple: true }),
  };
}

/** How each field is asked for. */
function questionsIn(fields: JsonObject): string[] {
  const askedAs = ([name, field]: [string, unknown]) =>
    (isObject(field) ? (word(field.description) ?? word(field.title)) : undefined) ?? name;
  return distinct(Object.entries(fields).map(askedAs));
}

interface Choice {
  label: string;
  value: unknown;
}

function choicesOf(field: JsonObject): Choice[] {
  if (field.type === "boolean")
    return [
      { label: YES, value: true },
      { label: NO, value: false },
    ];
  const holder = isObject(field.items) ? field.items : field;
  const titled = objects(holder.oneOf ?? holder.anyOf);
  if (titled.length > 0)
    return labelled(titled.map((one) => ({ label: word(one.title) ?? String(one.const), value: one.const })));
  const names = Array.isArray(holder.enumNames) ? holder.enumNames : [];
  const values: unknown[] = Array.isArray(holder.enum) ? holder.enum : [];
  return labelled(values.map((value, at) => ({ label: text(names[at]) ?? String(value), value })));
}

function labelled(choices: readonly Choice[]): Choice[] {
  const labels = distinct(choices.map(({ label }) => label));
  return choices.map(({ value }, at) => ({ label: labels[at] ?? String(value), value }));
}

/** Answers may go by the question as it was put, or by the field's own name. Undefined where one that is required is none. */
export function contentOf(
  fields: JsonObject,
  required: readonly unknown[],
  answers: Answers,
): JsonObject | undefined {
  const content = new Map<string, unknown>();
  const words = questionsIn(fields);
  for (const [at, [name, value]] of Object.entries(fields).entries()) {
    const field = isObject(value) ? value : {};
    const answer = kept(answers, words[at] ?? name) ?? kept(answers, name);
    const given = answer === undefined ? undefined : typed(field, answer);
    if (given !== undefined) content.set(name, given);
    else if (required.includes(name)) return undefined;
  }
  return Object.fromEntries(content);
}

function typed(field: JsonObject, answer: string | readonly string[]): unknown {
  const choices = choicesOf(field);
  const values = [answer].flat().map((one) => {
    const chosen = choices.find(({ label, value }) => label === one || value === one);
    return chosen ? chosen.value : plain(field, one);
  });
  return field.type === "array" ? values : values[0];
}

/** Undefined where it is none of the right type. */
function plain({ type }: JsonObject, answer: string): unknown {
  if (type === "boolean") return isYes(answer);
  if (type !== "number" && type !== "integer") return answer;
  return answer.trim() !== "" && Number.isFinite(Number(answer)) ? Number(answer) : undefined;
}

function isYes(answer: string): boolean | undefined {
  if (/^(?:y|yes|true|1)$/i.test(answer)) return true;
  return /^(?:n|no|false|0)$/i.test(answer) ? false : undefined;
}
