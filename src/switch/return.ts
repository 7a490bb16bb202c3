// Brings the turns that were made in another agent back into the original session. Where the original has gone on,
// or the other one no longer holds the same beginning, they become a branch of it or a new session.
import type { Adapter, Home, SessionRef, Target } from "../adapters/adapter.ts";
import { findSessions } from "../catalog/scan.ts";
import type { Overrides } from "../models/overrides.ts";
import type { FindPrice } from "../models/prices.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { Source, Stream } from "../session/source.ts";
import { forkAt } from "../transform/fork.ts";
import { join } from "../transform/join.ts";
import type { Redactor } from "../transform/redact.ts";
import { redacted } from "../transform/redact-session.ts";
import { type Move, remapped } from "../transform/remap.ts";
import { sameTurns, turnsOf } from "../transform/turns.ts";
import { thread, threadPositions, visible, visiblePositions } from "../transform/visible.ts";
import { analysisOf, type SwitchAnalysis } from "./analyse.ts";
import { targetOf } from "./carry.ts";
import { refuseHeld } from "./held.ts";
import { newLedger } from "./ledger.ts";
import type { ProviderSwitch } from "./lineage.ts";
import { measureReturn } from "./measure-return.ts";
import { newMessageCounter } from "./message-count.ts";
import { nameOf } from "./name.ts";
import { type Origin, originOf } from "./origin.ts";
import { type Carried, perform } from "./perform.ts";
import { prepare } from "./prepare.ts";
import type { Prepared } from "./prepare-switch.ts";
import { endedBy, type Recording, recordingOf, settleConversations } from "./record.ts";
import { headThen, standingOf } from "./standing.ts";
import { recordedOf } from "./switch-over.ts";
import { ownTarget, type SwitchTarget } from "./target.ts";
import { type Thinker, thinkerOf } from "./thinking.ts";
import { tooMany } from "./wording.ts";

export interface ReturnRequest {
  source: Source;
  ref: SessionRef;
  adapters: readonly Adapter[];
  home: Home;
  batonHome: string;
  thinking?: "drop" | "convert";
  /** What the user says of models. */
  overrides?: Overrides;
  price?: FindPrice;
  /** Why, for the record. */
  reason?: string;
  /** Hides secrets in what is written; what is there keeps them. */
  redactor?: Redactor;
  dryRun?: boolean;
  yes?: boolean;
  now?: Date;
  /** The original's CLI. */
  installed?(to: Adapter): Promise<{ version: string; path: string } | undefined>;
  /** Told the folder before anything is written; throwing leaves everything as it is. */
  goesOnIn?(cwd: string): void;
}

export interface Returned extends Carried {
  /** About the way back; the analysis says the rest. */
  warnings: string[];
  /** Absent where there is nothing to return. */
  analysis?: SwitchAnalysis;
  /** Nothing was said since the last time. */
  isNothing: boolean;
  /** The turns are in the original session itself. */
  isExtended: boolean;
}

export async function bringBack(request: ReturnRequest): Promise<Returned> {
  const origin = await originOf(request.batonHome, request.source.header);
  const to = adapterOf(origin, request.adapters);
  const original = await findOriginal(origin, to, request.home);
  const way = await wayBack(request.source, origin, original?.source);
  if (!isSaid(request.source, way.from)) return nothingNew(request, to, origin, original);
  const installed = await request.installed?.(to);
  const onto = original ? await extension(original, to, way, installed?.version) : undefined;
  const edits = original && way.after !== null && origin.edited ? [EDITED] : [];
  if (onto) await refuseHeld(request.batonHome, to, onto.ref);
  const target = await goesOnWith(request, to, original, installed);
  const thinker = thinkerOf(to, target.model.id);
  const planned = { origin, original, way, onto, installed, thinker };
  const prepared = await measured(request, target, planned);
  const warnings = [...way.warnings, ...edits, ...(onto ? [] : newSession(to, original))];
  const report = (losses: readonly Loss[]) => analysisOf(prepared, losses, reportOptions(request));
  const carried = await performed(request, to, { ...planned, warnings, report });
  const problems = request.dryRun ? [] : await settleConversations(request.batonHome);
  const done = { ...carried, ...(problems.length > 0 && { problems }) };
  const analysis = report(carried.losses);
  return { ...done, warnings, analysis, isNothing: false, isExtended: onto !== undefined };
}

function reportOptions({ thinking = "drop", price, now = new Date() }: ReturnRequest) {
  return { options: { thinking }, now, ...(price && { price }) };
}

/** Where nothing is set, the original's own model. */
function goesOnWith(
  { source, home, overrides, now = new Date() }: ReturnRequest,
  to: Adapter,
  original: Original | undefined,
  installed: Plan["installed"],
): Promise<SwitchTarget> {
  const { project, model } = original?.source.header ?? { ...source.header, model: undefined };
  return ownTarget(
    { to, home, project: project.path, now, installed, asks: true, ...(overrides && { overrides }) },
    model?.model,
  );
}

/** What is too much for the model is refused unless that was asked for. */
async function measured(request: ReturnRequest, target: SwitchTarget, plan: Planned): Promise<Prepared> {
  const { source, yes } = request;
  const { agent, model } = target;
  const prepared = await measureReturn({
    ...request,
    target,
    thinker: plan.thinker,
    kept: keptOf(plan),
    fresh: (look) => freshOf(request, plan, look),
  });
  if (prepared.isFitting || yes) return prepared;
  const sentence = tooMany(prepared.size.total, model.window);
  throw new BatonError(
    "refused",
    sentence,
    `\`baton resume ${nameOf(source.header)} --in ${agent.id} --strategy hybrid\` makes a new session that fits; --yes returns all of it nevertheless.`,
  );
}

const EDITED =
  "Entries were dropped or replaced when this session was made: the original still has them as they were, and the turns follow those.";

interface Original {
  source: Source;
  ref: SessionRef;
}

/** What is taken from the other session, and which entry of the original it follows. */
interface Way {
  /** The first position that is taken. */
  from: number;
  /** As in Onto: absent = the newest, null = none. */
  after?: string | null;
  warnings: string[];
}

function adapterOf({ agent, originalId }: Origin, adapters: readonly Adapter[]): Adapter {
  const found = adapters.find(({ id }) => id === agent);
  if (found) return found;
  throw new BatonError(
    "unsupported",
    `The original, ${agent}:${originalId}, belongs to an agent that Baton does not know.`,
    "`baton resume SESSION --in AGENT` carries all of it into another agent.",
  );
}

async function findOriginal({ originalId }: Origin, to: Adapter, home: Home): Promise<Original | undefined> {
  const found = (await findSessions(home, [to])).find(({ ref }) => ref.originalId === originalId);
  return found && { ref: found.ref, source: await to.open(found.ref) };
}

async function wayBack(source: Source, { here, there }: Origin, original: Source | undefined): Promise<Way> {
  if (!original) return { from: 0, after: null, warnings: ["The original session is gone."] };
  const { skeleton } = source;
  const then = await headThen(source, here);
  const onThread = new Set(threadPositions(skeleton, { history: "full" }));
  const compacted = [...onThread].some((at) => at >= here.entries && skeleton.type(at) === "compaction");
  if (then !== -1 && compacted)
    return { from: 0, after: null, warnings: ["This session was compacted since: its summary is returned."] };
  if (then === -1 || !onThread.has(then)) return rewound(source, original);
  const known = await headThen(original, there);
  if (known === -1)
    return { from: 0, after: null, warnings: ["The original no longer holds what was carried."] };
  if (!hasMovedOn(original, known)) return { from: here.entries, warnings: [] };
  const warnings = ["The original has gone on since: its own newer turns stay beside those that return."];
  return { from: here.entries, after: original.skeleton.id(known), warnings };
}

/** Turns that both still have stay; what follows them here is returned behind them. */
async function rewound(source: Source, original: Source): Promise<Way> {
  const [turns, known] = [await turnsOf(source), await turnsOf(original)];
  const same = sameTurns(turns, known);
  const warnings = ["This session was taken back to before the point where it was carried."];
  const next = known[same];
  const from = turns[same]?.position ?? source.skeleton.length;
  if (same === 0) return { from: 0, after: null, warnings };
  if (!next) return { from, warnings };
  return { from, after: next.before === -1 ? null : original.skeleton.id(next.before), warnings };
}

/** Whether something was said behind that entry. What an agent notes when it only looks does not count. */
function hasMovedOn({ skeleton }: Source, known: number): boolean {
  const order = threadPositions(skeleton, { history: "full" });
  const at = order.indexOf(known);
  return at === -1 || order.slice(at + 1).some((position) => isMessage(skeleton, position));
}

function isSaid({ skeleton }: Source, from: number): boolean {
  return visiblePositions(skeleton, { from }).some((position) => isMessage(skeleton, position));
}

function isMessage(skeleton: Source["skeleton"], position: number): boolean {
  if (skeleton.note(position) || skeleton.injected(position)) return false;
  const type = skeleton.type(position);
  return type === "user" || type === "assistant" || type === "tool_call" || type === "compaction";
}

/** How the original itself can take the turns; undefined where they need a session of their own. */
async function extension({ ref }: Original, to: Adapter, { after }: Way, version: string | undefined) {
  if (after !== undefined && !to.holds.branches) return undefined;
  if (!(await to.canExtend?.(ref, version))) return undefined;
  return { ref, ...(after !== undefined && { after }) };
}

function newSession(to: Adapter, original: Original | undefined): string[] {
  const stays = original ? ` ${nameOf(original.source.header)} stays as it is.` : "";
  const isTakenBack = original && to.isTakenBack?.(original.ref);
  const why = isTakenBack ? `, because the original was taken back in ${to.label} and not gone on with` : "";
  return [`The turns go into a new ${to.label} session${why}.${stays}`];
}

interface Plan {
  origin: Origin;
  original: Original | undefined;
  way: Way;
  onto: Awaited<ReturnType<typeof extension>>;
  installed: { version: string; path: string } | undefined;
  /** Who goes on: its own thinking stays. */
  thinker: Thinker;
  warnings: readonly string[];
  report(losses: readonly Loss[]): SwitchAnalysis;
}

type Planned = Omit<Plan, "warnings" | "report">;

async function performed(request: ReturnRequest, to: Adapter, plan: Plan): Promise<Carried> {
  const { source, batonHome, redactor, dryRun, yes, reason } = request;
  const { original, onto, installed } = plan;
  const made = switchBack(request, to, plan);
  const ledger = newLedger();
  const content = streamOf(request, plan);
  // The journal is saved once more when all of it has been read.
  const onIndex = (index: number) => {
    made.messageIndex = index;
    made.warnings = [...plan.warnings, ...recordedOf(plan.report([...content.losses, ...ledger.losses]))];
  };
  const stream = endedBy(content, made, onto ? messagesBefore(plan) : 0, onIndex);
  const target = await targetOf({
    source: original?.source ?? source,
    to,
    home: request.home,
    installed,
    ...(request.now && { now: request.now }),
  });
  request.goesOnIn?.(target.cwd);
  const { title, ...untitled } = target;
  const titled = title === undefined || !redactor ? target : { ...target, title: redactor.text(title) };
  const into = onto ? { ...untitled, originalId: plan.origin.originalId, onto } : titled;
  return perform({
    ledger,
    stream: redactor ? redacted(stream, redactor) : stream,
    to,
    target: into,
    batonHome,
    ...(!dryRun && { recording: await recordingBack(request, to, into, made) }),
    facts: {
      kind: "return",
      source: nameOf(source.header),
      stood: await standingOf(source, request.ref),
      remapped: plan.origin.remapped,
      edited: plan.origin.edited,
      ...(onto && original && { before: original.source.skeleton.length }),
      ...(reason !== undefined && { reason }),
      ...(title !== undefined && { title }),
      switch: made,
    },
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
  });
}

/** The original's own provider goes on. */
function switchBack(
  { source, reason, adapters, now = new Date() }: ReturnRequest,
  to: Adapter,
  { original }: Plan,
): ProviderSwitch {
  const { model, source: own } = source.header;
  return {
    timestamp: now.toISOString(),
    fromProvider: adapters.find(({ id }) => id === own.cli)?.badge ?? model.provider,
    toProvider: to.badge,
    fromModel: model.model,
    toModel: original?.source.header.model.model ?? "unknown",
    messageIndex: 0,
    ...(reason !== undefined && { reason }),
  };
}

async function recordingBack(
  { source, ref, batonHome, redactor }: ReturnRequest,
  to: Adapter,
  target: Target,
  made: ProviderSwitch,
): Promise<Recording | undefined> {
  const main = ref.files.find(({ role }) => role === "main");
  if (!main || !to.pathOf) return undefined;
  const written = { agent: to.id, id: target.originalId, path: to.pathOf(target) };
  return recordingOf(batonHome, redactor ? redacted(source, redactor) : source, main, written, made);
}

/** Of the original, up to the entry that the turns follow. */
function messagesBefore({ original, way }: Plan): number {
  if (!original || way.after === null) return 0;
  const { skeleton } = original.source;
  const counter = newMessageCounter();
  for (const at of visiblePositions(skeleton)) {
    const turn = skeleton.turn(at);
    counter.add({ type: skeleton.type(at), turn: turn === -1 ? undefined : String(turn) });
    if (skeleton.id(at) === way.after) break;
  }
  return counter.count;
}

function streamOf(request: ReturnRequest, plan: Plan): Stream {
  const fresh = freshOf(request, plan);
  const kept = keptOf(plan);
  return plan.onto || !kept ? withoutLinks(fresh) : join(thread(kept), fresh);
}

/** The original as far as the turns follow it. */
function keptOf({ original, way: { after } }: Planned): Source | undefined {
  if (!original || after === null) return undefined;
  return after === undefined ? original.source : forkAt(original.source, after);
}

/** What is returned, prepared for who goes on. */
function freshOf(
  { source, thinking = "drop" }: ReturnRequest,
  { origin, way, thinker }: Planned,
  look: (stream: Stream) => Stream = (stream) => stream,
): Stream {
  // That it was carried here stands right before what was said here, and belongs to it.
  const isSwitched = way.from > 0 && source.skeleton.type(way.from - 1) === "switch";
  const from = isSwitched ? way.from - 1 : way.from;
  const home = origin.remapped.map(([old, now]): Move => [now, old]);
  return prepare(look(remapped(visible(source, { from }), home)), { thinking, to: thinker });
}

/** Where it was carried from is where it goes. */
function withoutLinks(stream: Stream): Stream {
  const { links, ...header } = stream.header;
  const subagents = links?.filter(({ type }) => type === "subagent") ?? [];
  return {
    ...stream,
    header: { ...header, links: subagents },
    get losses() {
      return stream.losses;
    },
  };
}

/** The original already has everything; it can be gone on with as it is. */
async function nothingNew(
  { home, goesOnIn }: ReturnRequest,
  to: Adapter,
  { originalId }: Origin,
  original: Original | undefined,
): Promise<Returned> {
  const path = original?.source.header.project.path ?? "";
  if (original && to.isResumable?.(original.ref) === false)
    throw new BatonError(
      "refused",
      `Nothing new was said here, and today's ${to.label} does not find the original: it is of an older one.`,
      `\`baton resume ${nameOf(original.source.header)}\` goes on with it in a new session.`,
    );
  goesOnIn?.(path);
  const command = to.resumeCommand?.(originalId, { project: { path } }, { home });
  return {
    agent: to.id,
    originalId,
    path: original?.ref.path ?? "",
    command: command ?? { argv: [], cwd: path, env: {} },
    losses: [],
    counts: { user: 0, assistant: 0, tool_call: 0, tool_result: 0, system: 0, switch: 0, compaction: 0 },
    operation: null,
    backup: null,
    warnings: ["Nothing new was said here since the last time, so there is nothing to return."],
    isNothing: true,
    isExtended: false,
  };
}
