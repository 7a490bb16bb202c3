// Forms of MCP servers as questions, and the answers as what the form wants.
import type { Question } from "../../session/tools.ts";
import type { Decision } from "../driver.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { kept } from "./run-state.ts";

type Answers = NonNullable<Decision["answers"]>;

/** Without fields it is a question that is only agreed to. */
export function fieldQuestions(fields: JsonObject, message: string): Question[] {
  const list = Object.entries(fields).map(([name, field]) => questionOf(name, isObject(field) ? field : {}));
  return list.length > 0 ? list : [{ question: message, options: [{ label: YES }] }];
}

const YES = "Yes";
const NO = "No";

function questionOf(name: string, field: JsonObject): Question {
  const labels = choicesOf(field).map(({ label }) => ({ label }));
  return {
    question: askedAs(name, field),
    header: word(field.title) ?? name,
    ...(labels.length > 0 && { options: labels }),
    ...(field.type === "array" && { multiple: true }),
  };
}

function askedAs(name: string, field: JsonObject): string {
  return word(field.description) ?? word(field.title) ?? name;
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
    return titled.map((one) => ({ label: word(one.title) ?? String(one.const), value: one.const }));
  const names = Array.isArray(holder.enumNames) ? holder.enumNames : [];
  const values: unknown[] = Array.isArray(holder.enum) ? holder.enum : [];
  return values.map((value, at) => ({ label: text(names[at]) ?? String(value), value }));
}

/** Answers may go by the question as it was put, or by the field's own name. Undefined where one that is required is none. */
export function contentOf(
  fields: JsonObject,
  required: readonly unknown[],
  answers: Answers,
): JsonObject | undefined {
  const content = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    const field = isObject(value) ? value : {};
    const answer = kept(answers, askedAs(name, field)) ?? kept(answers, name);
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
