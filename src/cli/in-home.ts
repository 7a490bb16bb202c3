// Commands that a text tells the reader to use: they have to find the home that --home named here.
import { resolve } from "node:path";
import { shellWord } from "./text.ts";

/** `named`: what --home says, if anything. */
export function batonIn(named: string | undefined): string {
  return named === undefined ? "baton" : `baton --home ${shellWord(resolve(named))}`;
}

/** Commands stand in backquotes, or on a line of their own that is indented; their options are left as they are. */
export function inHome(named: string | undefined, text: string): string {
  if (named === undefined) return text;
  return text.replace(/(`|^ {2})baton (?=[a-z])/gm, (_, before: string) => `${before}${batonIn(named)} `);
}
