// Writes the lines of a paginated rollout: every line has the next ordinal and a time that is not in the
// future, and says what reading it back must yield.
import type { Entry } from "../../session/session.ts";
import type { WrittenRecord } from "../adapter.ts";
import type { JsonObject } from "./native.ts";

export type Says = WrittenRecord["says"];

export interface Lines {
  /** The id of the thread that is written. */
  readonly thread: string;
  /** Milliseconds of the line that was written last. */
  readonly time: number;
  /** Later lines are about this moment. */
  at(timestamp: string): void;
  line(type: string, payload: JsonObject, says?: Says, metadata?: JsonObject): WrittenRecord;
  /** What the view shows, beside what the model sees. */
  shown(turn: string, item: JsonObject): WrittenRecord;
}

export const NOTHING: Says = [];

export function lines(file: string, thread: string, now: Date, ordinal = 0): Lines {
  let next = ordinal;
  let time = now.getTime();
  const line: Lines["line"] = (type, payload, says = NOTHING, metadata = undefined) => {
    const record = { timestamp: new Date(time).toISOString(), ordinal: next++, type, payload, metadata };
    return { type: "record", file, bytes: `${JSON.stringify(record)}\n`, says };
  };
  return {
    thread,
    get time() {
      return time;
    },
    at(timestamp) {
      const given = Date.parse(timestamp);
      if (Number.isFinite(given)) time = Math.min(Math.max(given, 0), now.getTime());
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

export function says(type: Entry["type"], text: string): Says {
  return [[type, text]];
}
