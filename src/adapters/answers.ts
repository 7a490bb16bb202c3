// What a user answers to the field of a form, as the value that the field wants. An answer that makes none is never
// dropped: what the agent would take in its place is not what was said.
import type { Decision } from "./driver.ts";

export type Answer = NonNullable<Decision["answers"]>[string];

export interface Wanted {
  type: "text" | "number" | "boolean" | "list";
  choices: readonly { label: string; value: unknown }[];
}

/** Nothing was said: a field that need not be filled stays empty. */
export function isBlank(answer: Answer): boolean {
  return [answer].flat().every((word) => word.trim() === "");
}

/** Undefined = it is no value of that kind. */
export function fieldValue(wanted: Wanted, answer: Answer): unknown {
  const words = [answer].flat();
  const [only = ""] = words;
  if (wanted.type !== "list") return words.length === 1 ? valueFor(wanted, only) : undefined;
  const isOne = words.length > 1 || valueFor(wanted, only) !== undefined;
  const values = (isOne ? words : only.split(",")).map((word) => valueFor(wanted, word.trim()));
  return values.includes(undefined) ? undefined : values;
}

function valueFor({ type, choices }: Wanted, word: string): unknown {
  const plain = word.trim().toLowerCase();
  const chosen =
    choices.find(({ label, value }) => label === word || value === word) ??
    choices.find(({ label }) => label.trim().toLowerCase() === plain);
  if (chosen) return chosen.value;
  if (type === "boolean") return isYes(plain);
  if (choices.length > 0) return undefined;
  if (type === "number") return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : undefined;
  return word;
}

function isYes(word: string): boolean | undefined {
  if (/^(?:y|yes|true|1)$/.test(word)) return true;
  return /^(?:n|no|false|0)$/.test(word) ? false : undefined;
}

/** Of what is only agreed to: whoever says something else does not. */
export function agrees(answers: NonNullable<Decision["answers"]>): boolean {
  const words = Object.values(answers).flat();
  return words.every((word) => isYes(word.trim().toLowerCase()) ?? word.trim().toLowerCase() === "done");
}
