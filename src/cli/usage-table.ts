// The table of tokens and cost, with a bar for each row, as wide as the terminal allows.
import { dollarsOf, type UsageReport, type UsageRow, type UsageSums } from "../catalog/usage/usage.ts";
import type { Prices } from "../models/model.ts";
import type { Output } from "./output.ts";
import { cut, padded, shortPath, widthOf } from "./text.ts";

interface Labels {
  home: string;
  displayName(model: string): string;
}

type Look = Pick<Output, "colors" | "width">;

const GAP = "  ";
const NARROWEST_KEY = 12;
const WIDEST_KEY = 40;
const NARROWEST_BAR = 4;
const WIDEST_BAR = 24;
const BLOCKS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

export function usageTable(report: UsageReport, labels: Labels, { colors, width }: Look): string[] {
  const columns = COLUMNS.filter(({ isShown }) => isShown?.(report.total) ?? true);
  const keys = report.rows.map((row) => labelOf(report.by, row, labels));
  const table = [
    columns.map(({ heading }) => heading),
    ...[...report.rows, report.total].map((row) => columns.map(({ cell }) => cell(row))),
  ];
  const widths = columns.map((_, at) => Math.max(...table.map((cells) => widthOf(cells[at] ?? ""))));
  const numbers = widths.reduce((sum, own) => sum + own + GAP.length, 0);
  const widest = Math.min(WIDEST_KEY, Math.max(...[report.by, "total", ...keys].map(widthOf)));
  const keyWidth = Math.max(NARROWEST_KEY, Math.min(widest, width - numbers));
  const room = Math.min(WIDEST_BAR, width - numbers - keyWidth - GAP.length);
  const bars = room < NARROWEST_BAR ? [] : barsOf(report, room);
  const line = (key: string, cells: readonly string[], bar = "") =>
    [padded(cut(key, keyWidth), keyWidth), ...cells.map((cell, at) => cell.padStart(widths[at] ?? 0)), bar]
      .join(GAP)
      .trimEnd();
  const [headings = [], ...rest] = table;
  const total = rest.pop() ?? [];
  return [
    colors.dim(line(report.by, headings)),
    ...rest.map((cells, at) => line(keys[at] ?? "", cells, colors.cyan(bars[at] ?? ""))),
    colors.bold(line("total", total)),
  ];
}

interface Column {
  heading: string;
  cell(sums: UsageSums): string;
  /** Absent = always. */
  isShown?(total: UsageSums): boolean;
}

const COLUMNS: readonly Column[] = [
  { heading: "messages", cell: ({ messages }) => String(messages) },
  { heading: "input", cell: ({ tokens }) => short(tokens.input) },
  { heading: "output", cell: ({ tokens }) => short(tokens.output) },
  { heading: "cache", cell: ({ tokens }) => short(tokens.cacheRead + tokens.cacheWrite) },
  ...(["recorded", "computed", "estimated"] as const).map((kind) => ({
    heading: kind,
    cell: ({ cost }: UsageSums) => (cost[kind] > 0 ? dollars(cost[kind]) : ""),
    isShown: ({ cost }: UsageSums) => cost[kind] > 0,
  })),
  {
    heading: "unpriced",
    cell: ({ unpriced: { input, output, cacheRead, cacheWrite, messages } }) =>
      messages > 0 ? short(input + output + cacheRead + cacheWrite) : "",
    isShown: ({ unpriced }) => unpriced.messages > 0,
  },
];

function labelOf(by: UsageReport["by"], row: UsageRow, { home, displayName }: Labels): string {
  if (by === "model") return displayName(row.key);
  if (by === "project") return shortPath(row.key, home) || "(no project)";
  return by === "session" ? `${row.key}  ${row.title ?? ""}` : row.key;
}

/** Of what it cost, or of its tokens where nothing has a price. */
function barsOf({ rows, total }: UsageReport, width: number): string[] {
  const size = dollarsOf(total) > 0 ? dollarsOf : ({ tokens }: UsageSums) => tokens.input + tokens.output;
  const most = Math.max(...rows.map(size));
  return rows.map((row) => bar(most > 0 ? size(row) / most : 0, width));
}

/** In eighths of a column; whatever is not nothing shows. */
function bar(share: number, width: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + (BLOCKS[eighths % 8] ?? "");
}

/** 950, 12k, 3.4M. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return count < 999_500_000 ? `${(count / 1e6).toFixed(1)}M` : `${(count / 1e9).toFixed(1)}G`;
}

function dollars(amount: number): string {
  return amount > 0 && amount < 0.005 ? "<$0.01" : `$${amount.toFixed(2)}`;
}

/** Of a million tokens. */
export function priceText({ input, output, cacheRead, cacheWrite }: Prices): string {
  const cache = [cacheRead, cacheWrite].filter((price) => price !== undefined).map((price) => `$${price}`);
  return `$${input} in, $${output} out${cache.length > 0 ? `, cache ${cache.join(" and ")}` : ""} a million`;
}
