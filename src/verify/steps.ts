// What a call does to files, step by step, be it told as old and new text, as a patch or as a shell command.
// Two tellings are the same when their steps are, line for line.
import type { ToolCall } from "../session/session.ts";
import { canonical, isRecord } from "./names.ts";
import { operands } from "./shell.ts";

export type Step =
  | { kind: "add"; path: string; content: string; isPatch: boolean }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; to: string }
  | Hunk;

interface Hunk {
  kind: "hunk";
  /** After a move either name may stand beside the changed lines. */
  paths: string[];
  before: string[];
  after: string[];
  /** Old and new text letter by letter, where that is how it is told. */
  exact?: string;
  /** What a patch names as the place, beyond line numbers. */
  header?: string;
}

/** Every way in which the session tells a change of files; a writer may pick any of them. */
export function tellings(call: Pick<ToolCall, "tool" | "input">, recorded: unknown): Step[][] {
  const { path, content, changes, edits, patch } = call.input;
  const name = typeof path === "string" ? path : "";
  const found: Step[][] = [];
  if (typeof content === "string") found.push([{ kind: "add", path: name, content, isPatch: false }]);
  if (Array.isArray(changes)) found.push(changes.filter(isRecord).flatMap(changeSteps));
  if (Array.isArray(edits)) {
    const pairs = edits.filter(isRecord);
    found.push(pairs.flatMap((edit) => pairStep([name], edit) ?? []));
    const [only] = pairs;
    // Without old text there was no file, or an empty one.
    if (pairs.length === 1 && only?.old === "" && typeof only.new === "string")
      found.push([{ kind: "add", path: name, content: only.new, isPatch: false }]);
  }
  if (call.tool === "edit") {
    const hunks = unified(recorded);
    if (hunks !== undefined) found.push(hunkSteps([name], hunks));
    if (typeof patch === "string") found.push(patchSteps(patch) ?? []);
  }
  return found.filter((steps) => steps.length > 0);
}

/** The steps of a call on the wire; undefined when it does something else as well, or nothing to files. */
export function stepsOf(input: unknown): Step[] | undefined {
  if (typeof input === "string") return patchSteps(input);
  if (!isRecord(input)) return undefined;
  const { path, content, command, ...rest } = canonical(input);
  if (Array.isArray(command) && command[0] === "apply_patch" && command.length === 2)
    return patchSteps(String(command[1]));
  if (typeof command === "string")
    return path === undefined && isEmpty(rest) ? commandSteps(command) : undefined;
  if (typeof rest.input === "string" && Object.keys(rest).length === 1) return patchSteps(rest.input);
  if (typeof path !== "string") return undefined;
  if (typeof content === "string") return [{ kind: "add", path, content, isPatch: false }];
  if (!Array.isArray(rest.edits)) return pairStep([path], rest);
  const steps = rest.edits.map((edit) => (isRecord(edit) ? pairStep([path], canonical(edit)) : undefined));
  return steps.every((step) => step !== undefined) ? steps.flat() : undefined;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function commandSteps(command: string): Step[] | undefined {
  const removed = operands(command, "rm");
  if (removed?.length === 1) return [{ kind: "delete", path: removed[0] as string }];
  const [path, to, ...more] = operands(command, "mv") ?? [];
  return path !== undefined && to !== undefined && more.length === 0
    ? [{ kind: "move", path, to }]
    : undefined;
}

function changeSteps(change: Record<string, unknown>): Step[] {
  const { kind, path, to, content, diff } = change;
  if (typeof path !== "string") return [];
  if (kind === "add")
    return [{ kind, path, content: typeof content === "string" ? content : "", isPatch: false }];
  if (kind === "delete") return [{ kind, path }];
  const hunks = (paths: string[]) => (typeof diff === "string" ? hunkSteps(paths, diff) : []);
  if (kind !== "move" || typeof to !== "string" || to === path) return hunks([path]);
  return [{ kind, path, to }, ...hunks([path, to])];
}

function pairStep(paths: string[], edit: Record<string, unknown>): Hunk[] | undefined {
  const { old, new: fresh } = edit;
  if (typeof old !== "string" || typeof fresh !== "string") return undefined;
  const exact = JSON.stringify([old, fresh, edit.all === true]);
  return [{ kind: "hunk", paths, before: linesOf(old), after: linesOf(fresh), exact }];
}

/** Hunks as an agent recorded them: unified text, or objects with their lines. */
function unified(recorded: unknown): string | undefined {
  if (typeof recorded === "string") return recorded.slice(Math.max(recorded.search(/^@@/m), 0));
  if (!Array.isArray(recorded) || recorded.length === 0) return undefined;
  return recorded
    .map((hunk) => (isRecord(hunk) && Array.isArray(hunk.lines) ? ["@@", ...hunk.lines].join("\n") : ""))
    .join("\n");
}

function hunkSteps(paths: string[], diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of linesOf(diff)) {
    if (line.startsWith("@@") || hunks.length === 0) {
      const header = line.replace(/^@@(?: -[\d,]+ \+[\d,]+ @@.*)?/, "").trim();
      const named = line.startsWith("@@") && header !== "";
      hunks.push({ kind: "hunk", paths, before: [], after: [], ...(named && { header }) });
      if (line.startsWith("@@")) continue;
    }
    const hunk = hunks.at(-1) as Hunk;
    if (line.startsWith("\\") || line === "*** End of File") continue;
    if (!line.startsWith("+")) hunk.before.push(line.slice(1));
    if (!line.startsWith("-")) hunk.after.push(line.slice(1));
  }
  return hunks.filter(({ before, after }) => !sameLines(before, after));
}

const FILE = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const MOVE = "*** Move to: ";

function patchSteps(patch: string): Step[] | undefined {
  const lines = linesOf(patch.trim());
  const first = lines.indexOf("*** Begin Patch");
  const last = lines.lastIndexOf("*** End Patch");
  // A model may wrap its patch in a here-document.
  if (first === -1 || first > 1 || last < first || lines.length - last > 2) return undefined;
  const steps: Step[] = [];
  for (let at = first + 1; at < last; ) {
    const [, kind, path = ""] = FILE.exec((lines[at] as string).trim()) ?? [];
    if (kind === undefined) return undefined;
    let end = ++at;
    while (end < last && !FILE.test(lines[end] as string)) end++;
    const taken = fileSteps(kind, path, lines.slice(at, end));
    if (!taken) return undefined;
    steps.push(...taken);
    at = end;
  }
  return steps;
}

function fileSteps(kind: string, path: string, body: string[]): Step[] | undefined {
  if (kind === "Delete") return body.length === 0 ? [{ kind: "delete", path }] : undefined;
  if (kind === "Add") {
    if (!body.every((line) => line.startsWith("+"))) return undefined;
    const content = body.map((line) => `${line.slice(1)}\n`).join("");
    return [{ kind: "add", path, content, isPatch: true }];
  }
  const to = body[0]?.startsWith(MOVE) ? body[0].slice(MOVE.length).trim() : undefined;
  const rest = to === undefined ? body : body.slice(1);
  if (!rest.every((line) => line === "" || line === "*** End of File" || /^(?:@@|[ +\\-])/.test(line)))
    return undefined;
  const diff = rest.join("\n");
  return changeSteps({ kind: to === undefined ? "update" : "move", path, to, ...(diff !== "" && { diff }) });
}

/** Whether a step on the wire is one of the session. */
export function sameStep(have: Step, wanted: Step, samePath: (a: string, b: string) => boolean): boolean {
  if (have.kind === "hunk" && wanted.kind === "hunk") {
    if (!have.paths.some((path) => wanted.paths.some((other) => samePath(path, other)))) return false;
    if (have.exact !== undefined && wanted.exact !== undefined) return have.exact === wanted.exact;
    // A patch has no words for "everywhere".
    if ((have.exact ?? wanted.exact)?.endsWith(",true]")) return false;
    if (have.header !== undefined && have.header !== wanted.header) return false;
    return sameLines(have.before, wanted.before) && sameLines(have.after, wanted.after);
  }
  if (have.kind === "hunk" || wanted.kind === "hunk" || !samePath(have.path, wanted.path)) return false;
  if (have.kind === "move") return wanted.kind === "move" && samePath(have.to, wanted.to);
  if (have.kind !== "add" || wanted.kind !== "add") return have.kind === wanted.kind;
  // In a patch every line ends with a newline.
  return have.isPatch || wanted.isPatch
    ? sameLines(linesOf(have.content), linesOf(wanted.content))
    : have.content === wanted.content;
}

/** Whether steps put in and take out the same lines of the same files, however they are cut and surrounded. */
export function sameLinesInAll(
  have: readonly Step[],
  wanted: readonly Step[],
  samePath: (a: string, b: string) => boolean,
): boolean {
  const [a, b] = [linesIn(have), linesIn(wanted)];
  const known = (paths: readonly string[]) =>
    paths.every((path) => b.paths.some((other) => samePath(path, other)));
  const within = (lines: ReadonlySet<string>, all: ReadonlySet<string>) =>
    [...lines].every((line) => all.has(line));
  if (!known(a.paths) || !within(a.before, b.before) || !within(a.after, b.after)) return false;
  const changed = (side: ReadonlySet<string>, other: ReadonlySet<string>) =>
    new Set([...side].filter((line) => !other.has(line)));
  return within(changed(b.after, b.before), a.after) && within(changed(b.before, b.after), a.before);
}

function linesIn(steps: readonly Step[]) {
  const found = { paths: [] as string[], before: new Set<string>(), after: new Set<string>() };
  for (const step of steps) {
    if (step.kind === "hunk") {
      found.paths.push(...step.paths);
      for (const line of step.before) found.before.add(line);
      for (const line of step.after) found.after.add(line);
    } else {
      found.paths.push(step.path, ...(step.kind === "move" ? [step.to] : []));
      if (step.kind === "add") for (const line of linesOf(step.content)) found.after.add(line);
    }
  }
  return found;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
