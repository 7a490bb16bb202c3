// How a session is named for a command, and a command for a shell.
import type { Context } from "../context.ts";
import { batonIn } from "../in-home.ts";
import { shellWord } from "../text.ts";
import type { Row } from "./filter.ts";
import type { Plan } from "./state.ts";

/** A session's id, or its file where a copy has the same id. */
export function nameOf({ session }: Row, rows: readonly Row[]): string {
  const isAlone = !rows.some((row) => row.session !== session && row.session.id === session.id);
  return isAlone ? session.id : session.path;
}

/** What does the same in a shell, where there are options for everything. */
export function inShell({ environment }: Pick<Context, "environment">, name: string, plan?: Plan): string {
  const words = plan?.kind === "fork" ? ["fork", name] : ["resume", name];
  if (plan?.agent) words.push("--in", plan.agent.id);
  if (plan?.at !== undefined) words.push("--at", plan.at);
  return [batonIn(environment.HOME), ...words.map(shellWord)].join(" ");
}
