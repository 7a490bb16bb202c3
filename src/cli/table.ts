// The table of sessions, as wide as the terminal allows.
import type { Adapter } from "../adapters/adapter.ts";
import type { SessionSummary } from "../catalog/scan.ts";
import { badge } from "./badge.ts";
import type { Output } from "./output.ts";
import { ago, cut, padded, shortPath, widthOf } from "./text.ts";

const HEADINGS = ["id", "agent", "title", "project", "messages", "changed"];
const TITLE = 2;
const PROJECT = 3;
const NARROWEST = 16;
const GAP = "  ";

type Look = Pick<Output, "colors" | "width" | "isTerminal">;

export function sessionTable(
  sessions: readonly SessionSummary[],
  adapters: readonly Adapter[],
  look: Look,
  home: string,
): string[] {
  const { colors } = look;
  const rows = sessions.map((row) => cellsOf(row, home));
  const widths = columnWidths(look.isTerminal ? [HEADINGS, ...rows] : rows, look.width);
  const plain = (text: string) => text;
  const agent = (text: string) => badge(text, adapters, colors);
  const styles = [colors.dim, agent, plain, colors.dim, plain, colors.dim];
  const lines = rows.map((cells) => lineOf(cells, widths, styles));
  const headings = lineOf(
    HEADINGS,
    widths,
    HEADINGS.map(() => colors.dim),
  );
  return look.isTerminal ? [headings, ...lines] : lines;
}

/** A session with problems has a mark before its title. */
function cellsOf(row: SessionSummary, home: string): string[] {
  const mark = row.problems.length > 0 ? "! " : "";
  const title = `${mark}${row.title || row.problems[0] || row.path}`;
  return [row.id, row.agent, title, shortPath(row.project, home), String(row.messageCount), ago(row.updated)];
}

/** Every column as wide as its content; the title and the project give way to the terminal. */
function columnWidths(rows: readonly string[][], width: number): number[] {
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((cells) => widthOf(cells[at] ?? ""))));
  const gaps = GAP.length * (widths.length - 1);
  const shrink = (column: number, least: number) => {
    const own = widths[column] ?? 0;
    const over = widths.reduce((sum, one) => sum + one, gaps) - width;
    widths[column] = Math.max(Math.min(own, least), own - Math.max(0, over));
  };
  shrink(PROJECT, NARROWEST);
  shrink(TITLE, NARROWEST);
  shrink(PROJECT, 0);
  return widths;
}

function lineOf(
  cells: readonly string[],
  widths: readonly number[],
  styles: readonly ((text: string) => string)[],
): string {
  return cells
    .map((cell, at) => {
      const text = cut(cell, widths[at] ?? 0);
      const space = at === cells.length - 1 ? "" : padded(text, widths[at] ?? 0).slice(text.length);
      return `${text === "" ? "" : (styles[at]?.(text) ?? text)}${space}`;
    })
    .join(GAP)
    .trimEnd();
}
