// doctor: which agents and stores were found, and what is wrong with them.
import type { Command } from "commander";
import { archivedAsIs } from "../../catalog/archive/read.ts";
import { type AgentReport, examine } from "../../catalog/doctor.ts";
import { operations } from "../../storage/operations.ts";
import { type Recovery, recover } from "../../storage/recover.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { batonIn } from "../in-home.ts";
import { operationJson } from "../operation.ts";
import { bytes, counted, cut, shortPath } from "../text.ts";

export function define(command: Command, run: Run): void {
  command.action(() => run(doctor));
}

async function doctor(context: Context): Promise<number> {
  const { output, home, batonHome } = context;
  const agents: AgentReport[] = [];
  const archive = await archiveState(batonHome);
  for (const adapter of await context.adapters()) {
    const progress = output.progress(`Reading ${adapter.label} sessions:`);
    const found = await examine(adapter, home, progress.at, archive);
    progress.end();
    // A store that is only read matters where there is one.
    const stores = found.stores.filter(({ exists, problem }) => exists || problem !== undefined);
    if (!found.readOnly) agents.push(found);
    else if (stores.length > 0) agents.push({ ...found, stores });
  }
  const { settled, running, problems } = await ownState(batonHome);
  const broken = [...agents.flatMap(brokenIn), ...problems, ...archive.problems];
  const report = {
    node: process.versions.node,
    platform: process.platform,
    home: home.dir,
    batonHome,
    agents,
    operations: { settled: settled.map(operationJson), running, problems },
    broken,
  };
  if (output.isJson) await output.json(report);
  else await print(context, report);
  return broken.length > 0 ? 1 : 0;
}

async function archiveState(batonHome: string) {
  try {
    return { isArchived: await archivedAsIs(batonHome), problems: [] };
  } catch (error) {
    return { isArchived: () => false, problems: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Looking is also the moment to settle what was cut off. */
async function ownState(batonHome: string): Promise<Recovery> {
  try {
    const recovery = await recover(batonHome);
    const { damaged } = await operations(batonHome);
    return { ...recovery, problems: [...recovery.problems, ...damaged] };
  } catch (error) {
    // Our own data is out of reach, which must not hide the agents.
    return { settled: [], running: [], problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function brokenIn({ label, stores, unreadable, problems }: AgentReport): string[] {
  return [
    ...problems.map((problem) => `${label}: ${problem}`),
    // Two stores may share what stands in their place.
    ...new Set(stores.flatMap(({ problem }) => problem ?? [])),
    ...stores.flatMap(({ path, exists, readable, writable }) =>
      exists && !(readable && writable) ? [`${path} cannot be ${readable ? "written" : "read"}.`] : [],
    ),
    ...unreadable.map(({ path, problem }) => `${path} cannot be read: ${problem}`),
  ];
}

interface Report {
  node: string;
  batonHome: string;
  agents: readonly AgentReport[];
  operations: { settled: readonly { id: string; state: string }[]; running: readonly string[] };
  broken: readonly string[];
}

async function print({ output, home, environment }: Context, report: Report): Promise<void> {
  const { colors } = output;
  const lines = [`Node ${report.node}, data in ${shortPath(report.batonHome, home.dir)}`];
  for (const agent of report.agents)
    lines.push(
      "",
      ...agentLines(agent, home.dir, batonIn(environment.HOME), output.isVerbose).map((line, at) =>
        at === 0 ? colors.bold(line) : line,
      ),
    );
  const { settled, running } = report.operations;
  for (const { id, state } of settled)
    lines.push("", `Operation ${id} was cut off and is settled now: ${state}.`);
  for (const id of running) lines.push("", `Operation ${id} is running.`);
  if (report.broken.length > 0)
    lines.push("", ...report.broken.map((sentence) => `${colors.red("✗")} ${cut(sentence, 400)}`));
  await output.write(`${lines.join("\n")}\n`);
}

const LISTED = 5;

function absence({ readOnly }: AgentReport): string {
  return readOnly ? "only read: its sessions go on in another agent" : "not installed, or not in PATH";
}

function proofLine({ agent, proven, provenVersions }: AgentReport, version: string, baton: string): string {
  if (proven) return "writing back is proven for this version";
  const known = provenVersions.length === 0 ? "no version yet" : provenVersions.join(", ");
  return `writing back is not proven for ${version}, only for ${known}: \`${baton} verify SESSION --in ${agent}\` proves it here`;
}

function archivedOf({ dueForDeletion }: AgentReport, baton: string): string {
  const archived = dueForDeletion.filter((one) => one.archived).length;
  if (archived === dueForDeletion.length) return "all archived";
  return `${archived === 0 ? "none" : archived} archived; \`${baton} archive\` keeps ${archived === 0 ? "them" : "the others"}`;
}

/** It may also go by their number alone. */
function keepsFor({ retentionDays }: AgentReport): string {
  return retentionDays === null ? "" : ` (it keeps them for ${retentionDays})`;
}

function agentLines(agent: AgentReport, home: string, baton: string, all: boolean): string[] {
  const { installed } = agent;
  const found = agent.stores.filter(({ exists }) => exists).map(({ path }) => shortPath(path, home));
  const some = <T>(items: readonly T[], line: (item: T) => string): string[] => {
    const shown = all ? items : items.slice(0, LISTED);
    const rest = items.length - shown.length;
    return [
      ...shown.map((item) => `      ${cut(line(item), 300)}`),
      ...(rest > 0 ? [`      … and ${rest} more`] : []),
    ];
  };
  return [
    `${agent.label}${installed ? ` ${installed.version}` : ""}`,
    installed ? `  installed in ${shortPath(installed.path, home)}` : `  ${absence(agent)}`,
    ...(installed ? [`  ${proofLine(agent, installed.version, baton)}`] : []),
    found.length > 0 ? `  store: ${found.join(", ")}` : "  no store",
    `  ${counted(agent.sessions, "session")}, ${counted(agent.subagents, "subagent")}, ${bytes(agent.bytes)}`,
    ...agent.remarks.map((remark) => `  ${remark}`),
    ...(agent.emptyFiles > 0 ? [`  ${counted(agent.emptyFiles, "empty file")}`] : []),
    ...(agent.damaged.length > 0 ? [`  ${counted(agent.damaged.length, "session")} with problems:`] : []),
    ...some(
      agent.damaged,
      ({ id, problems }) =>
        `${id}  ${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`,
    ),
    ...(agent.dueForDeletion.length > 0
      ? [
          `  ${counted(agent.dueForDeletion.length, "session")} that it deletes within 7 days${keepsFor(agent)}, ${archivedOf(agent, baton)}:`,
        ]
      : []),
    ...some(agent.dueForDeletion, ({ id, due, title }) => `${id}  ${due.slice(0, 10)}  ${title}`),
  ];
}
