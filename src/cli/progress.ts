// The line that tells how far work has come.
import { duration } from "./text.ts";

const LONGEST_BAR = 20;
const SHORTEST_BAR = 5;
/** Before so much is done, nobody knows how long the rest takes. */
const TOLD_FROM = 0.02;

/** A bar as long as there is room for, the amounts, how fast, and how long it will take. */
export function progressLine(
  doing: string,
  { done, total, ms }: { done: number; total: number; ms: number },
  shown: (amount: number) => string,
  width: number,
): string {
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const left =
    part >= TOLD_FROM ? `, ${duration(Math.ceil((ms * (1 - part)) / part / 1000) * 1000)} left` : "";
  const amounts = `${shown(done)} of ${shown(total)}, ${shown(Math.round((done * 1000) / ms))}/s${left}`;
  const room = Math.min(LONGEST_BAR, width - doing.length - amounts.length - " [] ".length);
  if (room < SHORTEST_BAR) return `${doing} ${amounts}`;
  const filled = Math.floor(room * part);
  return `${doing} [${"#".repeat(filled)}${".".repeat(room - filled)}] ${amounts}`;
}
