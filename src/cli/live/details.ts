// What an agent wants to do, line by line, so that nobody has to allow what cannot be seen: every argument, texts whole,
// what goes and what comes marked as in a diff.
import type { Colors } from "../output.ts";
import { disclosed } from "../text.ts";
import { wrapped } from "../wrap.ts";
import { isPatchOf } from "./left-out.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Detail {
  mark: "" | "+" | "-";
  text: string;
}

/** Every argument of a call. */
export function detailsOf(input: Input): Detail[] {
  const { command, file_path, old_string, new_string, content, edits, changes, patch, ...others } = input;
  const isTold = (value: unknown) => value !== undefined && value !== null;
  return [
    ...(isTold(command) ? [plain(command)] : []),
    ...(isTold(file_path) ? [plain(file_path)] : []),
    ...Object.entries(others).map(([name, value]) => plain(`${name}: ${textOf(value)}`)),
    ...editOf({ old_string, new_string }),
    ...(isTold(content) ? [added(content)] : []),
    ...listed(edits, "edit", editOf),
    ...listed(changes, "file", changeOf),
    ...(isTold(patch) && !(typeof patch === "string" && Array.isArray(changes) && isPatchOf(patch, input))
      ? [plain(patch)]
      : []),
  ];
}

/** The same of arguments that nobody has made sense of. */
export function ownDetails(input: unknown): Detail[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [plain(input)];
  return Object.entries(input).map(([name, value]) => plain(`${name}: ${textOf(value)}`));
}

function editOf({ old_string, new_string, ...others }: Input): Detail[] {
  return [
    ...Object.entries(others).map(([name, value]) => plain(`${name}: ${textOf(value)}`)),
    ...(old_string === undefined ? [] : [{ mark: "-", text: textOf(old_string) } as const]),
    ...(new_string === undefined ? [] : [added(new_string)]),
  ];
}

function changeOf({ kind, file_path, to, content, diff, ...others }: Input): Detail[] {
  const goal = to === undefined ? "" : ` → ${textOf(to)}`;
  return [
    plain(`${textOf(kind)} ${textOf(file_path)}${goal}`),
    ...Object.entries(others).map(([name, value]) => plain(`${name}: ${textOf(value)}`)),
    ...(content === undefined ? [] : [added(content)]),
    ...(diff === undefined ? [] : diffOf(textOf(diff))),
  ];
}

function diffOf(diff: string): Detail[] {
  return diff.split("\n").map((line) => {
    const mark = line[0] === "+" || line[0] === "-" ? line[0] : "";
    return { mark, text: mark === "" ? line : line.slice(1) };
  });
}

function listed(list: unknown, noun: string, detail: (one: Input) => Detail[]): Detail[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.length === 0) return [plain(`${noun}s: ${textOf(list)}`)];
  return list.flatMap((one, at) => [
    plain(`${noun} ${at + 1} of ${list.length}`),
    ...(typeof one === "object" && one !== null && !Array.isArray(one) ? detail(one) : [plain(one)]),
  ]);
}

function plain(value: unknown): Detail {
  return { mark: "", text: textOf(value) };
}

function added(value: unknown): Detail {
  return { mark: "+", text: textOf(value) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const INDENT = "    ";

/** What an argument of several lines has at the end of each: otherwise one that is only broken would look the same. */
const LINE_END = "⏎";

/** As lines that are no wider than this. */
export function detailLines(details: readonly Detail[], width: number, colors: Colors): string[] {
  const room = Math.max(1, width - INDENT.length - 2);
  const marked = (mark: "+" | "-", text: string) =>
    linesOf(text)
      .flatMap((line) => wrapped(line, room))
      .map((piece) => (mark === "+" ? colors.green(`+ ${piece}`) : colors.red(`− ${piece}`)));
  return details
    .flatMap(({ mark, text }) => (mark === "" ? plainLines(text, room) : marked(mark, text)))
    .map((line) => `${INDENT}${line}`);
}

/** What is not its beginning stands further in, so that no part of an argument looks like another. */
function plainLines(text: string, room: number): string[] {
  const lines = linesOf(text);
  return lines
    .flatMap((line, at) => wrapped(at < lines.length - 1 ? line + LINE_END : line, room))
    .map((piece, at) => (at === 0 ? piece : `  ${piece}`));
}

/** The end of the last line begins no line of its own. */
function linesOf(text: string): string[] {
  return disclosed(text).replace(/\n$/, "").split("\n");
}
