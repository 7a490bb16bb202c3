// What the picker says about its keys.
import type { Line, Look } from "./cells.ts";

export const HELP: readonly string[] = [
  "Enter          resume in its own agent",
  "c              continue in another agent; what would be lost is said first",
  "f              fork: a copy that ends at an entry, or at the end",
  "v              view the transcript in the pager",
  "y              copy the command that resumes it",
  "",
  "/              filter; so does every letter that is no command",
  "Tab            letters go to the filter, or to the list, where they are commands",
  "Alt-c f v y    the same commands while letters go to the filter",
  "Esc            clear the filter, then quit",
  "",
  "arrows, Ctrl-N, Ctrl-P, PgUp, PgDn, Home, End   move",
  "Space          show or hide the preview",
  "Ctrl-U Ctrl-W  clear the filter, its last word",
  "Ctrl-L         draw the screen anew",
  "Ctrl-Z         suspend",
  "Ctrl-C Ctrl-D  quit",
  "",
  "Several words filter for sessions that have them all: in the title, the project,",
  "the agent, the model or the id.",
];

/** For the last line: what the keys do, the most important first, as [key, meaning]. */
export const FOOTERS = {
  list: [
    ["enter", "resume"],
    ["c", "continue in…"],
    ["f", "fork"],
    ["v", "view"],
    ["y", "copy"],
    ["/", "filter"],
    ["?", "keys"],
    ["esc", "quit"],
  ],
  filtered: [
    ["enter", "resume"],
    ["c", "continue in…"],
    ["f", "fork"],
    ["v", "view"],
    ["y", "copy"],
    ["esc", "clear"],
    ["?", "keys"],
  ],
  filter: [
    ["enter", "resume"],
    ["tab", "commands"],
    ["esc", "clear"],
    ["alt-c", "continue in…"],
    ["alt-f", "fork"],
    ["alt-v", "view"],
    ["alt-y", "copy"],
  ],
  choice: [
    ["enter", "choose"],
    ["esc", "back"],
  ],
  report: [
    ["y", "write and start"],
    ["w", "write only"],
    ["n", "back"],
  ],
  text: [["esc", "back"]],
  busy: [
    ["esc", "back"],
    ["ctrl-c", "quit"],
  ],
  held: [["ctrl-c", "quit"]],
} as const;

/** As many keys as there is room for. */
export function footerLine(which: keyof typeof FOOTERS, width: number, { colors }: Look): Line {
  let text = "";
  let used = 0;
  for (const [key, meaning] of FOOTERS[which]) {
    const own = key.length + meaning.length + 1 + (used === 0 ? 0 : 2);
    if (used + own > width) break;
    text += `${used === 0 ? "" : "  "}${colors.bold(key)} ${colors.dim(meaning)}`;
    used += own;
  }
  return [{ at: 0, text }];
}
