// What the picker's keys do to sessions. The work itself is the commands': resume, fork and show.
import type { SessionSummary } from "../../catalog/scan.ts";
import { thread } from "../../transform/visible.ts";
import { badge } from "../badge.ts";
import { prepareFork } from "../commands/fork.ts";
import { prepareResume } from "../commands/resume.ts";
import type { Context } from "../context.ts";
import { type GoOn, hasProgram, notInstalled, withEnvironment } from "../continue.ts";
import { minorNotes, sentences } from "../losses.ts";
import { page } from "../pager.ts";
import { render } from "../render.ts";
import { shellLine } from "../start.ts";
import { ago, cut } from "../text.ts";
import type { Row } from "./filter.ts";
import { inShell } from "./naming.ts";
import { openRow } from "./open-row.ts";
import type { Item, Plan } from "./state.ts";

const DEFAULTS = { history: "visible", thinking: "drop" } as const;

/** A dry run where the agent does not find the session and a new one would have to be written. */
export function ownResume(context: Context, name: string): Promise<GoOn> {
  return prepareResume(context, name, { ...DEFAULTS, exec: true, onlyOwn: true });
}

/** For a shell, with what is to be known before it is used: whether the agent is installed here does not matter. */
export async function resumeLine(
  context: Context,
  name: string,
): Promise<{ line: string; warnings: readonly string[] }> {
  const result = await prepareResume(context, name, { ...DEFAULTS, yes: true, onlyOwn: true });
  // Our own command warns by itself.
  if (result.isDryRun) return { line: inShell(context, name), warnings: [] };
  return { line: commandLine(context, result), warnings: result.warnings };
}

export function commandLine(context: Context, { command }: GoOn): string {
  return shellLine(withEnvironment(context, command));
}

export function carriedOut(
  context: Context,
  name: string,
  { kind, agent, at, isLossy }: Plan,
  how: { dryRun: boolean; exec: boolean },
): Promise<GoOn> {
  const options = { ...how, ...(isLossy && { yes: true }) };
  if (kind === "fork") return prepareFork(context, name, { ...options, ...(at !== undefined && { at }) });
  return prepareResume(context, name, { ...DEFAULTS, ...options, ...(agent && { in: agent.id }) });
}

/** What would be lost, and how much would be carried. */
export function reportOf(result: GoOn): { lines: string[]; isLossy: boolean } {
  const listed = (notes: readonly string[]) => notes.map((note) => `- ${cut(note, 400)}`);
  const losses = listed(sentences(result.losses));
  const minor = listed(minorNotes(result.losses));
  const warnings = result.warnings.map((warning) => `- ${warning}`);
  return {
    isLossy: result.losses.some(({ severity }) => severity === "error"),
    lines: [
      result.done,
      "",
      ...(losses.length > 0 ? ["What would be lost or changed:", ...losses] : ["Nothing would be lost."]),
      ...(warnings.length > 0 ? ["", "Worth knowing:", ...warnings] : []),
      ...(minor.length > 0 ? ["", "Minor notes:", ...minor] : []),
    ],
  };
}

/** The other agents that sessions can be written for, those that are installed first; nothing is started for it. */
export async function targetsFor(context: Context, row: Row): Promise<Item[]> {
  const writable = (await context.adapters()).filter(({ id, write }) => write && id !== row.session.agent);
  const items = await Promise.all(
    writable.map(async (adapter): Promise<Item> => {
      const { id, label } = adapter;
      const step = { type: "report", plan: { kind: "continue", row, agent: { id, label } } } as const;
      if (await hasProgram(context, adapter)) return { label, note: "", step };
      return { label, note: "not installed", refusal: notInstalled(adapter), step };
    }),
  );
  return items.toSorted((a, b) => Number(a.refusal !== undefined) - Number(b.refusal !== undefined));
}

/** What only the agents can say, which takes seconds: their versions, one by one as they answer. */
export async function tellVersions(
  context: Context,
  items: readonly Item[],
  tell: (item: Item, answer: Partial<Item>) => void,
): Promise<void> {
  const adapters = await context.adapters();
  const ask = async (item: Item) => {
    const { plan } = item.step as Extract<Item["step"], { type: "report" }>;
    const adapter = adapters.find(({ id }) => id === plan.agent?.id);
    if (!adapter || item.refusal !== undefined) return;
    const found = await adapter.version(context.home);
    tell(item, found ? { note: found.version } : { note: "no answer", refusal: notInstalled(adapter) });
  };
  await Promise.all(items.map(ask));
}

const MOST_ENTRIES = 5000;

/** Where a fork can end: prompts and replies, the newest first. */
export async function entriesOf(context: Context, row: Row): Promise<Item[]> {
  const source = await openRow(context, row.session);
  const items: Item[] = [];
  for await (const entry of thread(source).entries()) {
    const isPrompt = entry.type === "user" && !entry.injected && !entry.note;
    if (!isPrompt && (entry.type !== "assistant" || entry.content === "")) continue;
    items.push({
      label: `${isPrompt ? "❯" : "●"} ${cut(entry.content.slice(0, 400), 200)}`,
      note: ago(entry.timestamp),
      step: { type: "report", plan: { kind: "fork", row, at: entry.id } },
    });
    if (items.length > MOST_ENTRIES) items.shift();
  }
  return items.reverse();
}

/** Whether the pager kept the text on the screen until it was read. */
export async function view(context: Context, session: SessionSummary, width: number): Promise<boolean> {
  const source = await openRow(context, session);
  const { output, home } = context;
  const { colors, isVerbose } = output;
  const own = badge(session.agent, await context.adapters(), colors);
  const text = render(thread(source), {
    colors,
    width,
    unfold: isVerbose,
    badge: own,
    home: home.dir,
    changed: session.updated,
  });
  return page(text, output, { stays: true });
}
