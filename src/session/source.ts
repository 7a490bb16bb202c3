// A session as a stream: what readers hand out and writers take, whatever its size. The skeleton is small and
// in memory; content is read when it is asked for.
import type { Loss } from "./losses.ts";
import type { Entry, Header, Session, SessionRecord, Usage } from "./session.ts";
import { type Skeleton, skeletonBuilder } from "./skeleton.ts";

export interface Range {
  /** First position, inclusive. */
  from?: number;
  /** Last position, exclusive. */
  to?: number;
  /** referenced: long texts may stay in their file (storage/reference.ts); only for those who write them down. */
  texts?: "whole" | "referenced";
}

/** A session on its way: what transforms return and writers take. */
export interface Stream {
  header: Header;
  /** What was damaged or odd in the native records, or was given up on the way so far. */
  losses: readonly Loss[];
  entries(): AsyncIterable<Entry>;
  /** The raw native records in order; absent where the session never had a native form. */
  records?(): AsyncIterable<SessionRecord>;
  /** Subagents, each a session of its own. */
  children(): AsyncIterable<Stream>;
}

/** A session as it stands in a store or a file. */
export interface Source extends Stream {
  skeleton: Skeleton;
  /** The timeline, or a window of it, in file order. */
  entries(range?: Range): AsyncIterable<Entry>;
  children(): AsyncIterable<Source>;
}

/** What folding one native record yields. A reader is a function from records to these. */
export type Folded =
  /** `keepsRun`: a compaction keeps the entries from one to another, where the store names only these two. */
  | { type: "entry"; entry: Entry; keepsRun?: Run }
  /**
   * A record inside the thread that has no entry: later records may name it as their parent. With `alias` it is
   * another name of the entry `parent`, which is already there.
   */
  | { type: "link"; id: string; parent: string | null; alias?: boolean }
  /** Facts of the session as a whole; the last one to name a field wins. */
  | { type: "header"; patch: HeaderPatch }
  /** Which entry (or link) is the newest of the current branch; `unlessFollowed`: if the last entry is not below it. */
  | { type: "head"; id: string; unlessFollowed?: boolean }
  /**
   * Tokens of one model message; the last one for a turn wins. `message`: what tells it from all others in every
   * session, and what a copy of it in another session has as well; absent = nothing does.
   */
  | { type: "usage"; turn: string; usage: Usage; message?: string; model?: string; timestamp?: string }
  | { type: "loss"; loss: Loss };

/** The first and the last of a chain of entries, by id. */
export interface Run {
  from: string;
  to: string;
}

export interface HeaderPatch {
  title?: string;
  /** 3 = given by the user, 2 = given by the agent, 1 = a summary; the higher rank wins over a later lower one. */
  titleRank?: number;
  summary?: string;
  cwd?: string;
  git?: Header["project"]["git"];
  model?: string;
  provider?: string;
  config?: Record<string, unknown>;
  cliVersion?: string;
  /** US dollars the agent recorded for the whole session. */
  cost?: number;
  /** The cost is that of what stands before the record; what comes behind it is not in it. */
  isCostSoFar?: boolean;
  timestamp?: string;
  link?: NonNullable<Header["links"]>[number];
}

/** A whole session in memory, seen as a stream. */
export function sourceOf(session: Session): Source {
  const builder = skeletonBuilder();
  for (const entry of session.timeline) builder.add(entry);
  const { timeline, records, children, ...header } = session;
  return {
    header,
    skeleton: builder.finish(session.head),
    losses: [],
    async *entries(range = {}) {
      yield* timeline.slice(range.from ?? 0, range.to ?? timeline.length);
    },
    ...(records && {
      async *records() {
        yield* records;
      },
    }),
    async *children() {
      for (const child of (children ?? []) as Session[]) yield sourceOf(child);
    },
  };
}

/** The whole session in memory. Only for sessions that are known to be small enough. */
export async function collect(source: Stream, options: { records?: boolean } = {}): Promise<Session> {
  const session: Session = { ...source.header, timeline: await Array.fromAsync(source.entries()) };
  if (options.records && source.records) session.records = await Array.fromAsync(source.records());
  const children: Session[] = [];
  for await (const child of source.children()) children.push(await collect(child, options));
  if (children.length > 0) session.children = children;
  return session;
}
