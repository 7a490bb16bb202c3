// What the user says about models, in `models.json` of Baton's own folder: facts, names and prices that win over ours.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BatonError } from "../session/error.ts";
import { type Abilities, MODALITIES, type Prices, THINKINGS } from "./model.ts";
import { displayName, plainId } from "./names.ts";

export interface Override extends Partial<Abilities> {
  name?: string;
  prices?: Prices;
}

export interface Overrides {
  /** By the id as it stands in a store, or by another spelling of it. */
  of(id: string): Override | undefined;
  displayName(id: string): string;
  entries: readonly (readonly [id: string, override: Override])[];
}

/**
 * `{"models": {"ID": {"name", "window", "output", "input", "tools", "thinking", "caching", "prices": {"input", "output",
 * "cacheRead", "cacheWrite"}}}}`. A file that is wrong is an error, or nothing where `onProblem` says so: what it is about must not keep anybody from a list.
 */
export function readOverrides(batonHome: string, onProblem?: (error: BatonError) => void): Overrides {
  const path = join(batonHome, "models.json");
  try {
    return overridesOf(Object.entries(read(path)).map(([id, value]) => [id, checked(path, id, value)]));
  } catch (error) {
    if (!onProblem || !(error instanceof BatonError)) throw error;
    onProblem(error);
    return overridesOf([]);
  }
}

function overridesOf(entries: Overrides["entries"]): Overrides {
  const exact = new Map(entries);
  const plain = new Map(entries.map(([id, override]) => [plainId(id), override]));
  const of = (id: string) => exact.get(id) ?? plain.get(plainId(id));
  const names = new Map<string, string>();
  return {
    of,
    entries,
    // Asked for every session of a list, of which thousands share a few models.
    displayName(id) {
      const name = names.get(id) ?? of(id)?.name ?? displayName(id);
      names.set(id, name);
      return name;
    },
  };
}

function read(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    // Also where Baton's folder is no folder, which is for others to say.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return {};
    throw wrong(path, `cannot be read: ${error instanceof Error ? error.message : error}`, error);
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    if (isObject(value) && isObject(value.models)) return value.models;
  } catch (error) {
    throw wrong(path, `is not JSON: ${error instanceof Error ? error.message : error}`, error);
  }
  throw wrong(path, 'has no list of models: it must be {"models": {…}}');
}

function checked(path: string, id: string, value: unknown): Override {
  if (!isObject(value)) throw wrong(path, `says nothing about "${id}": an object is expected`);
  const override: Record<string, unknown> = {};
  for (const [name, [isRight, must]] of Object.entries(EXPECTED)) {
    if (value[name] === undefined) continue;
    if (!isRight(value[name])) throw wrong(path, `"${id}": its ${name} must be ${must}`);
    override[name] = value[name];
  }
  if (value.prices !== undefined) override.prices = pricesOf(path, id, value.prices);
  return override;
}

const isTokens = (value: unknown) => isAmount(value) && value > 0;
const isFlag = (value: unknown) => typeof value === "boolean";
const isOneOf = (words: readonly string[]) => (value: unknown) => words.includes(value as string);

const EXPECTED: Readonly<Record<Exclude<keyof Override, "prices">, Expected>> = {
  name: [(value) => typeof value === "string", "a text"],
  window: [isTokens, "a number of tokens"],
  output: [isTokens, "a number of tokens"],
  input: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isOneOf(MODALITIES)),
    `a list of ${MODALITIES.join(", ")}`,
  ],
  tools: [isFlag, "true or false"],
  thinking: [isOneOf(THINKINGS), `one of ${THINKINGS.join(", ")}`],
  caching: [isFlag, "true or false"],
};

type Expected = readonly [isRight: (value: unknown) => boolean, must: string];

const OPTIONAL = ["cacheRead", "cacheWrite", "cacheWriteHour"] as const;

function pricesOf(path: string, id: string, value: unknown): Prices {
  const of = isObject(value) ? value : {};
  const { input, output } = of;
  const isComplete = isAmount(input) && isAmount(output);
  if (!isComplete || OPTIONAL.some((name) => of[name] !== undefined && !isAmount(of[name])))
    throw wrong(path, `"${id}": its prices must be dollars for a million tokens, at least input and output`);
  const prices: Prices = { input, output };
  for (const name of OPTIONAL) if (isAmount(of[name])) prices[name] = of[name];
  return prices;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, what: string, cause?: unknown): BatonError {
  return new BatonError("damaged", `${path} ${what}.`, "Correct the file, or move it away.", cause);
}
