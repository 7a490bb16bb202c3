// What a switch does, told to a person: how full the context gets, what is kept, changed and lost, and what it costs.
import pc from "picocolors";
import type { LossName } from "../session/losses.ts";
import type { SwitchAnalysis } from "../switch/analyse.ts";
import type { SwitchWarning } from "../switch/warnings.ts";
import type { Colors, Output } from "./output.ts";
import { counted, dollars, harmless } from "./text.ts";
import { short } from "./usage-table.ts";
import { wrapped } from "./wrap.ts";

/** On stderr, beside the command that goes on: what matters, and with --verbose all of it. */
export function tellSwitch(analysis: SwitchAnalysis, output: Output): void {
  const look = { colors: PLAIN, width: output.width, isWhole: output.isVerbose };
  for (const line of reportLines(analysis, look)) output.message(line);
}

/** What messages are made of. */
const PLAIN = pc.createColors(false);

export function seriousIn({ warnings }: Pick<SwitchAnalysis, "warnings">): string[] {
  return warnings.filter(({ type }) => type !== "info").map(({ message }) => message);
}

interface Look {
  colors: Colors;
  width: number;
  /** Minor notes too. */
  isWhole: boolean;
}

export function reportLines(analysis: SwitchAnalysis, look: Look): string[] {
  const { from, to } = analysis;
  const title = `${sideText(from)} → ${sideText(to)}`;
  const groups = Map.groupBy(
    analysis.warnings.filter(({ code }) => !isApart(code)),
    sectionOf,
  );
  const shown = SECTIONS.filter((name) => look.isWhole || name !== "Notes");
  const sections = shown.flatMap((name) => section(name, groups.get(name) ?? [], look));
  return [
    look.colors.bold(harmless(title)),
    ...labelled("Context", contextText(analysis), look),
    ...labelled("Kept", keptText(analysis), look),
    ...sections,
    ...labelled("Cost", costText(analysis), look),
  ];
}

function sideText({ agent, modelDisplay }: SwitchAnalysis["from"]): string {
  return modelDisplay === "unknown" ? agent : `${agent} (${modelDisplay})`;
}

const BAR = 20;

/** How much of the window it takes, and how much of that is left once it is reduced. */
function contextText({ tokens, targetContextLimit: limit, warnings }: SwitchAnalysis): string {
  const said = warnings.find(({ code }) => isApart(code))?.message ?? "";
  const counted = tokens.source === "recorded" ? "as recorded" : "estimated";
  const isReduced = tokens.after !== tokens.before;
  const bars = [tokens.before, ...(isReduced ? [tokens.after] : [])].map((used) => bar(used, limit));
  return `${bars.join(" → ")} ${said} (${counted})`;
}

function bar(used: number, limit: number): string {
  const part = limit > 0 ? used / limit : 1;
  const filled = Math.min(BAR, Math.ceil(BAR * part));
  const percent = part > 9.99 ? `${Math.round(part)}x` : `${Math.round(part * 100)} %`;
  return `[${"#".repeat(filled)}${".".repeat(BAR - filled)}] ${percent}`;
}

function keptText({ kept }: SwitchAnalysis): string {
  const messages =
    kept.messages === kept.of
      ? `all ${counted(kept.of, "message")}`
      : `${kept.messages} of ${counted(kept.of, "message")}`;
  const calls = `${counted(kept.toolCalls, "tool call")} with ${counted(kept.toolResults, "result")}`;
  return [messages, calls, counted(kept.changedFiles, "changed file")].join(", ");
}

function costText({ rereadCost, tokens }: SwitchAnalysis): string {
  const read = `reading ${short(tokens.after)} tokens once`;
  return rereadCost === null
    ? `${read}; the model has no known price`
    : `${read}: about ${dollars(rereadCost)}`;
}

type Section = "Lost" | "Changed" | "Target" | "Notes";
const SECTIONS: readonly Section[] = ["Lost", "Changed", "Target", "Notes"];

const CONTEXT: readonly LossName[] = ["context_fits", "context_reduced", "context_too_large"];

function isApart(code: LossName): boolean {
  return CONTEXT.includes(code);
}

/** What is not there any more, as opposed to what is there in another form. */
const LOST =
  /^(?!context_).*_dropped$|_omitted$|_hidden$|_unsupported$|^(?:calls_unfinished|payload_clipped)$/;

const ABOUT_TARGET: ReadonlySet<LossName> = new Set(["tools_unsupported", "model_unknown"]);

function sectionOf({ type, code }: SwitchWarning): Section {
  if (code.startsWith("target_") || ABOUT_TARGET.has(code)) return "Target";
  if (LOST.test(code)) return "Lost";
  return type === "info" ? "Notes" : "Changed";
}

function section(name: Section, warnings: readonly SwitchWarning[], look: Look): string[] {
  const { colors } = look;
  const colour = { error: colors.red, warning: colors.yellow, info: colors.dim };
  return warnings.flatMap(({ type, message }, at) =>
    labelled(at === 0 ? name : "", `${colour[type](MARKS[type])} ${harmless(message)}`, look),
  );
}

const MARKS = { error: "✗", warning: "!", info: "·" };
const LABEL = 9;

function labelled(label: string, text: string, { colors, width }: Look): string[] {
  const lines = wrapped(text, Math.max(40, width - LABEL));
  return lines.map((line, at) => `${colors.dim((at === 0 ? label : "").padEnd(LABEL))}${line}`);
}
