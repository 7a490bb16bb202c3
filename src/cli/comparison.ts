// Two compared sessions as text: a line for each turn, and below it, side by side, what differs.
import type { Header } from "../session/session.ts";
import type { ComparedTurn, Comparison, Totals } from "../transform/compare.ts";
import type { Spent, TurnFacts } from "../transform/turn-facts.ts";
import type { Colors } from "./output.ts";
import { cut, dollars, duration, padded, widthOf } from "./text.ts";

export interface Compared extends Comparison {
  a: Side;
  b: Side;
}

export interface Side {
  id: string;
  agent: string;
  title: string;
  project: string;
  model: string;
  modelDisplay: string;
  /** Of the whole session, also of what was taken back or compacted away. */
  tokens: Header["metadata"]["tokens"] | null;
}

interface Look {
  colors: Colors;
  width: number;
  /** Every row of every turn, the same or not. */
  isWhole: boolean;
}

const LABEL = 12;
const GAP = "  ";

export function* comparisonText(compared: Compared, look: Look): Generator<string> {
  const { a, b, turns, totals } = compared;
  yield* sideBySide(look, [
    ["", a, b, ({ id, agent, modelDisplay }: Side) => [agent, id, modelDisplay].filter(Boolean).join(" · ")],
    ["", a, b, ({ title }: Side) => title],
  ]);
  for (const [at, turn] of turns.entries()) {
    yield "";
    yield* turnText(at + 1, turn, look);
  }
  yield "";
  yield look.colors.bold(`${totals.same ? "The same" : "In total"}`);
  yield* sideBySide(look, totalRows(totals));
}

type Row<T> = readonly [label: string, a: T | null, b: T | null, tell: (side: T) => string];

/** A row that says nothing on either side is left out. */
function* sideBySide<T>({ colors, width }: Look, rows: readonly Row<T>[]): Generator<string> {
  const room = Math.max(12, Math.floor((width - LABEL - GAP.length) / 2));
  for (const [label, a, b, tell] of rows) {
    const [left, right] = [a, b].map((side) => cut(side === null ? "" : tell(side), room)) as [
      string,
      string,
    ];
    if (left === "" && right === "") continue;
    yield `${colors.dim(padded(label, LABEL))}${padded(left, room)}${GAP}${right}`.trimEnd();
  }
}

function* turnText(number: number, turn: ComparedTurn, look: Look): Generator<string> {
  const { a, b, same, differs, similarity } = turn;
  const { colors, width, isWhole } = look;
  const alone = a === null ? "only in the second" : b === null ? "only in the first" : "";
  const mark =
    alone !== "" ? colors.yellow(a === null ? ">" : "<") : same ? colors.green("=") : colors.yellow("≠");
  const told = alone || (same ? "" : differs.join(", "));
  const head = padded(String(number), 4);
  const room = Math.max(12, width - head.length - 2 - (told === "" ? 0 : widthOf(told) + 3));
  const prompt = cut((a ?? b)?.prompt || "before the first prompt", room);
  yield `${colors.dim(head)}${mark} ${colors.bold(prompt)}${told === "" ? "" : colors.dim(` · ${told}`)}`;
  const rows = ROWS.filter(([label]) => isWhole || !same || SPENDING.has(label));
  const shown = rows.filter(([label, tell]) => isWhole || isTold(label, tell, turn));
  yield* sideBySide(
    look,
    shown.map(([label, tell]): Row<TurnFacts> => [`    ${label}`, a, b, tell]),
  );
  if (similarity < 1 && a && b)
    yield* sideBySide(look, [["    asked", a, b, ({ prompt: asked }: TurnFacts) => asked]]);
}

type Tell = (turn: TurnFacts) => string;

const ROWS: readonly (readonly [string, Tell])[] = [
  ["tools", ({ tools }) => toolsText(tools)],
  ["files", ({ files }) => filesText(files)],
  ["failed", ({ errors }) => (errors === 0 ? "" : String(errors))],
  ["said", ({ answer }) => answer],
  ["time", ({ ms }) => (ms === null ? "" : duration(ms))],
  ["used", (turn) => spentText(turn)],
];

const SPENDING = new Set(["time", "used"]);

/** What two turns have in common is left out, except what was done and said in one that stands alone. */
function isTold(label: string, tell: Tell, { a, b }: ComparedTurn): boolean {
  if (a === null || b === null || SPENDING.has(label)) return true;
  return tell(a) !== tell(b);
}

function toolsText(tools: Readonly<Record<string, number>>): string {
  const most = Object.entries(tools).toSorted(([, one], [, other]) => other - one);
  return most.map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", ");
}

function filesText(files: TurnFacts["files"]): string {
  const changed = files.filter((file) => file.changed);
  const read = files.length - changed.length;
  const told = changed.map(({ path, added, removed }) => {
    const lines = [added === null ? "" : `+${added}`, removed === null ? "" : `−${removed}`]
      .filter(Boolean)
      .join(" ");
    return lines === "" ? path : `${path} ${lines}`;
  });
  return [...told, read === 0 ? "" : `${read} read`].filter(Boolean).join(", ");
}

function totalRows({ a, b }: Comparison["totals"]): Row<Totals>[] {
  const row = (label: string, tell: (totals: Totals) => string): Row<Totals> => [label, a, b, tell];
  return [
    row("turns", ({ turns }) => String(turns)),
    row("tools", ({ tools }) => toolsText(tools)),
    row("files", totalFiles),
    row("failed", ({ errors }) => String(errors)),
    row("time", ({ ms }) => duration(ms)),
    row("used", spentText),
  ];
}

function totalFiles({ changed, read, added, removed }: Totals): string {
  const told = [
    changed === 0 ? "" : `${changed} changed +${added} −${removed}`,
    read === 0 ? "" : `${read} read`,
  ];
  return told.filter(Boolean).join(", ");
}

/** "12k in, 1.2k out, $0.31"; what came from a cache counts as in. ~ stands before dollars that were worked out. */
export function spentText({ tokens, cost, computed }: Spent): string {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = tokens ?? {};
  const counts = tokens ? [`${short(input + cacheRead + cacheWrite)} in`, `${short(output)} out`] : [];
  return [...counts, ...(cost === null ? [] : [`${computed > 0 ? "~" : ""}${dollars(cost)}`])].join(", ");
}

/** What a session used for what was taken back or hidden since, and is not in a comparison's totals. */
export function leftOut(side: Side, { tokens }: Spent): string | undefined {
  const more = allOf(side.tokens) - allOf(tokens);
  if (!side.tokens || more <= 0) return undefined;
  return `${side.id} used ${short(more)} more tokens for what is not in its thread any more; \`baton usage\` counts them.`;
}

function allOf(tokens: Side["tokens"]): number {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = tokens ?? {};
  return input + output + cacheRead + cacheWrite;
}

function short(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1e6 ? [count / 1e3, "k"] : [count / 1e6, "M"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
}
