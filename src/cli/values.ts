// Values of options as people give them: times in the past, counts, and several names.
import { InvalidArgumentError } from "commander";
import { sinceOf as timeSince } from "../catalog/since.ts";
import { idNamed } from "../models/names.ts";

/** A date, or how long ago. */
export function sinceOf(text: string): Date {
  const time = timeSince(text);
  if (!time) throw new InvalidArgumentError("Give a date, or 30m, 12h, 3d, 2w.");
  return time;
}

export function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** Nothing at all would be the folder that one is in, which is `.`. */
export function folderOf(text: string): string {
  if (text === "") throw new InvalidArgumentError("Name a folder.");
  return text;
}

/** By its id, or by the name that reports show. */
export function modelOf(text: string): string {
  const model = text.trim();
  if (model === "")
    throw new InvalidArgumentError("Name a model; `baton models` lists those that are known.");
  return idNamed(model);
}

/** Given with commas, one by one, or by the option again. */
export function namesOf(text: string, before: readonly string[] = []): string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) throw new InvalidArgumentError("Give a name.");
  return [...new Set([...before, ...names])];
}
