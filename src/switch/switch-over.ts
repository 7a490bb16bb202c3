// Switches: what was prepared is written into the target's store, and that another provider took over is recorded.

import type { FindPrice } from "../models/prices.ts";
import { BatonError } from "../session/error.ts";
import { forgetSummary } from "../storage/summaries.ts";
import { redacted } from "../transform/redact-session.ts";
import { carriedBefore } from "./again.ts";
import { analysed, analysisOf, BLOCKING, type SwitchAnalysis } from "./analyse.ts";
import { type CarryRequest, carry } from "./carry.ts";
import type { ProviderSwitch } from "./lineage.ts";
import type { Carried } from "./perform.ts";
import {
  carryRequest,
  type Prepared,
  prepareSwitch,
  projectOf,
  type SwitchRequest,
} from "./prepare-switch.ts";
import { settleConversations } from "./record.ts";
import { switchTarget } from "./target.ts";

export interface SwitchOver
  extends Omit<SwitchRequest, "batonHome">,
    Pick<CarryRequest, "kind" | "batonHome" | "reason" | "dryRun" | "yes" | "redactor"> {
  price?: FindPrice;
  /** Write a new session even if the same was written before. */
  anew?: boolean;
}

export interface Switched extends Carried {
  analysis: SwitchAnalysis;
}

export async function switchOver(request: SwitchOver): Promise<Switched> {
  const { kind, batonHome, reason, dryRun, yes, redactor, now = new Date() } = request;
  const asked = await askedFor(request);
  // What is there already needs no summary; the analysis does with one that costs nothing.
  const there = asked === undefined ? undefined : await carriedBefore({ ...request, asked });
  const prepared = await prepareSwitch({ ...shown(request), dryRun: there !== undefined || dryRun === true });
  const before = analysisOf(prepared, [], request);
  refuse(prepared, before, request);
  if (there) {
    const { after = prepared.after, ...carried } = there;
    const problems = dryRun ? [] : await settleConversations(batonHome);
    // What is said of it names files and sessions by the id that was written.
    const to = { ...request.to, newId: () => there.originalId };
    const found = await analysed({ ...prepared, after }, { ...request, ...shown(request), to });
    return { ...carried, ...found, ...(problems.length > 0 && { problems }) };
  }
  const made = switchOf(prepared, before, reason, now);
  const carried = await carry({
    ...carryRequest(prepared, request),
    kind,
    batonHome,
    now,
    ...(made && {
      switch: made,
      recorded: (losses) => recordedOf(analysisOf(prepared, losses, request)),
    }),
    ...(reason !== undefined && { reason }),
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
    ...(redactor && { redactor }),
    ...(asked !== undefined && { asked, after: prepared.after }),
  });
  if (!dryRun && prepared.summaryKey !== undefined) await forgetSummary(batonHome, prepared.summaryKey);
  return { ...carried, analysis: analysisOf(prepared, carried.losses, request) };
}

/** Whoever summarises it, or quotes from it, sees no more than the target may. */
function shown(request: SwitchOver): SwitchRequest {
  const { source, redactor } = request;
  return redactor ? { ...request, source: redacted(source, redactor) } : request;
}

function refuse(
  { impossible }: Prepared,
  { canSwitch, warnings }: SwitchAnalysis,
  request: SwitchOver,
): void {
  const blocking = warnings.find(({ code }) => BLOCKING.has(code));
  if (!canSwitch && blocking)
    throw new BatonError("refused", blocking.message, "Pick another agent or model.");
  if (impossible && request.options?.summarizationStrategy) throw impossible;
  const tooLarge = warnings.find(({ code }) => code === "context_too_large");
  if (!tooLarge || request.yes) return;
  const reducible = "--strategy hybrid keeps the recent turns and summarizes the others;";
  const hint = `${impossible?.hint ?? reducible} --yes carries all of it nevertheless.`;
  throw new BatonError("refused", tooLarge.message, hint);
}

function isSummarized({ summarizer, options = {} }: SwitchOver): boolean {
  const { summarizationStrategy: strategy } = options;
  return summarizer !== undefined && strategy !== undefined && strategy !== "truncate";
}

/** Undefined where the agent goes on with its own session, as it is. */
function switchOf(
  { source, target, isOwn, preservedMessageCount, reduction }: Prepared,
  { from, to }: SwitchAnalysis,
  reason: string | undefined,
  now: Date,
): ProviderSwitch | undefined {
  if (isOwn) return undefined;
  const summary = reduction && reduction.reduction.leftOut > 0 ? 1 : 0;
  return {
    timestamp: now.toISOString(),
    fromProvider: source.agent?.badge ?? from.provider,
    toProvider: target.agent.badge,
    fromModel: from.model,
    toModel: to.model,
    messageIndex: preservedMessageCount + summary,
    ...(reason !== undefined && { reason }),
  };
}

/** What was shown of the content. How the target's account stood that day is no part of it. */
export function recordedOf({ warnings }: SwitchAnalysis): string[] {
  return warnings
    .filter(({ type, code }) => type !== "info" && !code.startsWith("target_"))
    .map(({ message }) => message);
}

/** Whatever makes a difference to what is written; undefined where it is to be written in any case. */
async function askedFor(request: SwitchOver): Promise<string | undefined> {
  const { kind, anew, edits, from, cwd, moves, options, redactor, now = new Date() } = request;
  if (kind !== "resume" || anew || edits || !from) return undefined;
  const project = projectOf(request);
  const { model, chosen } = await switchTarget({ ...request, project, now, asks: false });
  // What is taken where nothing is set may change by the switch itself.
  const set = chosen === "default" ? {} : { model: model.id, window: model.window };
  const flags = { isRedacted: redactor !== undefined, isSummarized: isSummarized(request) };
  // What changes in place, which an agent's own file seldom does, changes its time.
  const stamps = from.files.map(({ size, mtimeMs }) => [size, mtimeMs]);
  const summarizedBy = isSummarized(request) ? request.summarizedBy : undefined;
  const version = request.installed?.version;
  return JSON.stringify({ cwd, ...set, moves, options, stamps, summarizedBy, version, ...flags });
}
