// Everything the picker shows and remembers, and the changes that come from outside the keyboard: more sessions, a
// preview that was read, another size.
import type { SessionSummary } from "../../catalog/scan.ts";
import type { Key } from "../keys.ts";
import type { Size } from "../screen.ts";
import { linesOf } from "./cells.ts";
import { matching, type Row, rowOf, wordsOf } from "./filter.ts";
import { type Layout, layoutOf, scrolled } from "./layout.ts";
import type { Preview } from "./preview.ts";

export interface State {
  size: Size;
  rows: readonly Row[];
  /** What the filter leaves of the rows. */
  matches: readonly Row[];
  /** Positions in `matches`. */
  selected: number;
  top: number;
  filter: string;
  /** Where letters go: into the filter, or to the list, where they are commands. */
  focus: "list" | "filter";
  /** What stands over the list. */
  panel?: Panel;
  /** Keys that were pressed while something was going on: they are for what comes after it. */
  ahead: readonly Key[];
  /** One line for the person, until the next key. */
  message: string;
  wantsPreview: boolean;
  /** What was read of sessions, by the row's key. */
  previews: ReadonlyMap<string, Preview>;
  /** How far reading the sessions has come; absent when all are there. */
  progress?: string;
}

/** Something to be decided or read before the list comes back. */
export type Panel =
  | { type: "busy"; title: string; isHeld: boolean }
  | { type: "text"; title: string; lines: readonly string[]; top: number }
  | { type: "choice"; title: string; items: readonly Item[]; selected: number; top: number; row: Row }
  | { type: "report"; title: string; lines: readonly string[]; top: number; plan: Plan };

export interface Item {
  label: string;
  /** Beside it, less bright. */
  note: string;
  /** Why it cannot be chosen. */
  refusal?: string;
  step: Step;
}

/** What happens when an item is chosen. */
export type Step = { type: "report"; plan: Plan } | { type: "entries" };

/** What would be written. */
export interface Plan {
  kind: "continue" | "fork";
  row: Row;
  /** The agent to continue in; a fork stays in its own. */
  agent?: { id: string; label: string };
  /** The last entry of a fork; absent = the newest. */
  at?: string;
  /** It was said that something would be missing, so a yes means in spite of it. */
  isLossy?: boolean;
}

export function initialState(size: Size): State {
  return {
    size,
    rows: [],
    matches: [],
    selected: 0,
    top: 0,
    filter: "",
    focus: "list",
    ahead: [],
    message: "",
    wantsPreview: true,
    previews: new Map(),
    progress: "",
  };
}

export function layoutIn(state: Pick<State, "size" | "wantsPreview">): Layout {
  return layoutOf(state.size, state.wantsPreview);
}

export function selectedRow(state: State): Row | undefined {
  return state.matches[state.selected];
}

/** The selection stays on its session and on its line of the screen, whatever comes in around it. */
export function withSessions(state: State, sessions: readonly SessionSummary[]): State {
  const rows = sessions.map(rowOf);
  const matches = matching(rows, wordsOf(state.filter));
  const key = selectedRow(state)?.key;
  const found = key === undefined ? -1 : matches.findIndex((row) => row.key === key);
  const selected = found === -1 ? Math.min(state.selected, Math.max(0, matches.length - 1)) : found;
  const top = state.top + (found === -1 ? 0 : found - state.selected);
  return placed({ ...state, rows, matches, selected, top: Math.max(0, top) });
}

export function withFilter(state: State, filter: string): State {
  const words = wordsOf(filter);
  // What a longer filter leaves is a part of what the shorter one left.
  const pool = state.filter !== "" && filter.startsWith(state.filter) ? state.matches : state.rows;
  const matches = matching(pool, words);
  const key = selectedRow(state)?.key;
  const found = filter === "" ? matches.findIndex((row) => row.key === key) : 0;
  return placed({ ...state, filter, matches, selected: Math.max(0, found), top: 0 });
}

export function withSize(state: State, size: Size): State {
  return placed({ ...state, size });
}

const REMEMBERED = 50;

export function withPreview(state: State, row: Row, preview: Preview): State {
  const previews = new Map(state.previews).set(row.key, preview);
  const [oldest] = previews.keys();
  if (previews.size > REMEMBERED && oldest !== undefined) previews.delete(oldest);
  return { ...state, previews };
}

export function withPanel(state: State, panel: Panel | undefined): State {
  const { panel: _, ...rest } = state;
  return panel ? { ...rest, panel } : rest;
}

export function withProgress(state: State, progress: string | undefined): State {
  const { progress: _, ...rest } = state;
  return progress === undefined ? rest : { ...rest, progress };
}

/** With the selected row on the screen. */
export function placed(state: State): State {
  const { height } = layoutIn(state).list;
  const { selected, matches } = state;
  return { ...state, top: scrolled(state.top, selected, height, matches.length) };
}

/** Few items can be chosen by their number. */
export function hasDigits(items: readonly Item[]): boolean {
  return items.length <= 9;
}

/** How many lines of a panel there is room for: its title stands above, a message and the keys below. */
export function panelHeight({ size }: Pick<State, "size">): number {
  return Math.max(1, size.rows - 4);
}

/** The lines of a panel, as wide as the screen. */
export function panelText(texts: readonly string[], width: number): string[] {
  return texts.flatMap((text) => (text === "" ? [""] : linesOf(text, width, Number.POSITIVE_INFINITY)));
}
