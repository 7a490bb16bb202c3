// Makes what agents say fit a line of the protocol: valid Unicode, no escape sequences of a terminal, and less than
// 100 KB. Texts lose their sequences and come in pieces; arguments, which somebody may have to allow, show them, and are
// left as they are in a file where the line has not all of it.
import { visibleSequences, withoutSequences } from "../session/escapes.ts";
import { LONGEST_LINE } from "../session/event-rules.ts";

/** Of a text in one event: in UTF-8 and JSON, a character takes six bytes at most. */
const PIECE = 16_000;
/** Of all arguments of a call together; an event holds them twice, in our words and in the agent's. */
const LONGEST_INPUT = LONGEST_LINE / 3;
const LONGEST_ARGUMENT = 2000;
/** Of a sentence about an error. */
const LONGEST_MESSAGE = 4000;

/** The escape character, and those that mean a sequence by themselves. */
const CONTROLS = /[\u001b\u0080-\u009f]/;
const ALL_CONTROLS = /\u009b[0-?]*[ -/]*[@-~]|[\u001b\u0080-\u009f]/g;

/** A sequence may be cut by the end of a piece, so a lone escape character goes as well. */
export function plain(text: string): string {
  const whole = text.toWellFormed();
  if (!CONTROLS.test(whole)) return whole;
  return withoutSequences(whole).replace(ALL_CONTROLS, "");
}

/** Pieces that each fit a line, none of them with half a character; at least one. */
export function pieces(text: string): string[] {
  const clean = plain(text);
  if (clean.length <= PIECE) return [clean];
  const list: string[] = [];
  for (let start = 0; start < clean.length; ) {
    const end = start + PIECE;
    const isSplit = isHigh(clean.charCodeAt(end - 1));
    const next = end >= clean.length ? clean.length : isSplit ? end - 1 : end;
    list.push(clean.slice(start, next));
    start = next;
  }
  return list;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The beginning of a text that has to fit into one event, and whether that is not all of it. */
export function beginning(text: string, most = PIECE): { text: string; isCut: boolean } {
  const clean = plain(text.length > most ? text.slice(0, most) : text);
  return { text: clean, isCut: text.length > most };
}

export function sentence(text: string): string {
  const { text: cut, isCut } = beginning(text.trim(), LONGEST_MESSAGE);
  return isCut ? `${cut} …` : cut;
}

/** Arguments as an event can hold them. `isExact`: they are what the agent gave, to the character. */
export function fittingInput<T>(input: T): { input: T; isExact: boolean } {
  let isExact = true;
  const clean = mapped(input, (text) => {
    const shown = seen(text);
    isExact &&= shown === text;
    return shown;
  }) as T;
  if (JSON.stringify(clean).length * 3 < LONGEST_INPUT) return { input: clean, isExact };
  if (Buffer.byteLength(JSON.stringify(clean)) < LONGEST_INPUT) return { input: clean, isExact };
  const cut = mapped(clean, (text) => (text.length > LONGEST_ARGUMENT ? cutText(text) : text)) as T;
  if (Buffer.byteLength(JSON.stringify(cut)) < LONGEST_INPUT) return { input: cut, isExact: false };
  return { input: { cut: "These arguments are too long to be shown." } as T, isExact: false };
}

function seen(text: string): string {
  return visibleSequences(text.toWellFormed());
}

/** The last look at an event, whatever is in it: names, ids and lists come from agents as well. */
export function fittingEvent<E extends object>(event: E): E {
  let line = JSON.stringify(event);
  let clean = event;
  if (line.includes("\\u001b") || line.includes("\\ud") || CONTROLS.test(line)) {
    clean = mapped(event, seen) as E;
    line = JSON.stringify(clean);
  }
  // Room for the number and the time that it is given.
  const isShort = line.length * 3 < LONGEST_LINE || Buffer.byteLength(line) < LONGEST_LINE - 200;
  return isShort
    ? clean
    : (Object.fromEntries(Object.entries(clean).map(([name, value]) => [name, shortOf(value)])) as E);
}

/** What stands for a value in an event that is too long all the same: its type and ids stay. */
function shortOf(value: unknown): unknown {
  if (typeof value === "string") return value.length > LONGEST_ARGUMENT ? cutText(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (JSON.stringify(value).length < LONGEST_ARGUMENT) return value;
  return Array.isArray(value) ? fittingList(value) : fittingInput(value).input;
}

/** As many as there is room for. */
function fittingList(list: readonly unknown[]): unknown[] {
  let size = 0;
  const end = list.findIndex((one) => {
    size += Buffer.byteLength(JSON.stringify(one) ?? "");
    return size > LONGEST_INPUT;
  });
  return end === -1 ? [...list] : list.slice(0, end);
}

function cutText(text: string): string {
  return `${text.slice(0, LONGEST_ARGUMENT).toWellFormed()} … [${text.length - LONGEST_ARGUMENT} more characters]`;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name), mapped(item, change)]),
  );
}
