// How much of a text that still grows can be looked through for secrets: whole lines, and of what goes on over several
// lines nothing before its end.
import { openKey } from "./redact-keys.ts";

/** An access key, behind which its secret key may stand on the next line. */
const OPEN_PAIR = /(?:AKIA|ASIA)[A-Z0-9]{16}["'\s,:;|]{0,12}$/;

/** So many characters are whole, whatever comes behind them. */
export function wholeTo(text: string): number {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1);
  const open = Math.min(openKey(lines) ?? lines.length, OPEN_PAIR.exec(lines)?.index ?? lines.length);
  return lines.lastIndexOf("\n", open - 1) + 1;
}
