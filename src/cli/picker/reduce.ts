// What each key does: a new state, and sometimes something to be done outside of it.

import type { Key, Name } from "../keys.ts";
import type { Row } from "./filter.ts";
import { scrolled } from "./layout.ts";
import {
  hasDigits,
  type Item,
  layoutIn,
  type Panel,
  type Plan,
  panelHeight,
  panelText,
  placed,
  type State,
  selectedRow,
  withFilter,
  withPanel,
} from "./state.ts";
import { HELP } from "./words.ts";

export type Effect =
  | { type: "quit"; status: number }
  | { type: "suspend" }
  | { type: "redraw" }
  | { type: "resume" | "view" | "copy" | "targets" | "entries"; row: Row }
  /** Say what would be lost. */
  | { type: "report"; plan: Plan }
  | { type: "write"; plan: Plan; start: boolean };

export interface Next {
  state: State;
  effect?: Effect;
}

export function reduce(before: State, key: Key): Next {
  const state = before.message === "" ? before : { ...before, message: "" };
  const always = key.type === "named" ? ALWAYS[key.name] : undefined;
  if (always) return { state, effect: always };
  if (state.panel) return inPanel(state, state.panel, key);
  if (key.type === "named") return named(state, key.name);
  if (key.type === "paste") return { state: typed(state, key.text) };
  if (key.type === "alt") return command(state, key.letter) ?? { state };
  if (state.focus === "filter") return { state: typed(state, key.text) };
  return command(state, key.text) ?? { state: typed(state, key.text) };
}

const ALWAYS: Partial<Record<Name, Effect>> = {
  interrupt: { type: "quit", status: 130 },
  suspend: { type: "suspend" },
  redraw: { type: "redraw" },
};

/** A letter that is a command; undefined for one that is not. */
function command(state: State, letter: string): Next | undefined {
  const row = selectedRow(state);
  switch (letter) {
    case "/":
      return { state: { ...state, focus: "filter" } };
    case "?":
      return { state: withPanel(state, { type: "text", title: "Keys", lines: HELP, top: 0 }) };
    case " ":
      return { state: placed({ ...state, wantsPreview: !state.wantsPreview }) };
    case "c":
      return row ? { state, effect: { type: "targets", row } } : nothing(state);
    case "f":
      return row ? { state: withPanel(state, placesFor(row)) } : nothing(state);
    case "v":
      return row ? { state, effect: { type: "view", row } } : nothing(state);
    case "y":
      return row ? { state, effect: { type: "copy", row } } : nothing(state);
    default:
      return undefined;
  }
}

function nothing(state: State): Next {
  return { state: { ...state, message: "No session is selected." } };
}

function placesFor(row: Row): Panel {
  const items: Item[] = [
    {
      label: "At the end",
      note: "a copy of the whole session",
      step: { type: "report", plan: { kind: "fork", row } },
    },
    { label: "At an entry", note: "everything up to a prompt or a reply", step: { type: "entries" } },
  ];
  return { type: "choice", title: `Fork “${row.session.title}”: where?`, items, selected: 0, top: 0, row };
}

function typed(state: State, text: string): State {
  return { ...withFilter(state, state.filter + text), focus: "filter" };
}

function named(state: State, name: Name): Next {
  const row = selectedRow(state);
  switch (name) {
    case "enter":
      return row ? { state, effect: { type: "resume", row } } : nothing(state);
    case "escape":
      if (state.filter !== "") return { state: { ...withFilter(state, ""), focus: "list" } };
      if (state.focus === "filter") return { state: { ...state, focus: "list" } };
      return { state, effect: { type: "quit", status: 0 } };
    case "eof":
      return state.filter === "" ? { state, effect: { type: "quit", status: 0 } } : { state };
    case "tab":
      return { state: { ...state, focus: state.focus === "list" ? "filter" : "list" } };
    case "backspace":
      if (state.filter === "") return { state: { ...state, focus: "list" } };
      return { state: { ...withFilter(state, withoutLast(state.filter)), focus: "filter" } };
    case "delete_word":
      return { state: withFilter(state, state.filter.replace(/\S*\s*$/, "")) };
    case "delete_line":
      return { state: withFilter(state, "") };
    default:
      return { state: moved(state, name) };
  }
}

/** The last character as a person sees it. */
function withoutLast(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, characters.at(-1)?.index ?? 0);
}

function moved(state: State, name: Name): State {
  const page = layoutIn(state).list.height;
  const selected = movedTo(name, state.selected, state.matches.length, page);
  return placed({ ...state, selected });
}

function movedTo(name: Name, from: number, count: number, page: number): number {
  const to = {
    up: from - 1,
    down: from + 1,
    page_up: from - page,
    page_down: from + page,
    home: 0,
    end: count - 1,
  }[name as "up"];
  return Math.max(0, Math.min(to ?? from, count - 1));
}

function inPanel(state: State, panel: Panel, key: Key): Next {
  const isEscape = key.type === "named" && (key.name === "escape" || key.name === "eof");
  const letter = key.type === "text" || key.type === "alt" ? textOf(key) : "";
  switch (panel.type) {
    case "busy":
      if (isEscape && !panel.isHeld) return { state: withPanel({ ...state, ahead: [] }, undefined) };
      return { state: waiting(state, [...state.ahead, key]) };
    case "choice":
      return isEscape ? { state: withPanel(state, undefined) } : inChoice(state, panel, key);
    case "report":
      if (isEscape || letter === "n")
        return { state: withPanel({ ...state, message: UNWRITTEN }, undefined) };
      if (letter === "y" || letter === "w")
        return { state, effect: { type: "write", plan: panel.plan, start: letter === "y" } };
      return { state: withPanel(state, pagedTo(panel, key, state)) };
    case "text": {
      const next = pagedTo(panel, key, state);
      return { state: withPanel(state, next.top === panel.top && !isMoving(key) ? undefined : next) };
    }
  }
}

function waiting(state: State, ahead: readonly Key[]): State {
  const count = ahead.length === 1 ? "1 key" : `${ahead.length} keys`;
  return { ...state, ahead, message: `${count} pressed ahead.` };
}

/**
 * The next of the keys that were pressed ahead, when it is their turn. What is to be read first is never answered by
 * a key that was pressed before it was there.
 */
export function caughtUp(state: State): { state: State; key?: Key } {
  const [key, ...ahead] = state.ahead;
  if (!key || state.panel?.type === "busy") return { state };
  if (state.panel?.type === "text" || state.panel?.type === "report")
    return { state: { ...state, ahead: [], message: TOO_EARLY } };
  return { state: { ...state, ahead }, key };
}

export const TOO_EARLY = "Keys that were pressed before this was shown do not count.";
const UNWRITTEN = "Nothing was written.";

function textOf(key: { type: "text"; text: string } | { type: "alt"; letter: string }): string {
  return key.type === "text" ? key.text : key.letter;
}

function isMoving(key: Key): boolean {
  return key.type === "named" && !["enter", "escape", "eof", "tab", "backspace"].includes(key.name);
}

function pagedTo<P extends { lines: readonly string[]; top: number }>(panel: P, key: Key, state: State): P {
  if (key.type !== "named") return panel;
  const page = panelHeight(state);
  const count = panelText(panel.lines, state.size.columns).length;
  const last = Math.max(1, count - page + 1);
  return { ...panel, top: movedTo(key.name, panel.top, last, page) };
}

function inChoice(state: State, panel: Extract<Panel, { type: "choice" }>, key: Key): Next {
  const digit = key.type === "text" && hasDigits(panel.items) ? "123456789".indexOf(key.text) : -1;
  if (digit !== -1) return decided(state, panel.items[digit], panel.row);
  if (key.type === "named" && key.name === "enter")
    return decided(state, panel.items[panel.selected], panel.row);
  if (key.type !== "named") return { state };
  const height = panelHeight(state);
  const selected = movedTo(key.name, panel.selected, panel.items.length, height);
  const top = scrolled(panel.top, selected, height, panel.items.length);
  return { state: withPanel(state, { ...panel, selected, top }) };
}

function decided(state: State, item: Item | undefined, row: Row): Next {
  if (!item) return { state };
  if (item.refusal !== undefined) return { state: { ...state, message: item.refusal } };
  return item.step.type === "entries"
    ? { state, effect: { type: "entries", row } }
    : { state, effect: { type: "report", plan: item.step.plan } };
}
