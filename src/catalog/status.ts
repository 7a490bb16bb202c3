// What is going on, as far as the stores show it: which sessions a running agent holds, which of them wait for their
// user, and how the others ended. Of those that nobody holds only the ones that changed lately are looked at, and not
// endlessly many.
import type { Activity, Adapter, Home, SessionRef } from "../adapters/adapter.ts";
import type { OnProblem } from "../adapters/folder.ts";
import { sessionId } from "../session/id.ts";
import type { Source } from "../session/source.ts";
import type { KnownRun } from "../storage/runs.ts";
import { changedAt, type Found, findSessions, idOf, sizeOf } from "./scan.ts";

/** Runs that Baton itself started stand in the same lists, with `origin: "run"`. */
export interface Status {
  running: SessionStatus[];
  /** Only where the store says so. */
  waiting: SessionStatus[];
  finished: SessionStatus[];
  /** Sessions that changed lately but were not looked at, because there are too many. */
  more: number;
}

export interface SessionStatus {
  /** Where this is known from. */
  origin: "store" | "run";
  /** Of a run of ours: its id, how its last turn ended and why it failed. */
  run?: string;
  outcome?: NonNullable<KnownRun["outcome"]>;
  error?: string;
  id: string;
  agent: string;
  originalId: string;
  title: string;
  project: string;
  updated: string;
  path: string;
  /** Whether a running agent holds it, as far as its store tells. */
  live: boolean;
  /** What the agent says it does; unknown = its store does not say. */
  activity: Activity["state"] | "unknown";
  /** In the agent's own words. */
  waitingFor?: string;
  /** Calls since the last prompt that have no result; null when the session is too large to look. */
  unanswered: number | null;
  /** What stands last in it; null when it could not be looked at. */
  last: "prompt" | "reply" | "call" | "result" | "other" | null;
  /** Why it could not be read. */
  problem?: string;
}

/** Both are about sessions that no running agent holds: those that one holds are all looked at. */
export interface StatusOptions {
  since: Date;
  limit: number;
  onProblem?: OnProblem;
  /** Those that Baton itself started. */
  runs?: readonly KnownRun[];
}

/** Larger ones would take seconds each. */
const LARGEST_READ = 64 << 20;

export async function statusOf(
  home: Home,
  adapters: readonly Adapter[],
  options: StatusOptions,
): Promise<Status> {
  const { since, limit, onProblem } = options;
  const found = await findSessions(home, adapters, onProblem && { onProblem });
  const all = found.filter(({ ref }) => ref.parent === undefined);
  const live = await liveAmong(home, adapters, all);
  const others = all.filter((one) => !live.has(one) && changedAt(one.ref) >= since.getTime());
  const shown = others.slice(0, Math.max(0, limit - live.size));
  const status: Status = { running: [], waiting: [], finished: [], more: others.length - shown.length };
  for (const one of [...live, ...shown]) {
    const looked = await lookAt(one, live.has(one));
    status[placeOf(looked)].push(looked);
  }
  const stored = new Set(adapters.map(({ id }) => id));
  const runs = (options.runs ?? []).filter((run) => run.isLive || run.updated >= since.toISOString());
  // One that goes on counts more than one that has ended since.
  for (const run of runs.toSorted((a, b) => Number(b.isLive) - Number(a.isLive)))
    addRun(status, run, stored.has(run.agent));
  status.finished.sort((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0));
  return status;
}

/** What we run ourselves is known better than a store can tell; only where there is one are two runs of one session. */
function addRun(status: Status, run: KnownRun, hasStore: boolean): void {
  const { agent, session, isLive } = run;
  const lists = [status.running, status.waiting, status.finished];
  const isSame = (one: SessionStatus) => one.agent === agent && one.originalId === session;
  const known = hasStore && session !== "" ? lists.flatMap((list) => list.filter(isSame)) : [];
  const [other] = known.filter(({ origin }) => origin === "run");
  // The newest stands for those that have ended; whatever goes on is told.
  if (other && !isLive) return;
  for (const list of lists)
    for (const one of known)
      if (one.origin === "store" && list.includes(one)) list.splice(list.indexOf(one), 1);
  const added = toldBy(run, other ?? known[0]);
  status[placeOf(added)].push(added);
}

function toldBy(run: KnownRun, session: SessionStatus | undefined): SessionStatus {
  const { state, isLive, waitingFor, outcome, error } = run;
  const activity = state === "finished" ? "idle" : state === "waiting" ? "waiting" : "busy";
  const {
    run: _,
    waitingFor: __,
    outcome: ___,
    error: ____,
    problem,
    ...facts
  } = session ?? withoutSession(run);
  const isBroken = !isLive && state !== "finished";
  return {
    ...facts,
    origin: "run",
    run: run.id,
    live: isLive,
    activity: isLive ? activity : "unknown",
    ...(isLive && waitingFor !== undefined && { waitingFor }),
    ...(outcome !== undefined && { outcome }),
    ...(error !== undefined && { error }),
    ...(isBroken ? { problem: "Baton ended in the middle of it" } : problem !== undefined && { problem }),
  };
}

/** The agent has not said which one it is, or keeps none. */
function withoutSession({ agent, session, prompt, cwd, updated }: KnownRun): SessionStatus {
  return {
    origin: "run",
    id: session === "" ? "" : sessionId(agent, session),
    agent,
    originalId: session,
    title: prompt,
    project: cwd,
    updated,
    path: "",
    live: false,
    activity: "unknown",
    unanswered: null,
    last: null,
  };
}

/** All that a running agent holds, however old they are: one may have waited for its user for days. */
async function liveAmong(
  home: Home,
  adapters: readonly Adapter[],
  all: readonly Found[],
): Promise<ReadonlySet<Found>> {
  const live = new Set<Found>();
  for (const adapter of adapters) {
    const mayBe = (await adapter.mayBeLive?.(home)) ?? (() => true);
    for (const one of all)
      if (one.adapter === adapter && mayBe(one.ref) && (await adapter.isLive(one.ref))) live.add(one);
  }
  return new Set(all.filter((one) => live.has(one)));
}

/** An agent that only waits for the next prompt has finished what it was told. */
function placeOf({ live, activity }: SessionStatus): "running" | "waiting" | "finished" {
  if (!live || activity === "idle") return "finished";
  return activity === "waiting" ? "waiting" : "running";
}

async function lookAt({ adapter, ref }: Found, live: boolean): Promise<SessionStatus> {
  const activity = live ? await adapter.activity?.(ref) : undefined;
  return {
    origin: "store",
    id: idOf(ref),
    agent: ref.agent,
    originalId: ref.originalId,
    title: "",
    project: "",
    updated: new Date(changedAt(ref)).toISOString(),
    path: ref.path,
    live,
    activity: activity?.state ?? "unknown",
    ...(activity?.waitingFor !== undefined && { waitingFor: activity.waitingFor }),
    unanswered: null,
    last: null,
    ...(await contentOf(adapter, ref)),
  };
}

async function contentOf(adapter: Adapter, ref: SessionRef): Promise<Partial<SessionStatus>> {
  if (sizeOf(ref) > LARGEST_READ) return {};
  try {
    const source = await adapter.open(ref);
    const { title = "", project } = source.header;
    return { title, project: project.path, unanswered: unansweredIn(source), last: lastOf(source) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function unansweredIn({ skeleton, losses }: Source): number {
  let prompt = skeleton.length - 1;
  while (prompt >= 0 && !isPrompt({ skeleton }, prompt)) prompt--;
  const open = losses.filter(({ kind, at }) => {
    return kind === "call_unanswered" && at.entry !== undefined && skeleton.find(at.entry) > prompt;
  });
  return open.length;
}

function isPrompt({ skeleton }: Pick<Source, "skeleton">, at: number): boolean {
  return skeleton.type(at) === "user" && !skeleton.injected(at) && !skeleton.note(at);
}

const LAST: Partial<Record<string, SessionStatus["last"]>> = {
  assistant: "reply",
  tool_call: "call",
  tool_result: "result",
};

function lastOf(source: Source): SessionStatus["last"] {
  const { skeleton } = source;
  const { head } = skeleton;
  if (head < 0) return null;
  return isPrompt(source, head) ? "prompt" : (LAST[skeleton.type(head)] ?? "other");
}
