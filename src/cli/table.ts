// The table of sessions, as wide as the terminal allows.
import type { Place } from "../adapters/adapter.ts";
import type { SessionSummary } from "../catalog/scan.ts";
import { badge } from "./badge.ts";
import type { Output } from "./output.ts";
import { ago, cut, dollars, padded, shortPath, widthOf } from "./text.ts";

const HEADINGS = ["id", "agent", "model", "title", "project", "messages", "cost", "changed"];
const MODEL = 2;
const TITLE = 3;
const PROJECT = 4;
const NARROWEST = 16;
/** Below this many columns the title needs the place that the model's name would take. */
const WIDE = 100;
const GAP = "  ";

type Look = Pick<Output, "colors" | "width" | "isTerminal">;

export function sessionTable(
  sessions: readonly SessionSummary[],
  adapters: readonly Place[],
  look: Look,
  home: string,
  withCost = false,
): string[] {
  const { colors } = look;
  const rows = sessions.map((row) => cellsOf(row, home, withCost));
  const headings = HEADINGS.map((heading) => (heading === "cost" && !withCost ? "" : heading));
  const widths = columnWidths(look.isTerminal ? [headings, ...rows] : rows, look.width);
  const plain = (text: string) => text;
  const agent = (text: string) => badge(text, adapters, colors);
  const styles = [colors.dim, agent, colors.dim, plain, colors.dim, plain, plain, colors.dim];
  const lines = rows.map((cells) => lineOf(cells, widths, styles));
  const dim = HEADINGS.map(() => colors.dim);
  return look.isTerminal ? [lineOf(headings, widths, dim), ...lines] : lines;
}

/** A session with problems has a mark before its title. */
function cellsOf(row: SessionSummary, home: string, withCost: boolean): string[] {
  const mark = row.problems.length > 0 ? "! " : "";
  const title = `${mark}${row.title || row.problems[0] || row.path}`;
  const project = shortPath(row.project, home);
  const model = row.model === "unknown" ? "" : row.modelDisplay;
  const cost = withCost ? costText(row) : "";
  return [row.id, row.agent, model, title, project, String(row.messageCount), cost, ago(row.updated)];
}

/** Only what an agent wrote down was paid, as far as anybody knows. */
function costText({ cost, costKind }: SessionSummary): string {
  return cost === null ? "?" : `${costKind === "recorded" ? "" : "~"}${dollars(cost)}`;
}

/** Every column as wide as its content; the title and the project give way to the terminal. */
function columnWidths(rows: readonly string[][], width: number): number[] {
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((cells) => widthOf(cells[at] ?? ""))));
  if (width < WIDE) widths[MODEL] = 0;
  const gaps = GAP.length * (widths.filter((own) => own > 0).length - 1);
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
    .flatMap((cell, at) => {
      const width = widths[at] ?? 0;
      if (width === 0) return [];
      const text = cut(cell, width);
      const space = at === cells.length - 1 ? "" : padded(text, width).slice(text.length);
      return [`${text === "" ? "" : (styles[at]?.(text) ?? text)}${space}`];
    })
    .join(GAP)
    .trimEnd();
}
