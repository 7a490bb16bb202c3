// status: which sessions an agent is working on, which wait for their user, and which have ended lately.
import type { Command } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { type SessionStatus, type Status, statusOf } from "../../catalog/status.ts";
import { knownRuns } from "../../storage/runs.ts";
import { badge } from "../badge.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { ago, counted, cut, padded } from "../text.ts";
import { countOf, sinceOf } from "../values.ts";

interface Options {
  since: Date;
  limit: number;
}

const DAY_MS = 86_400_000;
const MOST = 50;
const ID_WIDTH = 12;

export function define(command: Command, run: Run): void {
  command
    .option(
      "--since <time>",
      "of those that no agent holds only the ones changed since: a date, or 30m, 12h, 3d, 2w ago (default: 1d)",
      sinceOf,
    )
    .option(
      "--limit <count>",
      `no more sessions than this, but all that an agent holds (default: ${MOST})`,
      countOf,
    )
    .action((options: Partial<Options>) =>
      run((context) =>
        status(context, {
          since: options.since ?? new Date(Date.now() - DAY_MS),
          limit: options.limit ?? MOST,
        }),
      ),
    );
}

async function status(context: Context, options: Options): Promise<undefined> {
  const { output, home } = context;
  const adapters = await context.adapters();
  const problems: string[] = [];
  const found = await statusOf(home, adapters, {
    ...options,
    runs: await knownRuns(context.batonHome),
    onProblem: (path, error) => problems.push(`${path}: ${error.message}`),
  });
  if (problems.length > 0)
    output.warn(`${counted(problems.length, "place")} could not be looked at: ${problems[0]}.`);
  if (output.isJson) await output.json(found);
  else for (const line of linesOf(found, adapters, context)) await output.write(`${line}\n`);
  if (found.running.length + found.waiting.length + found.finished.length === 0)
    output.message("No session has changed lately. --since looks further back.");
  if (found.more > 0)
    output.message(`${counted(found.more, "more session")} changed lately. --limit looks at more.`);
}

function* linesOf(found: Status, adapters: readonly Adapter[], { output }: Context): Generator<string> {
  const { colors, width } = output;
  const parts = [
    ["running", found.running],
    ["waiting", found.waiting],
    ["finished", found.finished],
  ] as const;
  for (const [name, sessions] of parts)
    for (const one of sessions) {
      // A run of an agent that keeps no sessions has none.
      const id = padded(one.id, ID_WIDTH);
      const head = `${padded(name, 9)} ${id} ${padded(one.agent, 8)} `;
      const tail = [doing(one), ago(one.updated)].filter(Boolean).join(" · ");
      const title = cut(one.title || one.path, Math.max(16, width - head.length - tail.length - 3));
      const state = name === "finished" ? colors.dim(padded(name, 9)) : colors.yellow(padded(name, 9));
      yield `${state} ${colors.dim(id)} ${badge(one.agent, adapters, colors)}${" ".repeat(Math.max(0, 8 - one.agent.length))} ${title} ${colors.dim(`· ${cut(tail, width)}`)}`;
    }
}

/** What the store shows beyond the list that it stands in. */
function doing(one: SessionStatus): string {
  const { origin, outcome, error } = one;
  if (one.problem !== undefined || origin === "store") return doingInStore(one);
  if (one.activity === "waiting") return `waits for ${one.waitingFor ?? "its user"}`;
  if (one.activity === "busy") return "run by Baton";
  return error === undefined ? (outcome ?? "") : `failed: ${error}`;
}

function doingInStore({ live, activity, waitingFor, unanswered, last, problem }: SessionStatus): string {
  if (problem !== undefined) return problem;
  if (activity === "waiting") return waitingFor ? `waits for ${waitingFor}` : "waits for its user";
  if (live && activity === "idle") return "open, waits for a prompt";
  const calls = unanswered ? counted(unanswered, "call") : "";
  if (live && calls !== "") return `${calls} without a result yet: at work, or waits for its user`;
  if (calls !== "") return `ended in the middle of ${calls}`;
  return !live && last === "prompt" ? "the last prompt has no answer" : "";
}
