// Prepares a conversation for the model that is to go on with it: measures it, decides whether it fits, and makes the
// summary where it does not. Nothing is written. What it promises is what `carry` then writes.
import type { Adapter, Home } from "../adapters/adapter.ts";
import { factsOf, type ModelFacts } from "../models/facts.ts";
import type { Overrides } from "../models/overrides.ts";
import { countTokens } from "../models/tokens.ts";
import { mapped } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { movedPath } from "../transform/remap.ts";
import { visible } from "../transform/visible.ts";
import { type CarryRequest, contentFor } from "./carry.ts";
import { nameOf } from "./name.ts";
import { type Reduced, reduced, standIn } from "./reduce.ts";
import { fits, planReduction, type Reduction, roomFor, type Strategy } from "./reduction.ts";
import type { Summarizer } from "./summarize.ts";
import { summaryOf } from "./summary.ts";
import { type Survey, surveyedIn } from "./survey.ts";
import { type SwitchTarget, switchTarget } from "./target.ts";
import { type Thinker, type ThinkingPolicy, thinkerOf } from "./thinking.ts";
import { type Size, sizeOf, tokensOf, type Weights, weigh } from "./weigh.ts";

export interface SwitchOptions {
  thinking?: ThinkingPolicy;
  /** How a conversation that is too long is reduced; absent = it is not. */
  summarizationStrategy?: Strategy;
  preserveSystemPrompt?: boolean;
  includeToolHistory?: boolean;
  history?: "visible" | "full";
  /** Tokens that the conversation itself may have at most, however large the model's window is. */
  budget?: number;
}

export interface SwitchRequest
  extends Pick<
    CarryRequest,
    "source" | "from" | "to" | "home" | "cwd" | "model" | "moves" | "edits" | "installed"
  > {
  options?: SwitchOptions;
  overrides?: Overrides;
  /** All agents: the source's own is asked for its MCP servers. */
  adapters: readonly Adapter[];
  /** Whether the target itself is looked at: account, limits. */
  asks?: boolean;
  /** Makes the summary; absent = it is extracted from the session itself. */
  summarizer?: Summarizer;
  /** What tells it from another one: the same words by another are another summary. */
  summarizedBy?: string;
  /** Where a summary is kept until the switch has succeeded, so that another try need not make it again. */
  batonHome?: string;
  /** Nothing is to be spent: a summary is extracted, whoever would make it. */
  dryRun?: boolean;
  /** The same agent goes on with a copy instead of its own session. */
  isCopy?: boolean;
  signal?: AbortSignal;
  /** Told how many entries of how many have been read, each time that they are. */
  onProgress?(done: number, total: number): void;
  now?: Date;
}

export interface Prepared {
  target: SwitchTarget;
  source: { agent: Adapter | undefined; servers: readonly string[]; model: ModelFacts };
  survey: Survey;
  /** Before anything is reduced. */
  size: Size;
  /** The window that it has to fit into: the model's, or a smaller one that was asked for. */
  window: number;
  isFitting: boolean;
  /** What is done to make it fit; undefined = nothing. */
  reduction?: Omit<Reduced, "source" | "now">;
  /** Under which a model's summary is kept until it is written. */
  summaryKey?: string;
  /** Tokens afterwards. */
  after: number;
  /** Of the list of the source's messages: how many there were, and of how many anything stays. */
  originalMessageCount: number;
  preservedMessageCount: number;
  /** Which of the list stay. */
  keptMessages: ReadonlySet<number>;
  /** Why no strategy could make it fit. */
  impossible?: BatonError;
  /** Calls and results that do not stay. */
  omitted: { toolCalls: number; toolResults: number };
  /** Entries whose thinking stays as it is. */
  keptThinking: ReadonlySet<string>;
  /** The same agent goes on with its own session. */
  isOwn: boolean;
  thinker: Thinker;
  /** The conversation as the target's model will see it. */
  stream(): Stream;
}

export async function prepareSwitch(request: SwitchRequest): Promise<Prepared> {
  const measured = await measure(request);
  const { isOwn, isFitting } = measured;
  const strategy = request.options?.summarizationStrategy;
  // It cannot stay as it is, so it goes on as a copy.
  if (isOwn && !isFitting && strategy) return prepareSwitch({ ...request, isCopy: true });
  return reducedTo(request, measured, strategy);
}

type Measured = Awaited<ReturnType<typeof measure>>;

/** Reads all of it once. */
async function measure(request: SwitchRequest) {
  const { source, to, options = {} } = request;
  const target = await targetFor(request);
  const thinker = thinkerOf(to, target.model.id);
  const isOwn = source.header.source.cli === to.id && !request.isCopy;
  const content = contentOf(request, thinker, isOwn);
  // Of each entry that the target sees: the message of the source that it was, -1 for what was none.
  const origins: number[] = [];
  const entries = mapped(content.stream.entries(), (batch) => {
    for (const { id } of batch) origins.push(content.survey.messageOf(id) ?? -1);
    return batch;
  });
  const { recorded, ...estimated } = await weigh(entries, countTokens);
  // What an agent counted is what its model saw, no more and no less.
  const isConverted = content.stream.losses.some(({ kind }) => kind === "thinking_converted");
  const isSame =
    options.includeToolHistory !== false && options.history !== "full" && !request.edits && !isConverted;
  const weights: Weights = {
    ...estimated,
    messages: origins,
    ...(recorded && (isOwn || isSame) && { recorded }),
  };
  const size = sizeOf(weights, to.ownTokens ?? DEFAULT_OVERHEAD, agentOf(request)?.ownTokens);
  const room = roomFor(size, target.model.window, options.budget);
  const isFitting = fits(room.size, room.window);
  // Of all entries: a summary reads some of them once more.
  const kept = keptThinking(content);
  return { target, thinker, isOwn, content, origins, weights, size, room, isFitting, kept };
}

function targetFor(request: SwitchRequest): Promise<SwitchTarget> {
  const { to, home, model, overrides, installed, asks = false, now = new Date() } = request;
  return switchTarget({
    to,
    home,
    project: projectOf(request),
    now,
    ...(model !== undefined && { model }),
    ...(overrides && { overrides }),
    asks,
    installed,
  });
}

export function projectOf({
  cwd,
  source,
  moves = [],
}: Pick<SwitchRequest, "cwd" | "source" | "moves">): string {
  return cwd ?? movedPath(source.header.project.path, moves);
}

async function reducedTo(request: SwitchRequest, measured: Measured, strategy: Strategy | undefined) {
  const { source, to, options = {}, now = new Date() } = request;
  const { target, thinker, isOwn, content, weights, size, room, isFitting } = measured;
  const whole = { source: nameOf(source.header), now };
  const opening = openingTokens(content.survey.messages, strategy, whole);
  const plan = isFitting ? undefined : planned(weights, room, strategy, opening);
  const isBlocked = !target.model.tools || !to.write;
  let summaryKey: string | undefined;
  const onKey = (key: string) => {
    summaryKey = key;
  };
  const asked = { ...(isBlocked || request.dryRun ? withoutSummarizer(request) : request), onKey };
  const reduction = strategy && plan?.reduction && (await reductionOf(asked, content.stream, plan.reduction));
  const stays = messagesLeft(measured.origins, reduction?.reduction);
  const isLeftOut = leftOutOf(measured, stays, reduction?.reduction.cut ?? 0);
  const prepared: Prepared = {
    target,
    source: await sourceFacts(request, request.home, projectOf(request)),
    survey: content.survey,
    size,
    window: room.window,
    isFitting,
    ...(reduction && { reduction: { ...reduction, isLeftOut } }),
    ...(plan?.impossible && { impossible: plan.impossible }),
    ...(summaryKey !== undefined && { summaryKey }),
    after: reduction ? weightAfter({ ...reduction, ...whole }, size) : size.total,
    originalMessageCount: content.survey.messages,
    preservedMessageCount: stays.size,
    keptMessages: stays,
    omitted: omittedCalls(weights, content.survey, reduction?.reduction, isOwn ? {} : options),
    keptThinking: measured.kept,
    isOwn,
    thinker,
    stream: () =>
      reduction ? reduced(content.stream, { ...reduction, isLeftOut, ...whole }) : content.stream,
  };
  return prepared;
}

/** Results that calls were given were no messages before, and results without calls are none any more. */
function messagesLeft(origins: readonly number[], reduction: Reduction | undefined): Set<number> {
  const { cut = 0, instructions = 0, prompt } = reduction ?? {};
  const stays = (at: number) => at >= cut || at < instructions || at === prompt;
  return new Set(origins.filter((message, at) => message !== -1 && stays(at)));
}

/** Before the first message that stays of the recent ones, and no prompt that stays beside them. */
function leftOutOf({ origins, content }: Measured, stays: ReadonlySet<number>, cut: number) {
  const first = origins.find((message, at) => at >= cut && message !== -1) ?? Number.POSITIVE_INFINITY;
  return (entry: string): boolean => {
    const message = content.survey.messageOf(entry);
    return message !== undefined && message < first && !stays.has(message);
  };
}

/** What the words take that stand for what is left out; where a summary follows them they may run together. */
function openingTokens(
  messages: number,
  strategy: Strategy = "hybrid",
  whole: Pick<Reduced, "source" | "now">,
): number {
  const summary = strategy === "truncate" ? undefined : "";
  return tokensOf(standIn(messages, { ...whole, summary }), countTokens).tokens + 2;
}

/** How it could be reduced, or why it cannot be. */
function planned(
  weights: Weights,
  { size, window }: { size: Size; window: number },
  strategy: Strategy = "hybrid",
  opening = 0,
): { reduction?: Reduction; impossible?: BatonError } {
  try {
    return { reduction: planReduction(weights, size, window, strategy, opening) };
  } catch (error) {
    if (error instanceof BatonError && error.code === "refused") return { impossible: error };
    throw error;
  }
}

function withoutSummarizer({ summarizer: _, ...request }: SwitchRequest): SwitchRequest {
  return request;
}

function omittedCalls(
  { types }: Weights,
  { toolCalls, toolResults }: Survey,
  reduction: Reduction | undefined,
  { includeToolHistory = true }: SwitchOptions,
): Prepared["omitted"] {
  if (!includeToolHistory) return { toolCalls, toolResults };
  const left = types.slice(0, reduction?.cut ?? 0);
  const count = (type: Entry["type"]) => left.filter((one) => one === type).length;
  return { toolCalls: count("tool_call"), toolResults: Math.min(count("tool_result"), toolResults) };
}

/** What a CLI says by itself, where nobody has measured it. */
export const DEFAULT_OVERHEAD = 12_000;

function contentOf(request: SwitchRequest, thinker: Thinker, isOwn: boolean) {
  const { source, options = {} } = request;
  const content = {
    source,
    thinker,
    ...contentOptions(options),
    ...(request.moves && { moves: request.moves }),
    ...(request.edits && { edits: request.edits }),
  };
  return surveyedIn((survey) => {
    const look = (stream: Stream) => survey(watched(stream, source.skeleton.length, request.onProgress));
    return isOwn ? look(visible(source)) : contentFor(content, "whole", look);
  });
}

function watched(stream: Stream, total: number, onProgress: SwitchRequest["onProgress"]): Stream {
  if (!onProgress) return stream;
  const entries = () => {
    let done = 0;
    return mapped(stream.entries(), (batch) => {
      done += batch.length;
      onProgress(done, total);
      return batch;
    });
  };
  return { ...stream, entries };
}

/** Entries whose thinking was not given up; known once the stream has been read. */
export function keptThinking({ stream, survey }: { stream: Stream; survey: Survey }): Set<string> {
  const lost = stream.losses.filter(
    ({ kind }) => kind === "thinking_dropped" || kind === "thinking_converted",
  );
  const gone = new Set(lost.map(({ at }) => at.entry));
  const found = [survey.features.get("thinking"), survey.features.get("hiddenThinking")];
  return new Set(found.flatMap((one) => one?.entries ?? []).filter((entry) => !gone.has(entry)));
}

type Origin = Pick<SwitchRequest, "source" | "adapters" | "overrides">;

function agentOf({ source, adapters }: Origin): Adapter | undefined {
  return adapters.find(({ id }) => id === source.header.source.cli);
}

export async function sourceFacts(request: Origin, home: Home, project: string): Promise<Prepared["source"]> {
  const { overrides } = request;
  const agent = agentOf(request);
  const servers = agent ? (await agent.configuration(home, project)).mcpServers : [];
  return { agent, servers, model: factsOf(await modelOf(request.source), overrides) };
}

/** A session that was carried and not gone on with has the model that it was carried for. */
async function modelOf(source: Source): Promise<string> {
  const { skeleton } = source;
  const { model } = source.header.model;
  if (model !== "unknown") return model;
  for (let at = skeleton.length - 1; at >= 0; at--) {
    if (skeleton.type(at) !== "switch") continue;
    for await (const entry of source.entries({ from: at, to: at + 1 }))
      if (entry.type === "switch") return entry.switch.toModel;
  }
  return model;
}

async function reductionOf(
  request: Parameters<typeof summaryOf>[0],
  stream: Stream,
  reduction: Reduction,
): Promise<Omit<Reduced, "source" | "now">> {
  const summary = reduction.summary === 0 ? undefined : await summaryOf(request, stream, reduction);
  return { reduction, summary, count: countTokens };
}

function weightAfter(made: Reduced, size: Size): number {
  const { leftOut, kept } = made.reduction;
  const opening = leftOut === 0 ? 0 : tokensOf(standIn(leftOut, made), made.count).tokens;
  return Math.ceil((kept + opening + size.overhead) * size.scale);
}

/** The same for what is measured and for what is written. Whoever has not been asked about thinking drops it. */
function contentOptions(options: SwitchOptions) {
  const { thinking, history = "visible", includeToolHistory = true, preserveSystemPrompt = true } = options;
  return {
    thinking: thinking === "convert" ? ("convert" as const) : ("drop" as const),
    history,
    toolHistory: includeToolHistory,
    systemPrompt: preserveSystemPrompt,
  };
}

/** What `carry` is to do so that what was prepared is what is written. */
export function carryRequest(
  { thinker, reduction, isOwn }: Prepared,
  request: SwitchRequest,
): Omit<CarryRequest, "kind" | "batonHome"> {
  const { source, from, to, home, cwd, model, moves, edits, installed, options = {} } = request;
  return {
    source,
    to,
    home,
    thinker,
    ...(from && { from }),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(moves && { moves }),
    ...(edits && { edits }),
    ...(installed && { installed }),
    ...contentOptions(options),
    ...(reduction && { reduction }),
    ...(!isOwn && source.header.source.cli === to.id && { isCopy: true }),
  };
}
