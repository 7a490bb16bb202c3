// Lines of rows as the writer makes them: a session, a message with its parts.
import type { Loss } from "../../session/losses.ts";
import { loss } from "../../session/losses.ts";
import { wholeJson } from "../../session/text.ts";
import { rowLine } from "../../storage/rows.ts";
import type { Written, WrittenRecord } from "../adapter.ts";
import type { Clock } from "./ids.ts";
import type { JsonObject } from "./native.ts";

export type Says = WrittenRecord["says"];

export interface Message {
  id: string;
  session: string;
  /** The file of the bundle. */
  file: string;
  time: number;
  data: JsonObject;
  parts: readonly JsonObject[];
  says: Says;
  /** The entry it comes from, for what has to be said about it. */
  entry: string;
}

/** Half characters, which no API takes, are replaced. */
export function* messageRecord(message: Message, clock: Clock): Generator<Written> {
  const { id, session, time } = message;
  const losses: Loss[] = [];
  const json = (value: JsonObject) => {
    const { json: text, isReplaced } = wholeJson(value);
    if (isReplaced && losses.length === 0)
      losses.push(loss("text_replaced", { entry: message.entry }, "half a character"));
    return text;
  };
  const times = { time_created: time, time_updated: time };
  const parts = message.parts.map((part) =>
    rowLine("part", { id: clock.id("prt"), message_id: id, session_id: session, ...times, data: json(part) }),
  );
  const bytes = `${rowLine("message", { id, session_id: session, ...times, data: json(message.data) }, parts)}\n`;
  for (const found of losses) yield { type: "loss", loss: found };
  yield { type: "record", file: message.file, bytes, says: message.says };
}
