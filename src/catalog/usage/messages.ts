// The model messages that the catalog knows, oldest first, each once: a message that was copied into another session
// by a fork, a resume or a carry is the same message, and was paid for once.
import type { DatabaseSync } from "node:sqlite";
import type { Link } from "../../session/session.ts";
import type { IsHere } from "../here.ts";
import type { TokenSums } from "./usage.ts";

export interface SessionFacts {
  id: string;
  agent: string;
  originalId: string;
  title: string;
  project: string;
  model: string;
  provider: string;
  updated: number;
  created: string;
  /** The native id of the session that spawned it. */
  parent: string | null;
  /** For the session as a whole, in US dollars; null = not known. */
  cost: number | null;
  /** The record up to which it is that; null = it is that of all of it. */
  costPlace: number | null;
  path: string;
  gone: number | null;
  isFork: boolean;
  /** The native id of the session that the first one in its line of forks was made from; its own where it is none. */
  origin: string;
  shard: number;
  key: number;
}

export interface Message extends TokenSums {
  session: SessionFacts;
  /** See `usage.message` in schema.ts. */
  id: string;
  model: string;
  provider: string;
  /** In milliseconds. */
  time: number;
  cacheWriteHour: number;
  /** US dollars, null = the agent wrote none down. */
  cost: number | null;
  estimated: boolean;
  /** The number of its record. */
  place: number;
  /** How many messages it stands for. */
  count: 0 | 1;
}

export function sessionsOf(shards: readonly DatabaseSync[], isHere: IsHere = () => true): SessionFacts[] {
  const sources = new Map<string, string>();
  const sessions = shards.flatMap((shard, number) =>
    (shard.prepare(SESSIONS).all() as unknown as SessionRow[]).map(({ links, ...row }): SessionFacts => {
      const isFork = links?.includes('"fork_of"') ?? false;
      const source = isFork ? sourceOf(row.agent, links ?? "[]") : undefined;
      if (source !== undefined) sources.set(`${row.agent}:${row.originalId}`, source);
      return { ...row, isFork, origin: row.originalId, shard: number };
    }),
  );
  for (const session of sessions) if (session.isFork) session.origin = originOf(session, sources);
  return sessions.filter(isHere);
}

/** The native id of the session that it is a fork of, if that is one of the same agent. */
function sourceOf(agent: string, links: string): string | undefined {
  const found = (JSON.parse(links) as Link[]).find(({ type }) => type === "fork_of")?.session;
  return found?.startsWith(`${agent}:`) ? found.slice(agent.length + 1) : undefined;
}

function originOf({ agent, originalId }: SessionFacts, sources: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let origin = originalId;
  for (let source: string | undefined = origin; source !== undefined && !seen.has(source); ) {
    seen.add(source);
    origin = source;
    source = sources.get(`${agent}:${source}`);
  }
  return origin;
}

/** Every message of every session, copies included, oldest first. */
export function* messagesIn(
  shards: readonly DatabaseSync[],
  sessions: readonly SessionFacts[],
): Generator<Message> {
  const byKey = shards.map(
    (_, number) =>
      new Map(sessions.filter(({ shard }) => shard === number).map((session) => [session.key, session])),
  );
  const heads = shards.map((shard, number): Head => {
    const statement = shard.prepare(MESSAGES);
    // Objects take three times as long.
    statement.setReturnArrays(true);
    const rows = statement.iterate() as unknown as Iterator<MessageRow>;
    return { rows, sessions: byKey[number] as Map<number, SessionFacts>, next: undefined };
  });
  for (const head of heads) advance(head);
  for (;;) {
    let first: Head | undefined;
    for (const head of heads)
      if (head.next && (!first?.next || order(head.next, first.next) < 0)) first = head;
    if (!first?.next) return;
    yield first.next;
    advance(first);
  }
}

/** Each message where it was first. */
export function* messagesOnce(
  shards: readonly DatabaseSync[],
  sessions: readonly SessionFacts[],
): Generator<Message> {
  const seen = new Set<string>();
  for (const message of messagesIn(shards, sessions)) {
    const names = namesOf(message);
    const isCopy = names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    if (!isCopy) yield message;
  }
}

const SESSIONS = `SELECT key, id, agent, original_id AS originalId, title, project, model, provider, updated, created,
  parent, cost, cost_place AS costPlace, path, gone, links FROM session`;

/** A time that is not known is that of the session's last change. */
const MESSAGES = `SELECT u.session, u.message, u.model, u.provider,
    CASE WHEN u.time > 0 THEN u.time ELSE s.updated END AS time,
    u.input, u.output, u.cache_read, u.cache_write, u.cache_write_hour, u.reasoning, u.cost, u.estimated,
    u.place
  FROM usage u JOIN session s ON s.key = u.session
  ORDER BY time, s.links LIKE '%"fork_of"%', s.created, s.updated, s.id`;

type SessionRow = Omit<SessionFacts, "isFork" | "shard"> & { links: string | null };

type MessageRow = readonly [
  session: number,
  id: string,
  model: string,
  provider: string,
  time: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cacheWriteHour: number,
  reasoning: number,
  cost: number | null,
  estimated: number,
  place: number,
];

interface Head {
  rows: Iterator<MessageRow>;
  sessions: ReadonlyMap<number, SessionFacts>;
  next: Message | undefined;
}

function advance(head: Head): void {
  for (;;) {
    const { value, done } = head.rows.next();
    head.next = undefined;
    if (done) return;
    const session = head.sessions.get(value[0]);
    // A session that came in since the others were read is counted the next time.
    if (!session) continue;
    head.next = messageOf(value, session);
    return;
  }
}

function messageOf(row: MessageRow, session: SessionFacts): Message {
  return {
    session,
    id: row[1],
    model: row[2] === UNKNOWN ? session.model : row[2],
    provider: row[3],
    time: row[4],
    input: row[5],
    output: row[6],
    cacheRead: row[7],
    cacheWrite: row[8],
    cacheWriteHour: row[9],
    reasoning: row[10],
    cost: row[11],
    estimated: row[12] !== 0,
    place: row[13],
    count: 1,
  };
}

const UNKNOWN = "unknown";

/** The original before its copies, in the order of MESSAGES. */
function order(a: Message, b: Message): number {
  return (
    a.time - b.time ||
    Number(a.session.isFork) - Number(b.session.isFork) ||
    compare(a.session.created, b.session.created) ||
    a.session.updated - b.session.updated ||
    compare(a.session.id, b.session.id)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** A short id may be one that somebody made up, such as a number: its time or its tokens have to be the same too. */
function namesOf(message: Message): string[] {
  const { id, session, time, input, output, cacheRead, cacheWrite } = message;
  if (id.startsWith(LOCAL)) return [];
  // One that is named after its session has the name of the fork in a copy.
  const isOwn = session.isFork && id.startsWith(`${session.originalId} `);
  const name = `${session.agent} ${isOwn ? session.origin + id.slice(session.originalId.length) : id}`;
  if (id.length >= SHORTEST) return [name];
  return [`${name} @${time}`, `${name} ${input + cacheRead + cacheWrite} ${output}`];
}

const SHORTEST = 8;

/** How the id of a message begins that is not known outside its session. */
export const LOCAL = "#";
