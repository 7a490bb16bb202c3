// Arguments that are lists of objects: the questions of `ask` and the items of `todo`.
import { isObject, type Json } from "./json.ts";
import type { Names } from "./reading.ts";
import { inNames, type Writing } from "./translator.ts";

/**
 * Each object under the agent's names for its fields. A field that has none is reported as dropped; undefined when
 * the list is none.
 */
export function listIn(list: unknown, names: Names, { report }: Pick<Writing, "report">): Json[] | undefined {
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  const others = new Set(list.flatMap((item) => Object.keys(item)).filter((name) => !(name in names)));
  if (others.size > 0) report("tool_argument_dropped", [...others].join(", "));
  return list.map((item) => inNames(item, names));
}
