// Says beforehand what a switch would do: whether it can be, how much it is, and what will not cross. The target's
// own writer is drained for it, so what is announced is what happens.
import { costOf, type FindPrice } from "../models/prices.ts";
import { BatonError } from "../session/error.ts";
import { LOSSES, type Loss, type LossName } from "../session/losses.ts";
import { carry } from "./carry.ts";
import {
  carryRequest,
  type Prepared,
  prepareSwitch,
  type SwitchOptions,
  type SwitchRequest,
} from "./prepare-switch.ts";
import { readinessWarnings } from "./readiness.ts";
import { within } from "./survey.ts";
import { contentWarnings, type SwitchWarning, warningOf } from "./warnings.ts";
import { amount, tooMany, windowText } from "./wording.ts";

export interface SwitchAnalysis {
  canSwitch: boolean;
  warnings: SwitchWarning[];
  requiresSummarization: boolean;
  estimatedTokens: number;
  targetContextLimit: number;
  /** What will not translate. */
  lossyFeatures: string[];
  from: { agent: string; provider: string; model: string; modelDisplay: string };
  to: { agent: string; provider: string; model: string; modelDisplay: string };
  tokens: {
    /** As in `estimatedTokens`, and what is left of it once it is reduced. */
    before: number;
    after: number;
    /** recorded: as the agent counted its last request. Even that is an estimate for another model. */
    source: "recorded" | "estimated";
    estimated: true;
    /** What the target's CLI says by itself, as part of it. */
    overhead: number;
  };
  kept: { messages: number; of: number; toolCalls: number; toolResults: number; changedFiles: number };
  /** What it costs to read all of it once, in US dollars; null = the model has no known price. */
  rereadCost: number | null;
}

export interface AnalyseRequest extends SwitchRequest {
  price?: FindPrice;
}

export async function analyse(request: AnalyseRequest): Promise<SwitchAnalysis> {
  return (await analysed(await prepareSwitch({ ...request, asks: true }), request)).analysis;
}

/** The same for what is prepared already. */
export async function analysed(
  prepared: Prepared,
  request: AnalyseRequest,
): Promise<{ losses: Loss[]; analysis: SwitchAnalysis }> {
  const losses = await drained(prepared, request);
  return { losses, analysis: analysisOf(prepared, losses, request) };
}

/** What the writer would lose; what keeps it from writing at all is found too. */
async function drained(prepared: Prepared, request: SwitchRequest): Promise<Loss[]> {
  // Nothing is written where it cannot be, or need not be.
  if (!request.to.write || prepared.isOwn) return [];
  try {
    const asked = carryRequest(prepared, request);
    return (await carry({ ...asked, kind: "resume", batonHome: "", dryRun: true, yes: true })).losses;
  } catch (error) {
    if (!(error instanceof BatonError) || error.code !== "refused") throw error;
    return [{ kind: "nothing_to_carry", severity: "error", at: {}, detail: error.message }];
  }
}

export function analysisOf(
  prepared: Prepared,
  losses: readonly Loss[],
  { price, options = {}, now = new Date() }: Pick<AnalyseRequest, "price" | "options" | "now">,
): SwitchAnalysis {
  const { target, source, size, isFitting, after, reduction, omitted } = prepared;
  const { thinking = "drop", includeToolHistory = true } = options;
  const survey = reduction ? within(prepared.survey, prepared.keptMessages) : prepared.survey;
  const toolCalls = prepared.survey.toolCalls - omitted.toolCalls;
  const situation = { survey, source, target, thinking, toolCalls, toolHistory: includeToolHistory };
  const context = contextIn(losses, prepared.survey);
  const of = Math.max(
    prepared.preservedMessageCount,
    prepared.originalMessageCount - context.messages.length,
  );
  const cost = rereadCost(prepared, price, now);
  const warnings = [
    contextWarning(prepared, of, context.messages),
    ...contentWarnings({ ...situation, keptThinking: prepared.keptThinking }),
    ...lossWarnings(losses, prepared),
    ...contextOfAgent(context),
    ...cacheWarnings(prepared, cost),
    ...readinessWarnings(target, now),
  ];
  return {
    canSwitch: !warnings.some(({ code }) => BLOCKING.has(code)) && !isImpossible(prepared, options),
    warnings,
    requiresSummarization: !isFitting,
    estimatedTokens: size.total,
    targetContextLimit: target.model.window,
    lossyFeatures: lossyFeatures(warnings),
    from: sideOf(source.agent?.id ?? "file", source.model),
    to: sideOf(target.agent.id, target.model),
    tokens: { before: size.total, after, source: size.source, estimated: true, overhead: size.overhead },
    kept: {
      messages: prepared.preservedMessageCount,
      of,
      toolCalls,
      toolResults: prepared.survey.toolResults - omitted.toolResults,
      changedFiles: includeToolHistory ? survey.files.size : 0,
    },
    rereadCost: cost ?? null,
  };
}

/** No way of reducing it that was asked for makes it fit. */
function isImpossible({ impossible, isOwn }: Prepared, { summarizationStrategy }: SwitchOptions): boolean {
  return impossible !== undefined && summarizationStrategy !== undefined && !isOwn;
}

/** What the old agent told its model of itself, which the new one does for its own. */
function contextIn(losses: readonly Loss[], { messageOf }: Prepared["survey"]) {
  const all = losses.flatMap(({ kind, at }) => (kind === "context_dropped" ? [at.entry ?? ""] : []));
  // What subagents were told is in sessions of their own.
  const entries = all.filter((entry) => messageOf(entry) !== undefined);
  return { entries, messages: [...new Set(entries.flatMap((entry) => messageOf(entry) ?? []))] };
}

function contextOfAgent(context: { entries: string[]; messages: number[] }): SwitchWarning[] {
  const count = context.messages.length;
  if (count === 0) return [];
  const what = count === 1 ? "1 message is" : `${amount(count)} messages are`;
  const message = `${what} what the old agent told its model of itself: left out, the new one tells its own.`;
  return [warningOf("context_dropped", message, context)];
}

/** Whatever anybody says, it cannot be. */
export const BLOCKING: ReadonlySet<LossName> = new Set([
  "target_read_only",
  "tools_unsupported",
  "nothing_to_carry",
]);

function sideOf(agent: string, { id, name, provider }: Prepared["target"]["model"]) {
  return { agent, provider, model: id, modelDisplay: name };
}

function contextWarning(prepared: Prepared, of: number, context: readonly number[]): SwitchWarning {
  const { size, window, target, isFitting, reduction, after, survey } = prepared;
  const all = amount(size.total);
  const limit = windowText(target.model.window);
  const isAsked = window !== target.model.window;
  if (isFitting) return warningOf("context_fits", `${all} tokens → fits in ${limit}.`);
  const { preservedMessageCount: kept, keptMessages, impossible } = prepared;
  if (reduction) {
    const others = new Set(context);
    const isGone = (at: number) => !keptMessages.has(at) && !others.has(at);
    const gone = Array.from({ length: survey.messages }, (_, at) => at).filter(isGone);
    return warningOf(
      "context_reduced",
      `${all} tokens → ${isAsked ? "more than asked for" : `too many for ${limit}`}: reduced to ${amount(after)}, ${kept} of ${of} messages stay.`,
      { messages: gone, entries: survey.entriesOf(isGone) },
    );
  }
  const what = isAsked ? `${all} tokens → more than asked for.` : tooMany(size.total, target.model.window);
  const why = impossible?.message ?? "Choose how to reduce it: truncate, summarize or hybrid.";
  return warningOf("context_too_large", `${what} ${why}`);
}

function rereadCost({ target, after }: Prepared, price: FindPrice | undefined, now: Date) {
  const found = price?.(target.model.id, target.model.vendor ?? "", now.getTime());
  // What is read for the first time is written to the cache, where there is one.
  return found && costOf({ input: 0, output: 0, cacheRead: 0, cacheWrite: after }, found);
}

function cacheWarnings(
  { after, isOwn, target, source }: Prepared,
  cost: number | undefined,
): SwitchWarning[] {
  if (isOwn && source.model.id === target.model.id) return [];
  const price = cost === undefined ? "" : `, about $${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}`;
  const cached =
    target.model.caching || !target.model.known
      ? ""
      : ` ${target.model.name} has no cache: every turn reads all of it.`;
  return [
    warningOf(
      "cache_reset",
      `The prompt cache will reset: ${amount(after)} tokens are read anew${price}.${cached}`,
    ),
  ];
}

/** What a content warning says already, or the report of the context; of thinking only what was not to stay. */
const COVERED: ReadonlySet<LossName> = new Set([
  "thinking_dropped",
  "thinking_converted",
  "artifact_inlined",
  "history_summarized",
  "history_truncated",
]);

/** A sentence for each kind of loss that is more than a note. */
function lossWarnings(losses: readonly Loss[], { survey, keptThinking }: Prepared): SwitchWarning[] {
  const isSaid = ({ kind, at }: Loss) => COVERED.has(kind) && !keptThinking.has(at.entry ?? "");
  const serious = losses.filter((one) => one.severity !== "info" && !isSaid(one));
  return [...Map.groupBy(serious, ({ kind }) => kind)].map(([kind, group]) => {
    const times = group.length === 1 ? "" : ` (${group.length} times)`;
    const detail = group[0]?.detail ?? "";
    // What stands in the way says all of it already.
    const message = BLOCKING.has(kind)
      ? detail
      : `${LOSSES[kind].meaning.replace(/\.$/, "")}${times}: ${detail}`;
    const entries = group.flatMap(({ at }) => at.entries ?? at.entry ?? []);
    const messages = [...new Set(entries.flatMap((entry) => survey.messageOf(entry) ?? []))];
    const type = group.some(({ severity }) => severity === "error") ? "error" : "warning";
    return warningOf(kind, message, { messages: messages.toSorted((a, b) => a - b), entries }, type);
  });
}

/** What a code says about, in a word; a code that is not here speaks for itself. */
const FEATURES: Partial<Record<LossName, string>> = {
  thinking_dropped: "thinking",
  thinking_converted: "thinking",
  thinking_hidden: "thinking",
  artifact_inlined: "artifacts",
  mcp_missing: "mcp",
  pdf_unsupported: "pdf",
  document_dropped: "documents",
  image_unsupported: "images",
  image_dropped: "images",
  web_results: "grounding",
  subagent_dropped: "subagents",
  tools_omitted: "tool_history",
  instructions_omitted: "system_prompt",
  context_reduced: "history",
  calls_unfinished: "unfinished_calls",
};

/** About the target or the size of it all, not about what the conversation holds. */
const NO_FEATURE: ReadonlySet<LossName> = new Set([
  "context_too_large",
  "target_missing",
  "target_read_only",
  "target_signed_out",
  "target_limited",
  "target_settings_damaged",
  "target_unproven",
  "nothing_to_carry",
  "tool_format",
  "model_foreign",
]);

function lossyFeatures(warnings: readonly SwitchWarning[]): string[] {
  const lossy = warnings.filter(
    ({ type, code }) =>
      (type !== "info" || code === "thinking_dropped" || code === "thinking_hidden") && !NO_FEATURE.has(code),
  );
  return [...new Set(lossy.map(({ code }) => FEATURES[code] ?? code))];
}
