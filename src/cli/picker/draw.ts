// The screen as a function of the state: the filter, the list, the preview, a message and the keys.
import { ago, counted, cut, padded, shortPath, widthOf } from "../text.ts";
import { type Cell, cutStart, type Frame, type Line, type Look, marked, right } from "./cells.ts";
import { type Row, wordsOf } from "./filter.ts";
import type { Layout } from "./layout.ts";
import { panelScreen } from "./panel.ts";
import { previewLines } from "./preview-lines.ts";
import { layoutIn, type State, selectedRow } from "./state.ts";
import { type FOOTERS, footerLine } from "./words.ts";

export function draw(state: State, look: Look): Frame {
  if (state.panel) return panelScreen(state, state.panel, look);
  const layout = layoutIn(state);
  const lines: Line[] = [filterLine(state, layout, look)];
  const columns = columnsFor(layout.list.width, state.rows);
  if (layout.hasHeadings) lines.push(headings(columns, look));
  const list = listLines(state, layout, columns, look);
  lines.push(...(layout.preview ? withPreview(state, layout, list, look) : list));
  if (layout.preview?.isBeside) besideFilter(lines, state, layout, look);
  if (layout.hasMessage) lines.push(messageLine(state, layout, look));
  if (layout.hasFooter) lines.push(footerLine(footerOf(state), layout.columns, look));
  const typed = cutStart(visibleSpaces(state.filter), filterRoom(state, layout));
  const column = Math.min(PROMPT.length + widthOf(typed), layout.columns - 1);
  return {
    lines: lines.slice(0, layout.rows).map((line) => line.filter(({ at }) => at < layout.columns)),
    ...(state.focus === "filter" && { cursor: { row: 0, column } }),
  };
}

const PROMPT = "❯ ";

function filterLine(state: State, layout: Layout, { colors }: Look): Line {
  const { filter, focus } = state;
  const count = countText(state);
  const room = filterRoom(state, layout);
  const isTyping = focus === "filter";
  const prompt = isTyping ? colors.cyan(PROMPT) : colors.dim(PROMPT);
  const shown =
    filter === "" && !isTyping ? colors.dim(cut("/ filters", room)) : cutStart(visibleSpaces(filter), room);
  const cells: Cell[] = [
    { at: 0, text: prompt },
    { at: PROMPT.length, text: shown },
  ];
  if (room >= 4) cells.push({ at: filterWidth(layout) - count.length, text: colors.dim(count) });
  return cells;
}

function countText({ filter, rows, matches }: State): string {
  const all = rows.length.toLocaleString("en-US");
  if (filter === "") return counted(rows.length, "session").replace(/^\d+/, all);
  return `${matches.length.toLocaleString("en-US")} of ${all}`;
}

/** What the count leaves for what is typed. */
function filterRoom(state: State, layout: Layout): number {
  return filterWidth(layout) - PROMPT.length - countText(state).length - 2;
}

function filterWidth({ columns, list }: Layout): number {
  return Math.min(list.width, columns);
}

/** A space at the end is typed too. */
function visibleSpaces(text: string): string {
  return text.replace(/ +$/, (spaces) => "\u00a0".repeat(spaces.length));
}

interface Column {
  name: "agent" | "title" | "project" | "model" | "messages" | "age";
  at: number;
  width: number;
}

const WIDTHS = { project: 22, model: 17, messages: 5, age: 6 };
const MARK = 2;
const GAP = 2;
/** What gives way first when the title gets narrower than this. */
const DISPENSABLE = [
  ["model", 24],
  ["messages", 24],
  ["project", 24],
  ["agent", 12],
] as const;

function columnsFor(width: number, rows: readonly Row[]): Column[] {
  let agent = "agent".length;
  for (const { session } of rows) agent = Math.max(agent, session.agent.length);
  const widths = { agent: Math.min(agent, 12), title: 0, ...WIDTHS };
  let names: Column["name"][] = ["agent", "title", "project", "model", "messages", "age"];
  const left = () => width - MARK - names.reduce((sum, name) => sum + widths[name] + GAP, -GAP);
  for (const [name, least] of DISPENSABLE) if (left() < least) names = names.filter((one) => one !== name);
  widths.title = Math.max(0, left());
  let at = MARK;
  return names.map((name) => {
    const column = { name, at, width: widths[name] };
    at += widths[name] + GAP;
    return column;
  });
}

const HEADINGS: Record<Column["name"], string> = {
  agent: "agent",
  title: "title",
  project: "project",
  model: "model",
  messages: "msgs",
  age: "age",
};

function headings(columns: readonly Column[], { colors }: Look): Line {
  return columns.map(({ name, at, width }) => ({
    at,
    text: colors.dim(isNumber(name) ? right(HEADINGS[name], width) : cut(HEADINGS[name], width)),
  }));
}

function isNumber(name: Column["name"]): boolean {
  return name === "messages" || name === "age";
}

function listLines(state: State, layout: Layout, columns: readonly Column[], look: Look): Line[] {
  const { height } = layout.list;
  const words = wordsOf(state.filter);
  const shown = state.matches.slice(state.top, state.top + height);
  const lines = shown.map((row, at) => rowLine(row, columns, words, state.top + at === state.selected, look));
  if (lines.length === 0) lines.push([{ at: MARK, text: cut(emptyText(state), layout.list.width - MARK) }]);
  while (lines.length < height) lines.push([]);
  return lines;
}

function emptyText({ rows, progress }: State): string {
  if (rows.length > 0) return "No session has these words. Esc clears the filter.";
  if (progress !== undefined) return "Looking for sessions …";
  return "There are no sessions yet. `baton doctor` shows which stores were looked at.";
}

function rowLine(
  row: Row,
  columns: readonly Column[],
  words: readonly string[],
  isSelected: boolean,
  look: Look,
): Line {
  const { colors } = look;
  const cells = columns.map(({ name, at, width }) => {
    const text = textIn(row, name, width, look);
    const space = padded(text, width).slice(text.length);
    const styled = styledIn(row, name, text, words, look);
    return { at, text: isSelected ? colors.inverse(`${styled}${space}`) : styled };
  });
  return isSelected ? [{ at: 0, text: colors.cyan("▸") }, ...cells] : cells;
}

function textIn({ session }: Row, name: Column["name"], width: number, { home, now }: Look): string {
  switch (name) {
    case "agent":
      return cut(session.agent, width);
    case "title": {
      const mark = session.problems.length > 0 ? "! " : "";
      return cut(`${mark}${session.title || session.problems[0] || session.path}`, width);
    }
    case "project":
      return cutStart(shortPath(session.project, home), width);
    case "model":
      return cut(session.modelDisplay, width);
    case "messages":
      return right(String(session.messageCount), width);
    case "age":
      return right(ago(session.updated, now).replace(/ ago$|^just /, ""), width);
  }
}

function styledIn(
  { session }: Row,
  name: Column["name"],
  text: string,
  words: readonly string[],
  look: Look,
): string {
  const { colors } = look;
  const plain = (piece: string) => piece;
  if (name === "agent") return marked(text, words, (piece) => look.badge(session.agent, piece), colors);
  if (isNumber(name)) return colors.dim(text);
  return marked(text, words, name === "title" ? plain : colors.dim, colors);
}

/** Below the list it has a rule above it, beside it one to its left. */
function withPreview(state: State, layout: Layout, list: readonly Line[], look: Look): Line[] {
  const pane = layout.preview as NonNullable<Layout["preview"]>;
  if (pane.isBeside) return [...list];
  const rule: Line = [{ at: 0, text: look.colors.dim("─".repeat(pane.width)) }];
  return [...list, rule, ...paneLines(state, layout, look).map((text) => [{ at: 0, text }])];
}

/** The pane beside the list begins at its headings. */
function besideFilter(lines: Line[], state: State, layout: Layout, look: Look): void {
  const { left, top } = layout.preview as NonNullable<Layout["preview"]>;
  const texts = paneLines(state, layout, look);
  for (let at = 0; at < lines.length; at++) {
    const text = at < top ? "" : (texts[at - top] ?? "");
    const own: Cell[] = [{ at: left - 2, text: look.colors.dim("│") }];
    if (text !== "") own.push({ at: left, text });
    lines[at] = [...(lines[at] ?? []), ...own];
  }
}

function paneLines(state: State, layout: Layout, look: Look): string[] {
  const { width, height } = layout.preview as NonNullable<Layout["preview"]>;
  const row = selectedRow(state);
  const lines = row ? previewLines(row, state.previews.get(row.key), { width, height }, look) : [];
  return Array.from({ length: height }, (_, at) => lines[at] ?? "");
}

function messageLine({ message, progress }: State, { columns }: Layout, { colors }: Look): Line {
  if (message !== "") return [{ at: 0, text: colors.cyan(cut(message, columns)) }];
  return progress ? [{ at: 0, text: colors.dim(cut(progress, columns)) }] : [];
}

function footerOf({ focus, filter }: State): keyof typeof FOOTERS {
  if (focus === "filter") return "filter";
  return filter === "" ? "list" : "filtered";
}
