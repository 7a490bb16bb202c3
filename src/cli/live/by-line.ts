// Texts and outputs of a stream put together to whole lines, keys over several lines to whole keys, and what is to be
// hidden in them hidden, before they are cut into events again: a key that comes in two halves would be told from neither.
import { pieces } from "../../run/fit.ts";
import type { AgentEvent, EventOf } from "../../session/events.ts";
import { wholeTo } from "../../transform/redact-open.ts";

type Text = EventOf<"text"> | EventOf<"thinking">;
type Output = EventOf<"tool_result">;

/** Longer lines, and keys over several, are hidden in pieces all the same. */
const LONGEST = 200_000;

export async function* byLine(
  events: AsyncIterable<AgentEvent>,
  hidden: (text: string) => string,
): AsyncGenerator<AgentEvent> {
  let seq = 0;
  for await (const event of joined(events))
    for (const piece of cut(event, hidden)) yield { ...piece, seq: ++seq };
}

async function* joined(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  let text: Text | undefined;
  let output: Output | undefined;
  for await (const event of events) {
    const isText = event.type === "text" || event.type === "thinking";
    if (text && !(isText && goesOn(text, event))) {
      yield text;
      text = undefined;
    }
    if (event.type === "tool_result" && event.part !== undefined) {
      output = { ...event, content: (output?.content ?? "") + event.content };
      if (event.last) yield output;
      if (event.last) output = undefined;
      continue;
    }
    if (!isText) {
      yield event;
      continue;
    }
    const all: string = (text?.text ?? "") + event.text;
    const end = all.length > LONGEST ? all.length : wholeTo(all);
    if (end > 0) yield { ...event, text: all.slice(0, end) };
    text = end < all.length ? { ...event, text: all.slice(end) } : undefined;
  }
  if (text) yield text;
}

function cut(event: AgentEvent, hidden: (text: string) => string): AgentEvent[] {
  switch (event.type) {
    case "text":
    case "thinking":
      return pieces(hidden(event.text)).map((text) => ({ ...event, text }));
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

function goesOn(one: Text, other: Text): boolean {
  return (
    one.type === other.type &&
    one.message === other.message &&
    one.parent_tool_use_id === other.parent_tool_use_id
  );
}
