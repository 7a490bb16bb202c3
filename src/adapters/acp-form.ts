// Forms of the Agent Client Protocol (elicitation) as questions to the user, and their answers as the form wants them.
import { distinct } from "../session/distinct.ts";
import type { Question } from "../session/tools.ts";
import { type Field, MOST } from "./acp-state.ts";
import { fieldValue, isBlank } from "./answers.ts";
import type { Decision } from "./driver.ts";
import { filled, isObject, type Json, objects } from "./json.ts";

/** Undefined where there is nothing to ask, or something that no question can ask for. */
export function fieldsOf(
  schema: unknown,
  message: string | undefined,
): { fields: Field[]; questions: Question[] } | undefined {
  const properties = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (!isObject(schema) || properties.length === 0 || properties.length > MOST) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const only = properties.length === 1 ? message : undefined;
  const fields: Field[] = [];
  const questions: Question[] = [];
  for (const [key, property] of properties) {
    const field = isObject(property) ? fieldOf(key, property, required.includes(key), only) : undefined;
    if (!field || !isObject(property)) return undefined;
    fields.push(field);
    questions.push(questionOf(field, property));
  }
  const words = distinct(fields.map(({ question }) => question));
  return {
    fields: fields.map((field, at) => ({ ...field, question: words[at] ?? field.question })),
    questions: questions.map((one, at) => ({ ...one, question: words[at] ?? one.question })),
  };
}

export function contentOf(
  fields: readonly Field[],
  answers: NonNullable<Decision["answers"]>,
): Json | undefined {
  const content: [string, unknown][] = [];
  for (const field of fields) {
    const name = [field.question, field.key].find((one) => Object.hasOwn(answers, one));
    const answer = name === undefined ? undefined : answers[name];
    if (answer === undefined || isBlank(answer)) {
      if (field.isRequired) return undefined;
      continue;
    }
    const value = fieldValue({ type: field.type, choices: field.values }, answer);
    if (value === undefined) return undefined;
    content.push([field.key, value]);
  }
  return Object.fromEntries(content);
}

function fieldOf(
  key: string,
  property: Json,
  isRequired: boolean,
  only: string | undefined,
): Field | undefined {
  const type = TYPES.get(String(property.type));
  if (type === undefined) return undefined;
  const question = filled(property.description) ?? only ?? filled(property.title) ?? key;
  return { key, question, type, values: valuesOf(property, type), isRequired };
}

const TYPES: ReadonlyMap<string, Field["type"]> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
  ["array", "list"],
]);

function questionOf({ question, type, values }: Field, property: Json): Question {
  const header = filled(property.title);
  return {
    question,
    ...(header !== undefined && header !== question && { header }),
    ...(values.length > 0 && { options: values.map(({ label }) => ({ label })) }),
    ...(type === "list" && { multiple: true }),
  };
}

function valuesOf(property: Json, type: Field["type"]): Field["values"] {
  if (type === "boolean")
    return [
      { label: "Yes", value: true },
      { label: "No", value: false },
    ];
  const from = type === "list" && isObject(property.items) ? property.items : property;
  const titled = objects(from.oneOf ?? from.anyOf).flatMap((one) => {
    const value = filled(one.const);
    return value === undefined ? [] : [{ label: filled(one.title) ?? value, value }];
  });
  const labels = distinct(titled.map(({ label }) => label));
  if (titled.length > 0) return titled.map(({ value }, at) => ({ label: labels[at] ?? value, value }));
  const plain = Array.isArray(from.enum) ? from.enum : [];
  return plain.flatMap((one) =>
    filled(one) === undefined ? [] : [{ label: String(one), value: String(one) }],
  );
}
