// What the CLI's clean-up goes by (0.61.0): the time that stands in the file, never the file's own. A file that it
// cannot resume goes at its next start, however new it is.
import { START } from "../../storage/position.ts";
import type { Configuration, SessionRef } from "../adapter.ts";
import { filled, type Json } from "../json.ts";
import {
  contextName,
  isLeftOut,
  listIn,
  type Message,
  membersOf,
  opening,
  recordOf,
  toolCallsOf,
} from "./native.ts";
import { recordsOf } from "./open.ts";

/** Undefined when there is nothing in it that the CLI would resume. */
export async function lastUsed({ path }: SessionRef): Promise<number | undefined> {
  let metadata: Json = {};
  const messages = new Map<string, boolean>();
  const add = (message: Message) => messages.set(message.id, isResumable(message));
  for await (const batch of recordsOf(path, { from: START }))
    for (const { value } of batch) {
      const record = recordOf(value);
      if (record?.type === "rewind") takeBack(messages, record.to);
      else if (record?.type === "message") add(record.message);
      else if (record) metadata = { ...metadata, ...(record.type === "set" ? record.set : record.metadata) };
      const held = record && listIn(record);
      if (held?.replaces) messages.clear();
      for (const [, message] of membersOf(held?.list)) add(message);
    }
  const isKept = filled(metadata.sessionId) !== undefined && [...messages.values()].includes(true);
  if (!isKept) return undefined;
  const time = Date.parse(filled(metadata.lastUpdated) ?? "");
  // Without a time that it understands the CLI takes it for new, each time.
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** The message and all behind it; all of them where it is not known. */
function takeBack(messages: Map<string, boolean>, to: string): void {
  const ids = [...messages.keys()];
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id);
}

function isResumable(message: Message): boolean {
  const { type, content, thoughts } = message;
  if (type === "user") return !isLeftOut(content) && contextName(content) === undefined;
  const isSaid = (Array.isArray(thoughts) && thoughts.length > 0) || toolCallsOf(message).length > 0;
  return type === "gemini" && (isSaid || opening(content) !== "");
}

/** How long the CLI keeps sessions unless it is told otherwise. */
const RETENTION_DAYS = 30;
const LEAST_DAYS = 1;
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/** What the settings come to. A rule that does not make sense to it turns the clean-up off. */
export function retentionOf(rule: Json): Pick<Configuration, "retentionDays" | "retentionCount"> {
  const { enabled, maxAge, maxCount, minRetention } = rule;
  const days = maxAge === undefined ? RETENTION_DAYS : daysIn(maxAge);
  const isCounted = maxCount !== undefined;
  const isWrong =
    (maxAge !== "" && (days === undefined || days < (daysIn(minRetention) ?? LEAST_DAYS))) ||
    (isCounted && !(typeof maxCount === "number" && maxCount >= 1));
  if (enabled === false || isWrong) return {};
  // The newest of a project; the one that is running counts as well.
  return {
    ...(days !== undefined && { retentionDays: days }),
    ...(typeof maxCount === "number" && { retentionCount: maxCount }),
  };
}

function daysIn(period: unknown): number | undefined {
  const [, count = "0", unit = "d"] = /^(\d+)([hdwm])$/.exec(filled(period) ?? "") ?? [];
  return Number(count) * (DAYS[unit] ?? 1) || undefined;
}
