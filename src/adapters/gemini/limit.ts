// Whether the account has reached a limit, as far as sessions tell: only in a terminal does the CLI write down what it
// said of one.
import { join } from "node:path";
import type { FileRef, Home, Limit } from "../adapter.ts";
import { entriesOf, fileRef } from "../folder.ts";
import type { Json } from "../json.ts";
import { limitIn, type Outcome, timeOf } from "../limit.ts";
import { endOfWait } from "../wait.ts";
import { piecesOf, recordOf } from "./native.ts";
import { stores } from "./paths.ts";
import { place } from "./place.ts";

export async function limit(home: Home, now: Date): Promise<Limit | undefined> {
  return limitIn(stores(home).flatMap(logsIn), now, { badge: place.badge, outcomeIn });
}

function logsIn(store: string): FileRef[] {
  return entriesOf(store).flatMap((project) => {
    const chats = join(store, project.name, "chats");
    return entriesOf(chats).flatMap(({ name }) =>
      /^session-.*\.jsonl$/.test(name) ? (fileRef(join(chats, name), "main") ?? []) : [],
    );
  });
}

const NOTICES = new Set<unknown>(["error", "warning", "info"]);
const LIMIT =
  /\b429\b|RESOURCE_EXHAUSTED|resource (?:has been )?exhausted|usage limit reached|exhausted your (?:daily |capacity)|quota (?:exceeded|will reset)|exceeded your current quota|reached your .{0,60}quota/i;

function outcomeIn(records: Iterable<Json>): Outcome | undefined {
  for (const value of records) {
    const record = recordOf(value);
    if (record?.type !== "message") continue;
    const { type, timestamp, content } = record.message;
    const at = timeOf(timestamp);
    if (at === undefined) continue;
    if (type === "gemini") return { at };
    const said = NOTICES.has(type) ? wordsOf(content) : "";
    if (LIMIT.test(said)) return { at, said, until: endOfWait(said, at) };
  }
  return undefined;
}

function wordsOf(content: unknown): string {
  return piecesOf(content)
    .flatMap(({ text }) => (typeof text === "string" ? text : []))
    .join(" ");
}
