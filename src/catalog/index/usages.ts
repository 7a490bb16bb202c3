// Whose the tokens of a session are, and when they were used: they come beside the entries of their message, which say
// that.
import type { Entry, Usage } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import { LOCAL } from "../usage/messages.ts";

/** The tokens of one model message. */
export interface MessageUsage {
  message: string;
  model: string;
  provider: string;
  time: number;
  /** The number of the record that it was first in. */
  place: number;
  usage: Usage;
}

const RECENT_TURNS = 20;
/** That it is a time can be seen without making it one. */
const PLAIN_TIME =
  /^(?:199\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

interface MessageFacts {
  model: string;
  provider: string;
  time: number;
  place: number;
}

/** Plain JSON: whose the next tokens are, and whose the last ones were. */
export interface UsageState {
  now: MessageFacts;
  recent: [turn: string, facts: MessageFacts][];
  /** Of the last cost of what stands before. */
  costPlace?: number | undefined;
}

type Counted = Omit<Extract<Folded, { type: "usage" }>, "type">;

/** Tokens come beside the entries of their message, which say whose they are and when. */
export function newUsages(provider: string, begun?: UsageState) {
  const all = new Map<string, Usage>();
  const facts = new Map<string, MessageFacts>(begun?.recent);
  const open = new Set<string>();
  const now = begun?.now ?? { model: "unknown", provider, time: 0, place: 0 };
  /** Of the last entry. Hundreds of entries share one message, and only its time is needed as a number. */
  let timestamp = "";
  let costPlace = begun?.costPlace;
  const factsNow = (): MessageFacts => {
    const time = Date.parse(timestamp);
    if (time > 0) now.time = time;
    timestamp = "";
    return { ...now };
  };
  const noteOdd = (at: string) => {
    const time = Date.parse(at);
    if (!(time > 0)) return;
    now.time = time;
    timestamp = "";
  };
  const add = ({ turn, usage, message = `${LOCAL}${turn}`, model, timestamp: at }: Counted) => {
    all.set(message, usage);
    if (!facts.has(message)) facts.set(message, facts.get(turn) ?? counted(factsNow(), model, at));
    open.add(message);
  };
  return {
    add,
    at(place: number) {
      now.place = place;
    },
    note({ model, provider: of, cost, isCostSoFar }: HeaderPatch) {
      if (model !== undefined) now.model = model;
      if (of !== undefined) now.provider = of;
      if (cost !== undefined) costPlace = isCostSoFar ? now.place : undefined;
    },
    entry({ turn, model, provider: of, timestamp: at, usage }: Entry) {
      if (PLAIN_TIME.test(at)) timestamp = at;
      else noteOdd(at);
      if (turn === undefined) return;
      if (!facts.has(turn)) {
        const known = factsNow();
        facts.set(turn, { ...known, model: model ?? known.model, provider: of ?? known.provider });
      }
      if (usage) add({ turn, usage });
    },
    all: () => all,
    state: (): UsageState => ({ now: factsNow(), recent: [...facts].slice(-RECENT_TURNS), costPlace }),
    /** What has come since it was last taken. */
    take(): MessageUsage[] {
      const taken = [...open].map((message) => ({
        message,
        ...(facts.get(message) ?? factsNow()),
        usage: all.get(message) as Usage,
      }));
      open.clear();
      return taken;
    },
  };
}

/** With what is said of the message itself. */
function counted(
  facts: MessageFacts,
  model: string | undefined,
  timestamp: string | undefined,
): MessageFacts {
  const time = Date.parse(timestamp ?? "") || facts.time;
  return { ...facts, time, ...(model && { model }) };
}
