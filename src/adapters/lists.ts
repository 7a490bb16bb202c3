// Arguments that are lists of objects: the questions of `ask` and the items of `todo`.
import { isObject, type Json } from "./json.ts";
import type { Names } from "./reading.ts";
import { inNames, type Writing, withOthers } from "./translator.ts";

/**
 * Each object under the agent's names for its fields, and those that it has no name for beside them; undefined when
 * the list is none.
 */
export function listIn(list: unknown, names: Names, { report }: Pick<Writing, "report">): Json[] | undefined {
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  const said = new Set<string>();
  const once: Writing["report"] = (kind, detail) => {
    if (!said.has(`${kind} ${detail}`)) report(kind, detail);
    said.add(`${kind} ${detail}`);
  };
  return list.map((item) => withOthers(inNames(item, names), { report: once }, item, Object.keys(names)));
}
