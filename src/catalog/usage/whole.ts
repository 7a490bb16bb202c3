// Costs that an agent wrote down for a session as a whole: a running total that covers its messages, those of its
// subagents, and, after a fork, the copied ones too (measured with Claude Code 2.1.325). It is spread over the
// messages, so that days and models have their share and a copied message counts once.
import type { DatabaseSync } from "node:sqlite";
import { costOf, type FindPrice } from "../../models/prices.ts";
import { type Message, messagesIn, type SessionFacts } from "./messages.ts";
import type { Cost } from "./usage.ts";

export interface WholeCosts {
  /** Undefined: the cost of its session is not known as a whole, or does not cover this message. */
  costOf(message: Message): Cost | undefined;
  /** Costs of sessions of whose messages nothing is known, each as a message without tokens. */
  others(): Iterable<[message: Message, dollars: number]>;
}

export function wholeCosts(
  shards: readonly DatabaseSync[],
  sessions: readonly SessionFacts[],
  find: FindPrice,
): WholeCosts {
  const covering = coveringOf(shards, sessions);
  const covers = new Map<SessionFacts, Cover>();
  const ends = covering.size > 0 ? shards.map(endsIn) : [];
  if (covering.size > 0)
    for (const message of messagesIn(shards, sessions)) {
      const session = covering.get(message.session);
      if (!session || !isCovered(message, session, ends)) continue;
      const found = coverOf(covers, session);
      found.weights += weightOf(message, find);
      found.tokens += tokensOf(message);
      found.messages++;
    }
  return {
    costOf(message) {
      const session = covering.get(message.session);
      const found = session && covers.get(session);
      if (!found || !isCovered(message, session, ends)) return undefined;
      const dollars = found.weights > 0 ? weightOf(message, find) / found.weights : share(message, found);
      return { kind: "recorded", dollars: dollars * found.cost };
    },
    *others() {
      for (const session of new Set(covering.values()))
        if (!covers.has(session)) yield [emptyMessage(session), session.cost ?? 0];
    },
  };
}

interface Cover {
  cost: number;
  /** The sum of what its messages would cost by their prices. */
  weights: number;
  tokens: number;
  messages: number;
}

/**
 * An agent that was killed has not written down the cost of its last messages: those behind the record. In a subagent's
 * file, which has no such record, they are those from the time of the first of them on.
 */
function isCovered(message: Message, session: SessionFacts, ends: readonly Ends[]): boolean {
  if (session.costPlace === null) return true;
  if (message.session === session) return message.place < session.costPlace;
  return message.time < (ends[session.shard]?.get(session.key) ?? Number.POSITIVE_INFINITY);
}

/** Of each session the time of its first message that its cost does not cover. */
type Ends = ReadonlyMap<number, number>;

function endsIn(shard: DatabaseSync): Ends {
  const rows = shard.prepare(ENDS).all() as { key: number; time: number }[];
  return new Map(rows.map(({ key, time }) => [key, time]));
}

const ENDS = `SELECT s.key, min(CASE WHEN u.time > 0 THEN u.time ELSE s.updated END) AS time
  FROM session s JOIN usage u ON u.session = s.key WHERE u.place > s.cost_place GROUP BY s.key`;

/** Of each session the one whose cost covers it: the outermost that has one. */
function coveringOf(
  shards: readonly DatabaseSync[],
  sessions: readonly SessionFacts[],
): Map<SessionFacts, SessionFacts> {
  const priced = shards.map(
    (shard) => new Set((shard.prepare(PRICED).all() as { session: number }[]).map(({ session }) => session)),
  );
  const isWhole = ({ cost, shard, key }: SessionFacts) =>
    cost !== null && cost > 0 && !priced[shard]?.has(key);
  if (!sessions.some(isWhole)) return new Map();
  const byNative = new Map(sessions.map((session) => [`${session.agent}:${session.originalId}`, session]));
  const found = new Map<SessionFacts, SessionFacts>();
  for (const session of sessions) {
    let outermost: SessionFacts | undefined;
    const seen = new Set<SessionFacts>();
    for (let at: SessionFacts | undefined = session; at && !seen.has(at); ) {
      seen.add(at);
      if (isWhole(at)) outermost = at;
      at = at.parent === null ? undefined : byNative.get(`${at.agent}:${at.parent}`);
    }
    if (outermost) found.set(session, outermost);
  }
  return found;
}

const PRICED = "SELECT DISTINCT session FROM usage WHERE cost > 0";

function coverOf(covers: Map<SessionFacts, Cover>, session: SessionFacts): Cover {
  const known = covers.get(session);
  if (known) return known;
  const made = { cost: session.cost ?? 0, weights: 0, tokens: 0, messages: 0 };
  covers.set(session, made);
  return made;
}

function share(message: Message, { tokens, messages }: Cover): number {
  return tokens > 0 ? tokensOf(message) / tokens : 1 / messages;
}

function weightOf(message: Message, find: FindPrice): number {
  const price = find(message.model, message.provider, message.time);
  return price ? costOf(message, price) : 0;
}

function tokensOf({ input, output, cacheRead, cacheWrite }: Message): number {
  return input + output + cacheRead + cacheWrite;
}

function emptyMessage(session: SessionFacts): Message {
  const { model, provider, updated } = session;
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0 };
  return {
    session,
    id: "",
    model,
    provider,
    time: updated,
    ...tokens,
    cost: null,
    estimated: false,
    place: 0,
    count: 0,
  };
}
