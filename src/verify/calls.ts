// Judges a tool call: the same kind of tool, and arguments that say what the session's say and nothing more.
// Agents name and shape arguments differently; each must still be equal to the one it stands for.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Asked, Item } from "./asked.ts";
import type { Fact } from "./facts.ts";
import { isNamed, isOfKind } from "./kinds.ts";
import { type Arguments, canonical, isRecord, missingFields } from "./names.ts";
import { isCommand, isCommandIn } from "./shell.ts";
import { type Step, sameLinesInAll, sameStep, stepsOf, tellings } from "./steps.ts";

export type CallFact = Extract<Fact, { type: "call" }>;

export interface Match {
  /** The call, or the calls that it was split into. */
  items: Item[];
  /** Arguments that are not there. */
  dropped: string[];
}

export function matchCall(fact: CallFact, first: Item, wire: Asked): Match | undefined {
  const { block } = first;
  if (block.type === "other") return isHosted(fact, block.raw) ? { items: [first], dropped: [] } : undefined;
  if (block.type !== "tool_use") return undefined;
  const full = `${block.namespace ?? ""}__${block.name}`.replace(/^__/, "");
  const { call } = fact;
  if (isNamed(call, full)) {
    const wanted = [call.originalInput, call.input].filter((input) => input !== undefined);
    if (wanted.some((input) => sameInput(block.input, input))) return { items: [first], dropped: [] };
  }
  const isNative = isNamed(call, full) || (isOfKind(call.tool, block.name) && !full.startsWith("mcp"));
  if (call.tool === "edit" || call.tool === "write") return matchSteps(fact, first, wire, isNative);
  if (!isNative) return undefined;
  const dropped = droppedFrom(fact, block.input, wire);
  return dropped && { items: [first], dropped };
}

/** In which way a call that is there is not the one it should be. */
export function difference({ call }: CallFact, item: Item): string {
  const { block } = item;
  if (block.type !== "tool_use") return `a call became ${block.type}`;
  const isSame = isOfKind(call.tool, block.name) || isNamed(call, `${block.namespace ?? ""}${block.name}`);
  const files = call.tool === "edit" || call.tool === "write";
  const mayBe = isSame || (files && ["edit", "write"].some((tool) => isOfKind(tool as "edit", block.name)));
  return mayBe
    ? CHANGED_ARGUMENTS
    : `a call of ${call.originalTool ?? call.tool} became one of ${block.name}`;
}

export const CHANGED_ARGUMENTS = "its arguments are not the same";

/** Whether a changed call still says the same lines about the same file, only in another form. */
export function isNear({ call, cwd, patch }: CallFact, item: Item, wire: Asked): boolean {
  const steps = item.block.type === "tool_use" ? stepsOf(item.block.input) : undefined;
  const samePath = (a: string, b: string) => isSamePath(a, b, [cwd, wire.cwd]);
  return (
    steps !== undefined && tellings(call, patch).some((wanted) => sameLinesInAll(steps, wanted, samePath))
  );
}

/** Arguments that are the native ones, or say the same in JSON. */
function sameInput(have: unknown, wanted: unknown): boolean {
  if (isDeepStrictEqual(have, wanted) || isDeepStrictEqual(parsed(have), parsed(wanted))) return true;
  // Free text is the only argument of its call.
  const [only, ...others] = isRecord(wanted) ? Object.values(wanted) : [];
  return typeof have === "string" && others.length === 0 && have === only;
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // Text that merely begins like JSON.
    return value;
  }
}

/** Calls may be split into steps, which then follow each other in one group. */
function matchSteps(fact: CallFact, first: Item, wire: Asked, isNative: boolean): Match | undefined {
  const { call, cwd } = fact;
  const samePath = (a: string, b: string) => isSamePath(a, b, [cwd, wire.cwd]);
  const taken: { item: Item; steps: Step[] }[] = [];
  const ways = tellings(call, fact.patch);
  const longest = Math.max(0, ...ways.map((steps) => steps.length));
  let count = 0;
  for (let at = first.call; count < longest; at++) {
    const item = wire.calls[at];
    const steps = item && stepsFrom(item, first, isNative);
    if (!item || !steps) break;
    taken.push({ item, steps });
    count += steps.length;
    const have = taken.flatMap((one) => one.steps);
    const way = ways.find(
      (wanted) =>
        wanted.length === have.length &&
        have.every((step, index) => sameStep(step, wanted[index] as Step, samePath)),
    );
    if (way && taken.every(({ item: one }) => saysNoMore(fact, one)))
      return { items: taken.map((one) => one.item), dropped: droppedExtras(fact, taken[0]?.item) };
  }
  return undefined;
}

function stepsFrom(item: Item, first: Item, isNative: boolean): Step[] | undefined {
  const { block, group, used } = item;
  if (block.type !== "tool_use" || group !== first.group || (used.length > 0 && item !== first))
    return undefined;
  const isFile = isNative || isOfKind("edit", block.name) || isOfKind("write", block.name);
  if (!isFile && !isOfKind("bash", block.name)) return undefined;
  return stepsOf(block.input);
}

const FILE_ARGUMENTS: ReadonlySet<string> = new Set(["path", "content", "edits", "changes", "patch"]);
const STEP_ARGUMENTS: ReadonlySet<string> = new Set([
  ...FILE_ARGUMENTS,
  "old",
  "new",
  "all",
  "input",
  "command",
]);

/** Whether a step has no argument beside those of the change itself that the session does not have. */
function saysNoMore({ call }: CallFact, { block }: Item): boolean {
  const input = block.type === "tool_use" && isRecord(block.input) ? canonical(block.input) : {};
  const native = isRecord(call.originalInput) ? canonical(call.originalInput) : {};
  return Object.entries(input).every(
    ([name, value]) =>
      STEP_ARGUMENTS.has(name) ||
      isDeepStrictEqual(value, call.input[name]) ||
      isDeepStrictEqual(value, native[name]),
  );
}

function droppedExtras({ call }: CallFact, item: Item | undefined): string[] {
  const input =
    item?.block.type === "tool_use" && isRecord(item.block.input) ? canonical(item.block.input) : {};
  return Object.keys(call.input).filter(
    (name) =>
      isSaid(call.input[name]) &&
      !FILE_ARGUMENTS.has(name) &&
      !isDeepStrictEqual(input[name], call.input[name]),
  );
}

/** The names of the arguments that are gone, or undefined when one is another or new. */
function droppedFrom({ call, cwd }: CallFact, given: unknown, wire: Asked): string[] | undefined {
  const input = parsed(given);
  if (!isRecord(input)) return undefined;
  const have = pageOf(canonical(input, call.tool), call);
  const native = isRecord(call.originalInput) ? canonical(call.originalInput, call.tool) : {};
  const folders = [cwd, wire.cwd];
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(have)) {
    const isNative = native[name] !== undefined && call.input[name] === undefined;
    if (isArgument(name, value, call.input, folders)) continue;
    if (isNative && isDeepStrictEqual(value, native[name])) continue;
    const missing = missingFields(value, canonical(call.input, call.tool)[name]);
    if (!missing) return undefined;
    dropped.push(...missing);
  }
  const gone = Object.keys(call.input).filter(
    (name) =>
      have[name] === undefined && isSaid(call.input[name]) && !isImplied(name, call.input, have, folders),
  );
  return [...gone, ...dropped];
}

/** A page may be named in the words that ask for it, if these say nothing else. */
function pageOf(have: Arguments, { tool, input }: CallFact["call"]): Arguments {
  const { prompt: asked, ...rest } = have;
  const [url, words] = [String(input.url), String(input.prompt ?? "")];
  if (tool !== "web_fetch" || rest.url !== undefined || typeof asked !== "string") return have;
  const isThere = asked.includes(url);
  const isSame = asked === words || asked.replace(url, () => "").trim() === words.trim();
  return isThere && isSame ? { ...rest, url, ...(words !== "" && { prompt: input.prompt }) } : have;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false;
}

function isImplied(
  name: string,
  wanted: Record<string, unknown>,
  have: Record<string, unknown>,
  folders: readonly string[],
): boolean {
  if (name !== "cwd" || typeof wanted.cwd !== "string") return false;
  return folders.includes(wanted.cwd) || isCommandIn(have.command, wanted.cwd, String(wanted.command));
}

function isArgument(
  name: string,
  have: unknown,
  wanted: Record<string, unknown>,
  folders: readonly string[],
): boolean {
  const value = wanted[name];
  if (isDeepStrictEqual(have, value)) return true;
  if (name === "path" || name === "cwd") return isSamePath(have, value, folders);
  if (name === "session") return String(have) === value;
  if (name !== "command" || typeof value !== "string") return false;
  return isCommand(have, value) || (typeof wanted.cwd === "string" && isCommandIn(have, wanted.cwd, value));
}

/** The same file, seen from the folder where the session was or goes on. */
function isSamePath(have: unknown, wanted: unknown, folders: readonly string[]): boolean {
  if (typeof have !== "string" || typeof wanted !== "string") return false;
  if (have === wanted) return true;
  if (have === "" || wanted === "") return false;
  return folders.some(
    (folder) => folder.startsWith("/") && resolve(folder, have) === resolve(folder, wanted),
  );
}

/** What a vendor carries out itself has a shape of its own, but says no more than the session does. */
function isHosted({ call }: CallFact, raw: unknown): boolean {
  const native = isRecord(raw) ? raw.action : undefined;
  if (native !== undefined && isDeepStrictEqual(native, call.originalInput)) return true;
  const known = new Set([...leaves(call.input), ...leaves(call.originalInput)]);
  const said = leaves(raw);
  return said.every((text) => known.has(text)) && leaves(call.input).every((text) => said.includes(text));
}

const FORM: ReadonlySet<string> = new Set(["type", "id", "call_id", "status", "name"]);

/** Every string inside that is not mere form. */
function leaves(value: unknown, name = ""): string[] {
  if (typeof value === "string") return value === "" || FORM.has(name) ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, Array.isArray(value) ? name : key));
}
