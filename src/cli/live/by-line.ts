// Texts of a stream put together to whole lines. With --redact nothing is shown in pieces: a key that comes in two
// halves would be told from neither.
import type { AgentEvent } from "../../session/events.ts";

type Text = Extract<AgentEvent, { type: "text" | "thinking" }>;

/** Longer lines are shown in pieces all the same. */
const LONGEST = 14_000;

export async function* byLine(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  let seq = 0;
  let held: Text | undefined;
  const numbered = <E extends AgentEvent>(event: E): E => ({ ...event, seq: ++seq });
  for await (const event of events) {
    const isText = event.type === "text" || event.type === "thinking";
    if (held && !(isText && goesOn(held, event))) {
      yield numbered(held);
      held = undefined;
    }
    if (!isText) {
      yield numbered(event);
      continue;
    }
    const text: string = (held?.text ?? "") + event.text;
    const end = text.length > LONGEST ? text.length : text.lastIndexOf("\n") + 1;
    if (end > 0) yield numbered({ ...event, text: text.slice(0, end) });
    held = end < text.length ? { ...event, text: text.slice(end) } : undefined;
  }
  if (held) yield numbered(held);
}

function goesOn(one: Text, other: Text): boolean {
  return (
    one.type === other.type &&
    one.message === other.message &&
    one.parent_tool_use_id === other.parent_tool_use_id
  );
}
