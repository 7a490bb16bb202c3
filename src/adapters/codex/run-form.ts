// Forms of MCP servers as questions, and the answers as what the form wants.
import { distinct } from "../../session/distinct.ts";
import type { Question } from "../../session/tools.ts";
import { fieldValue, isBlank, type Wanted } from "../answers.ts";
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
  return list.length > 0 ? list : [{ question: message, options: [{ label: YES }, { label: NO }] }];
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

type Choice = Wanted["choices"][number];

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

/**
 * Answers may go by the question as it was put, or by the field's own name. Undefined where one that is required is
 * missing, or one is not what its field wants.
 */
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
    if (answer === undefined || isBlank(answer)) {
      if (required.includes(name)) return undefined;
      continue;
    }
    const given = fieldValue(wantedBy(field), answer);
    if (given === undefined) return undefined;
    content.set(name, given);
  }
  return Object.fromEntries(content);
}

function wantedBy(field: JsonObject): Wanted {
  const { type } = field;
  const isNumber = type === "number" || type === "integer";
  const known = type === "array" ? "list" : type === "boolean" ? "boolean" : isNumber ? "number" : "text";
  return { type: known, choices: choicesOf(field) };
}
