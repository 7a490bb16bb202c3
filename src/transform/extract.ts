// A summary that no model makes: what a session itself says of what was asked, decided, done and left open, in
// quotations. One pass in bounded memory; where there is too much, the newest counts.
import type { Entry } from "../session/session.ts";
import { newDone } from "./extract-done.ts";
import { newSaid } from "./extract-said.ts";
import { fitted, type Limit } from "./fit.ts";

export interface Extract {
  add(entry: Entry): void;
  /** Markdown sections without a heading above them; at most so many tokens. */
  text(limit: Limit): string;
}

/** `project`: paths below it are told from there. */
export function newExtract(project: string): Extract {
  const said = newSaid();
  const done = newDone(project);
  return {
    add(entry) {
      said.add(entry);
      done.add(entry, said.prompt());
    },
    text(limit) {
      const { asked, decisions, questions, context } = said.sections();
      const { files, commands, unfinished } = done.sections();
      // A summary from before tells what came first, and all that came before it is known from there alone.
      return fitted([context, asked, decisions, files, commands, unfinished, questions], limit);
    },
  };
}
