// Switches: what was prepared is written into the target's store, and that another provider took over is recorded.

import type { FindPrice } from "../models/prices.ts";
import { BatonError } from "../session/error.ts";
import { forgetSummary } from "../storage/summaries.ts";
import { redacted } from "../transform/redact-session.ts";
import { carriedBefore } from "./again.ts";
import { analysisOf, BLOCKING, type SwitchAnalysis } from "./analyse.ts";
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
    const problems = await settleConversations(batonHome);
    return { ...there, ...(problems.length > 0 && { problems }), analysis: before };
  }
  const made = switchOf(prepared, before, reason, now);
  const carried = await carry({
    ...carryRequest(prepared, request),
    kind,
    batonHome,
    now,
    ...(made && { switch: made }),
    ...(reason !== undefined && { reason }),
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
    ...(redactor && { redactor }),
    ...(asked !== undefined && { asked }),
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
  throw new BatonError(
    "refused",
    tooLarge.message,
    "--strategy hybrid keeps the recent turns and summarizes the others; --yes carries all of it nevertheless.",
  );
}

/** Undefined where the agent goes on with its own session, as it is. */
function switchOf(
  { source, target, isOwn, preservedMessageCount, reduction }: Prepared,
  { warnings, from, to }: SwitchAnalysis,
  reason: string | undefined,
  now: Date,
): ProviderSwitch | undefined {
  if (isOwn) return undefined;
  const said = warnings.filter(({ type, code }) => type !== "info" && !code.startsWith("target_"));
  const summary = reduction && reduction.reduction.leftOut > 0 ? 1 : 0;
  return {
    timestamp: now.toISOString(),
    fromProvider: source.agent?.badge ?? from.provider,
    toProvider: target.agent.badge,
    fromModel: from.model,
    toModel: to.model,
    messageIndex: preservedMessageCount + summary,
    ...(reason !== undefined && { reason }),
    warnings: said.map(({ message }) => message),
  };
}

/** Whatever makes a difference to what is written; undefined where it is to be written in any case. */
async function askedFor(request: SwitchOver): Promise<string | undefined> {
  const { kind, anew, edits, dryRun, from, cwd, moves, options, redactor, now = new Date() } = request;
  if (kind !== "resume" || anew || edits || dryRun || !from) return undefined;
  const project = projectOf(request);
  const { model, chosen } = await switchTarget({ ...request, project, now, asks: false });
  // What is taken where nothing is set may change by the switch itself.
  const set = chosen === "default" ? {} : { model: model.id, window: model.window };
  const flags = { isRedacted: redactor !== undefined, isSummarized: request.summarizer !== undefined };
  // What changes in place, which an agent's own file seldom does, changes its time.
  const stamps = from.files.map(({ size, mtimeMs }) => [size, mtimeMs]);
  const { summarizedBy, installed } = request;
  const version = installed?.version;
  return JSON.stringify({ cwd, ...set, moves, options, stamps, summarizedBy, version, ...flags });
}
