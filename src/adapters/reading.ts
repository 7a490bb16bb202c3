// Native tool calls in universal terms: what every adapter's table of tools is made of.
import type { Tool } from "../session/session.ts";
import type { Edit, Question, TodoItem, ToolInputs } from "../session/tools.ts";
import { filled, isObject, type Json, text } from "./json.ts";

export interface UniversalCall {
  tool: Tool;
  input: Json;
}

/** Undefined where the arguments are not those of the tool; the call is then kept as one of an unknown tool. */
export type Reader = (native: Json) => UniversalCall | undefined;

/** Which arguments a tool cannot do without. */
const NEEDED = {
  read: ["path"],
  write: ["path", "content"],
  edit: ["path"],
  bash: ["command"],
  search: ["pattern"],
  glob: ["pattern"],
  list: ["path"],
  ask: ["questions"],
  task: ["prompt"],
  web_fetch: ["url"],
  web_search: ["query"],
  todo: ["items"],
} as const satisfies { [T in keyof ToolInputs]: readonly (keyof ToolInputs[T])[] };

type Loose<T> = { [K in keyof T]?: T[K] | undefined };

/** Takes the first argument of these names that is of the right kind. */
export type Take = <T>(
  accept: (value: unknown) => T | undefined,
  ...names: readonly string[]
) => T | undefined;

/** Arguments that `read` does not take stand beside the universal ones under their own names, if they say anything. */
export function reader<T extends keyof ToolInputs>(
  tool: T,
  read: (take: Take) => Loose<ToolInputs[T]>,
): Reader {
  return (native) => {
    const taken = new Set<string>();
    const take: Take = (accept, ...names) => {
      for (const name of names) {
        const value = taken.has(name) ? undefined : accept(native[name]);
        if (value === undefined) continue;
        taken.add(name);
        return value;
      }
      return undefined;
    };
    const said = new Map(Object.entries(read(take)).filter(([, value]) => value !== undefined));
    if (NEEDED[tool].some((name) => !said.has(name))) return undefined;
    const others = Object.entries(native).filter(
      ([key, value]) => !said.has(key) && !taken.has(key) && isSaid(value),
    );
    // Assigned one by one, an argument called `__proto__` would become what the input is made of.
    return { tool, input: Object.fromEntries([...said, ...others]) };
  };
}

/** By universal name, what an agent calls an argument. */
export type Names = Readonly<Record<string, string>>;

/** A tool whose arguments only have other names; those without a name in the list keep their own. */
export function named(tool: keyof ToolInputs, names: Names): Reader {
  const known = Object.entries(names);
  const taken = new Set(Object.values(names));
  return (native) => {
    const all = [...known, ...Object.keys(native).flatMap((name) => (taken.has(name) ? [] : [[name, name]]))];
    const said = new Map<string, unknown>();
    for (const [universal = "", name = ""] of all) {
      const value = native[name];
      if (value !== undefined && value !== null && !said.has(universal)) said.set(universal, value);
    }
    const input: Json = Object.fromEntries(said);
    return NEEDED[tool].every((name) => text(input[name]) !== undefined) ? { tool, input } : undefined;
  };
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** `true`, or nothing: a switch that is off says no more than one that is not there. */
export function on(value: unknown): true | undefined {
  return value === true || undefined;
}

/** A list of edits, each with its texts under one of these names; undefined when one of them is no edit. */
export function editsOf(value: unknown): Edit[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const edits = value.map((edit) => (isObject(edit) ? editOf(edit) : undefined));
  return edits.every((edit) => edit !== undefined) ? edits : undefined;
}

export function editOf(edit: Json): Edit | undefined {
  const before = text(edit.old_string) ?? text(edit.oldString) ?? text(edit.old);
  const after = text(edit.new_string) ?? text(edit.newString) ?? text(edit.new);
  if (before === undefined || after === undefined) return undefined;
  const all = on(edit.replace_all) ?? on(edit.replaceAll) ?? on(edit.allow_multiple) ?? on(edit.all);
  return { old: before, new: after, ...(all && { all }) };
}

/** Tools that look and change nothing. */
export const LOOKING: ReadonlySet<string> = new Set([
  "read",
  "search",
  "glob",
  "list",
  "todo",
  "ask",
  "web_search",
]);

/** Questions to the user; a bare text is one question. */
export function questionsOf(value: unknown): Question[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const questions = list.map((item) => questionOf(isObject(item) ? item : { question: item }));
  return list.length > 0 && questions.every((item) => item !== undefined) ? questions : undefined;
}

function questionOf({ multiSelect, multiple, ...rest }: Json): Question | undefined {
  const question = filled(rest.question);
  if (question === undefined) return undefined;
  const isMultiple = on(multiSelect) ?? on(multiple);
  return { ...rest, question, ...(isMultiple && { multiple: true }) };
}

const STATUSES: readonly string[] = ["pending", "in_progress", "completed", "cancelled"];

/** A todo list, whatever an item's text is called. */
export function todosOf(value: unknown): TodoItem[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => (isObject(item) ? todoOf(item) : undefined));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function todoOf({ status, ...rest }: Json): TodoItem | undefined {
  const name = ["text", "content", "step", "description"].find((field) => text(rest[field]) !== undefined);
  if (name === undefined || !STATUSES.includes(String(status))) return undefined;
  const { [name]: said, ...others } = rest;
  return { ...others, text: String(said), status: status as TodoItem["status"] };
}
