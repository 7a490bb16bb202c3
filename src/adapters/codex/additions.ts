// Entries that were put into a session of Codex's own, written in their place between its records.
import type { Entry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Target, Written } from "../adapter.ts";
import { closeTurn, newWriting, writeEntry } from "./compose.ts";
import { gathered } from "./exchange.ts";
import { callIds } from "./ids.ts";
import { lines } from "./lines.ts";
import { isObject, type JsonObject, objects, SWITCH_EVENT, text } from "./native.ts";
import type { Survey } from "./survey.ts";

/** Where in the file they come. */
export interface Place {
  isPaginated: boolean;
  /** The ordinal that was written last. */
  ordinal: number;
  /** The turn that is going on. */
  turn: string | undefined;
}

export interface Additions {
  isEmpty(): boolean;
  /** A record has gone by: what comes after it is due. */
  passed(record: number): void;
  /** Writes what is due. */
  write(place: Place): AsyncIterable<Written>;
}

export function additions(
  stream: Stream,
  target: Target,
  survey: Survey,
  added: ReadonlyMap<number, readonly Entry[]>,
): Additions {
  const thread = { id: target.originalId, file: "main", meta: {}, agents: new Map<string, string>() };
  const writing = { ...newWriting(stream, target, thread), calls: callIds(survey.hasCall) };
  const due: Entry[] = [...(added.get(-1) ?? [])];
  return {
    isEmpty: () => due.length === 0,
    passed: (record) => void due.push(...(added.get(record) ?? [])),
    async *write({ isPaginated, ordinal, turn }) {
      writing.out = lines("main", target.originalId, target.now, ordinal + 1);
      writing.turn = turn;
      writing.inside = turn !== undefined;
      const entries = due.splice(0);
      const pieces: Written[] = [];
      for await (const group of gathered(from(entries)))
        for (const entry of group.entries) {
          writing.out.at(entry.timestamp);
          writeEntry(writing, entry, group.results, pieces);
        }
      if (turn === undefined) closeTurn(writing, pieces);
      for (const written of pieces) yield* inStyle(written, isPaginated);
    },
  };
}

async function* from(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

/** Legacy rollouts have no ordinals and show messages by events of their own. */
export function* inStyle(written: Written, isPaginated: boolean): Generator<Written> {
  if (isPaginated || written.type === "loss" || written.file !== "main") {
    yield written;
    return;
  }
  const { ordinal: _, ...line } = JSON.parse(String(written.bytes)) as JsonObject;
  const payload = line.type === "event_msg" ? legacyEvent(line.payload) : line.payload;
  if (payload) yield { ...written, bytes: `${JSON.stringify({ ...line, payload })}\n` };
}

function legacyEvent(payload: unknown): JsonObject | undefined {
  if (isObject(payload) && payload.type === SWITCH_EVENT) return payload;
  if (!isObject(payload) || !isObject(payload.item)) return undefined;
  const { item } = payload;
  const message = objects(item.content)
    .flatMap((part) => text(part.text) ?? [])
    .join("\n");
  if (item.type === "UserMessage") return { type: "user_message", message, images: [] };
  return item.type === "AgentMessage" ? { type: "agent_message", message } : undefined;
}
