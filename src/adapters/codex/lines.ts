// Writes the lines of a paginated rollout: every line has the next ordinal and a time that is not in the
// future, and says what reading it back must yield.
import type { Entry } from "../../session/session.ts";
import { entryText, wholeJson } from "../../session/text.ts";
import type { WrittenRecord } from "../adapter.ts";
import { type SwitchEntry, switchMark, switchWords } from "../switched.ts";
import { type JsonObject, SWITCH_EVENT } from "./native.ts";

export type Says = WrittenRecord["says"];

export interface Lines {
  /** The id of the thread that is written. */
  readonly thread: string;
  /** Milliseconds of the line that was written last. */
  readonly time: number;
  /** Items for the model in which half a character was replaced. */
  readonly replaced: number;
  /** Later lines are about this moment. */
  at(timestamp: string): void;
  line(type: string, payload: JsonObject, says?: Says, metadata?: JsonObject): WrittenRecord;
  /** What the view shows, beside what the model sees. */
  shown(turn: string, item: JsonObject): WrittenRecord;
}

export const NOTHING: Says = [];

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function lines(file: string, thread: string, now: Date, ordinal = 0): Lines {
  let next = ordinal;
  let replaced = 0;
  let time = now.getTime();
  let timestamp = now.toISOString();
  // Put together by hand, because this is most of what carrying a session does.
  const line: Lines["line"] = (type, payload, says = NOTHING, metadata = undefined) => {
    const start = `{"timestamp":"${timestamp}","ordinal":${next++},"type":"${type}"`;
    const end = metadata === undefined ? "" : `,"metadata":${JSON.stringify(metadata)}`;
    const { json, isReplaced } = wholeJson(payload);
    if (isReplaced && says.length > 0) replaced++;
    const said = isReplaced ? says.map(([one, text]) => [one, text.toWellFormed()] as const) : says;
    return { type: "record", file, bytes: `${start},"payload":${json}${end}}\n`, says: said };
  };
  return {
    thread,
    get time() {
      return time;
    },
    get replaced() {
      return replaced;
    },
    at(moment) {
      const given = Date.parse(moment);
      if (!Number.isFinite(given)) return;
      time = Math.min(Math.max(given, 0), now.getTime());
      timestamp = time === given && ISO.test(moment) ? moment : new Date(time).toISOString();
    },
    line,
    shown: (turn_id, item) =>
      line("event_msg", {
        type: "item_completed",
        thread_id: thread,
        turn_id,
        item,
        started_at_ms: time,
        completed_at_ms: time,
      }),
  };
}

/** An event that Codex knows, with a field that it does not: it passes over it, in turns and between them. */
export function switchLine(out: Lines, entry: SwitchEntry): WrittenRecord {
  const event = { type: SWITCH_EVENT, message: switchWords(entry), ...switchMark(entry) };
  return out.line("event_msg", event, says("switch", entryText(entry)));
}

export function says(type: Entry["type"], text: string): Says {
  return [[type, text]];
}
