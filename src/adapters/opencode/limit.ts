// Whether an account has reached a limit, by the newest messages of the database: today's CLI asks again by itself and
// writes a refusal down only when it has given up.
import type { DatabaseSync } from "node:sqlite";
import type { Home, Limit } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { limitOf, OLDEST_MS, type Outcome, ownRecords } from "../limit.ts";
import { endOfWait } from "../wait.ts";
import { generationOf, reading } from "./database.ts";
import { switchPart } from "./messages.ts";
import { columnObject, count, type JsonObject, objectOf, word } from "./native.ts";
import { databasePath } from "./paths.ts";
import { place } from "./place.ts";

/** Not those of subagents: where they were carried in, no mark of a switch stands in them. */
const SESSIONS =
  "SELECT id FROM session WHERE time_updated > ? AND parent_id IS NULL ORDER BY time_updated DESC LIMIT 5";
/** As many as another agent may have added since this one was asked. */
const MESSAGES =
  "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 500";
const PARTS =
  "SELECT data FROM part WHERE message_id = ? AND octet_length(data) < 65536 ORDER BY id DESC LIMIT 50";

export async function limit(home: Home, now: Date): Promise<Limit | undefined> {
  const path = databasePath(home);
  if (!fileRef(path, "main")?.size) return undefined;
  try {
    return limitOf(
      reading(path, (database) => (generationOf(database) === "rows" ? outcomesIn(database, now) : [])),
      now,
    );
  } catch {
    // Damaged, or held by a process that changes it: then it says nothing of a limit.
    return undefined;
  }
}

function outcomesIn(database: DatabaseSync, now: Date): Outcome[] {
  const sessions = database.prepare(SESSIONS).all(now.getTime() - OLDEST_MS);
  return sessions.flatMap(({ id }) => outcomeOf(database, String(id)) ?? []);
}

interface Message {
  id: string;
  data: JsonObject;
}

function* messagesOf(database: DatabaseSync, session: string): Generator<Message> {
  for (const { id, data } of database.prepare(MESSAGES).iterate(session))
    yield { id: String(id), data: columnObject(data) };
}

function outcomeOf(database: DatabaseSync, session: string): Outcome | undefined {
  const switchOf = (message: Message) => switchedBy(database, message);
  for (const { id, data } of ownRecords(messagesOf(database, session), place.badge, switchOf)) {
    const { role, time, error } = data;
    if (role !== "assistant") continue;
    const { created, completed } = objectOf(time);
    const at = count(completed) ?? count(created);
    if (at === undefined) continue;
    const refused = refusal(objectOf(error), at) ?? retried(database, id);
    if (refused) return refused;
    if (error === undefined && completed !== undefined) return { at };
  }
  return undefined;
}

/** The mark is a part of a message of the user's. */
function switchedBy(database: DatabaseSync, { id, data }: Message): ReturnType<typeof switchPart> {
  if (data.role !== "user") return undefined;
  const made = partsOf(database, id).map(switchPart);
  return made.find((one) => one !== undefined);
}

function partsOf(database: DatabaseSync, message: string): JsonObject[] {
  return database
    .prepare(PARTS)
    .all(message)
    .map(({ data }) => columnObject(data));
}

/** Versions that note down each attempt: what the last one was told, unless the reply came after all. */
function retried(database: DatabaseSync, message: string): Outcome | undefined {
  for (const { type, error, time } of partsOf(database, message)) {
    const at = count(objectOf(time).created);
    if (type === "text" || type === "tool" || type === "step-finish") return undefined;
    if (type === "retry" && at !== undefined) return refusal(objectOf(error), at);
  }
  return undefined;
}

const LIMIT =
  /\b429\b|rate limit|too many requests|usage limit|insufficient_quota|exceeded your current quota/i;

function refusal({ data, message }: JsonObject, at: number): Outcome | undefined {
  const facts = objectOf(data);
  const said = word(facts.message) ?? word(message) ?? "";
  if (count(facts.statusCode) !== 429 && !LIMIT.test(said)) return undefined;
  const until = retryAfter(objectOf(facts.responseHeaders), at) ?? endOfWait(said, at);
  return { at, said: said || "429", until };
}

function retryAfter(headers: JsonObject, at: number): number | undefined {
  const milliseconds = Number(word(headers["retry-after-ms"]) ?? Number.NaN);
  if (!Number.isNaN(milliseconds)) return at + milliseconds;
  const stated = word(headers["retry-after"]);
  if (stated === undefined) return undefined;
  const time = /^\d+(?:\.\d+)?$/.test(stated) ? at + Number(stated) * 1000 : Date.parse(stated);
  return Number.isNaN(time) ? undefined : time;
}
