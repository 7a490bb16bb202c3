// An operation of the journal as the command line shows it.
import type { Operation } from "../storage/journal.ts";
import type { Context } from "./context.ts";
import { ago, cut, harmless, shortPath } from "./text.ts";

export function operationJson({ id, state, created, updated, facts, files, problems, error }: Operation) {
  // How both sessions stood is for `return` alone.
  const { ends: _, ...said } = facts;
  return {
    id,
    state,
    created,
    updated,
    ...said,
    files: files.map(({ type, path }) => ({ type, path })),
    problems,
    ...(error !== undefined && { error }),
  };
}

export function operationLine(operation: Operation, { output, home }: Context): string {
  const { id, state, created, facts } = operation;
  const from = facts.source === undefined ? "" : ` from ${facts.source}`;
  const what = `${facts.kind} ${facts.agent}:${facts.originalId}${from}`;
  return `${output.colors.bold(id)}  ${state}  ${ago(created)}  ${cut(what, 120)}  ${harmless(shortPath(facts.path, home.dir))}`;
}
