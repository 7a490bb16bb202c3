// Texts and outputs of a stream put together to whole lines, keys over several lines to whole keys, and what is to be
// hidden in them hidden, before they are cut into events again: a key that comes in two halves would be told from neither.
// Nothing waits for the end of a line but its text: where another event comes in the middle of it, the text so far goes
// out before that, except a word or a key that may go on. What went out is still looked at with what follows it.
import { pieces } from "../../run/fit.ts";
import type { AgentEvent, EventOf } from "../../session/events.ts";
import { openKey } from "../../transform/redact-keys.ts";
import { likelyTo, safeTo, wholeTo } from "../../transform/redact-open.ts";

type Text = EventOf<"text"> | EventOf<"thinking">;
type Output = EventOf<"tool_result">;

/** A text without secrets; `from`: only what stands behind it, which is looked at as its continuation. */
export type Hide = (text: string, from?: number) => string;

/** The text or the output of an event so far, of which `from` characters have gone out already. */
interface Piece {
  event: AgentEvent;
  from: number;
}

/** A message that may go on: its text since the last whole line, of which so many characters have gone out. */
interface Open {
  event: Text;
  text: string;
  told: number;
  /** What was found out about this text; it may have to wait through many events. */
  answers: Map<(text: string) => number, number>;
}

/** Longer lines, and keys over several, are hidden in pieces all the same. */
const LONGEST = 200_000;
/** So much of what went out is remembered, to tell what follows it by. */
const CONTEXT = 10_000;
/** Messages at once. */
const MOST = 100;
/** The beginning of a word that tells nothing of a key. */
const TELLS_NOTHING = /^.{1,4}/su;
/** Where its speaker does one of these, an earlier message is over by all that is known. */
const ENDS_A_WORD: ReadonlySet<AgentEvent["type"]> = new Set([
  "text",
  "thinking",
  "approval_request",
  "usage",
]);

export async function* byLine(events: AsyncIterable<AgentEvent>, hidden: Hide): AsyncGenerator<AgentEvent> {
  const state: State = { texts: new Map(), output: undefined, called: undefined };
  let seq = 0;
  // What waited has the time of what it comes with, so that no time runs backwards.
  let timestamp = "";
  const told = (piece: Piece) => cut(piece, hidden).map((event) => ({ ...event, seq: ++seq, timestamp }));
  for await (const event of events) {
    timestamp = event.timestamp;
    for (const piece of joined(state, event)) yield* told(piece);
  }
  for (const open of state.texts.values())
    for (const piece of upTo(open, open.text.length)) yield* told(piece);
}

interface State {
  texts: Map<string, Open>;
  output: Output | undefined;
  /** The call that was told last: its subagent has to be heard before anybody else. */
  called: string | undefined;
}

function* joined(state: State, event: AgentEvent): Generator<Piece> {
  const { texts, called } = state;
  const isText = event.type === "text" || event.type === "thinking";
  const key = isText ? keyOf(event) : undefined;
  for (const [name, open] of texts) {
    if (name === key) continue;
    const isOver = endsWith(open.event, event);
    if (open.told < open.text.length) yield* upTo(open, isOver ? open.text.length : reach(open, event));
    if (isOver === "for good") texts.delete(name);
  }
  if (event.type === "tool_result" && event.part !== undefined) {
    const output = { ...event, content: (state.output?.content ?? "") + event.content };
    state.output = event.last ? undefined : output;
    if (!event.last) return;
    yield { event: output, from: 0 };
  } else if (key !== undefined && isText)
    yield* goneOn(texts, key, event, called !== undefined && event.parent_tool_use_id === called);
  else yield { event, from: 0 };
  state.called = event.type === "tool_use" ? event.id : undefined;
}

/** How much of a message can go out before that event, which may come in the middle of a word. */
function reach(open: Open, event: AgentEvent): number {
  // Agents say one thing after the other, and ask when they have said what about.
  const isNext = ENDS_A_WORD.has(event.type) && event.parent_tool_use_id === open.event.parent_tool_use_id;
  const answer = isNext ? likelyTo : safeTo;
  const known = open.answers.get(answer);
  if (known !== undefined) return known;
  const end = answer(open.text);
  open.answers.set(answer, end);
  return end;
}

function keyOf({ type, message, parent_tool_use_id }: Text): string {
  return JSON.stringify([type, message, parent_tool_use_id]);
}

/** Whether a message has come to its end before this event; after a call of its own it may go on under its name. */
function endsWith({ parent_tool_use_id }: Text, event: AgentEvent): false | "for now" | "for good" {
  if (event.type === "result" || event.type === "message_stop") return "for good";
  if (event.type === "tool_result") return event.tool_use_id === parent_tool_use_id && "for good";
  return event.type === "tool_use" && event.parent_tool_use_id === parent_tool_use_id && "for now";
}

/** Another piece of a message: its whole lines can go out. */
function* goneOn(texts: Map<string, Open>, key: string, event: Text, isAwaited: boolean): Generator<Piece> {
  const { text = "", told = 0 } = texts.get(key) ?? {};
  const open: Open = { event, text: text + event.text, told, answers: new Map() };
  // The one that was silent for longest stands first.
  texts.delete(key);
  texts.set(key, open);
  if (event.text.includes("\n")) yield* upTo(open, wholeTo(open.text), 0);
  if (isAwaited && open.told === 0)
    yield* upTo(open, Math.max(safeTo(open.text), TELLS_NOTHING.exec(open.text)?.[0].length ?? 0));
  if (open.text.length > LONGEST) yield* upTo(open, safeTo(open.text));
  if (open.text === "") texts.delete(key);
  const [oldest] = texts;
  if (texts.size <= MOST || !oldest) return;
  yield* upTo(oldest[1], oldest[1].text.length);
  texts.delete(oldest[0]);
}

/** What of a message has not gone out up to there. */
function* upTo(open: Open, end: number, context = CONTEXT): Generator<Piece> {
  const { event, text, told } = open;
  if (end > told) yield { event: { ...event, text: text.slice(0, end) }, from: told };
  const far = Math.max(0, end - context);
  const forgotten = context > 0 && far > 0 ? Math.min(far, openKey(text) ?? far) : far;
  open.text = text.slice(forgotten);
  open.told = Math.max(told, end) - forgotten;
  if (forgotten > 0) open.answers.clear();
}

function cut({ event, from }: Piece, hidden: Hide): AgentEvent[] {
  switch (event.type) {
    case "text":
    case "thinking":
      return pieces(hidden(event.text, from)).map((text) => ({ ...event, text }));
    case "tool_result": {
      const { part: _, last: __, ...whole } = event;
      const parts = pieces(hidden(event.content));
      if (parts.length === 1) return [{ ...whole, content: parts[0] ?? "" }];
      return parts.map((content, at) => ({ ...whole, content, part: at + 1, last: at === parts.length - 1 }));
    }
    case "result":
      // Its end may be the beginning of something.
      return [event.truncated ? { ...event, result: event.result.replace(/\S+$/, "") } : event];
    default:
      return [event];
  }
}
