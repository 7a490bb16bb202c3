// What the database says to whoever writes to it: whether its shape is one that was proven, which project a folder
// belongs to, how a session ends that is gone on with.
import { existsSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { schemaOf } from "../../storage/insert.ts";
import type { Onto, Target } from "../adapter.ts";
import { generationOf, reading } from "./database.ts";
import { columnObject, word } from "./native.ts";
import { databasePath } from "./paths.ts";

/** The tables that are written to. */
export const TABLES = ["project", "session", "message", "part", "todo"] as const;

/** Shapes, and the versions that were seen to resume from them. One is added once test/real has passed with it. */
const PROVEN_SCHEMAS: ReadonlyMap<string, readonly string[]> = new Map([
  ["43ea3a021fbe37bfac90c97d0780a96678414e0698f4073e400dc694e3625978", ["1.18.33"]],
]);

export function schemaIn(database: DatabaseSync): string {
  return schemaOf(database, TABLES);
}

/** Whether rows may be put into this database for that version: it might change the shape when it starts next. */
export function isProvenSchema(path: string, version: string): boolean {
  if (!existsSync(path)) return false;
  return reading(path, (database) => PROVEN_SCHEMAS.get(schemaIn(database))?.includes(version) ?? false);
}

/** Which versions rows are written for. */
export const PROVEN_VERSIONS: readonly string[] = [...new Set([...PROVEN_SCHEMAS.values()].flat())];

export interface Project {
  id: string;
  worktree: string;
  /** Whether the database has a row for it. */
  known: boolean;
}

/** Of no version control, or of one that OpenCode has not met: it moves such a session when it starts in its folder. */
const GLOBAL = "global";

export function projectOf(target: Target): Project {
  const path = databaseOf(target);
  const none = { id: GLOBAL, worktree: "/", known: false };
  if (!existsSync(path)) return none;
  return reading(path, (database) => {
    if (generationOf(database) !== "rows") return none;
    const all = database.prepare("SELECT id, worktree FROM project").all();
    const inside = all
      .map(({ id, worktree }) => ({ id: String(id), worktree: String(worktree), known: true }))
      .filter(({ id, worktree }) => id !== GLOBAL && isInside(worktree, target.cwd))
      .sort((a, b) => b.worktree.length - a.worktree.length);
    return inside[0] ?? { ...none, known: all.some(({ id }) => id === GLOBAL) };
  });
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

export function databaseOf({ home, onto }: Pick<Target, "home" | "onto">): string {
  return onto?.ref.path ?? databasePath(home);
}

/** What new messages of a session follow. */
export interface Ending {
  /** The newest prompt. */
  prompt: string | undefined;
  /** When its last message was made. */
  time: number;
  updated: number;
  messages: number;
  parts: number;
  todos: number;
  events: number;
  hasCall(id: string): boolean;
}

export function endingOf({ ref }: Onto): Ending {
  return reading(ref.path, (database) => {
    const id = ref.originalId;
    const session = database.prepare("SELECT * FROM session WHERE id = ?").get(id);
    if (!session)
      throw new BatonError("not_found", `${ref.path} holds no session ${id}.`, "List the sessions again.");
    if (word(session.revert) !== undefined) throw goneBack(id);
    const count = (table: string, column = "session_id") =>
      Number(database.prepare(`SELECT count(*) n FROM ${table} WHERE ${column} = ?`).get(id)?.n ?? 0);
    const last = database.prepare("SELECT max(time_created) t FROM message WHERE session_id = ?").get(id);
    const users = database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC",
    );
    let prompt: string | undefined;
    for (const { id: message, data } of users.iterate(id)) {
      if (columnObject(data).role !== "user") continue;
      prompt = String(message);
      break;
    }
    const calls = callsIn(database, id);
    return {
      prompt,
      time: Number(last?.t ?? 0),
      updated: Number(session.time_updated),
      messages: count("message"),
      parts: count("part"),
      todos: count("todo"),
      events: count("event", "aggregate_id"),
      hasCall: (call) => calls.has(call),
    };
  });
}

function callsIn(database: DatabaseSync, session: string): ReadonlySet<string> {
  const query = "SELECT json_extract(data, '$.callID') c FROM part WHERE session_id = ? AND json_valid(data)";
  const found = database.prepare(query).all(session);
  return new Set(found.flatMap(({ c }) => (typeof c === "string" ? [c] : [])));
}

function goneBack(id: string): BatonError {
  return new BatonError(
    "refused",
    `OpenCode went back in session ${id}: it removes everything behind that point with the next prompt.`,
    "Go on there first, or use `baton fork` to go on in a new session.",
  );
}

/** The model to go on with; the CLI fails on one that it does not know, so a guess is the last resort. */
export function modelFor(
  target: Target,
  fallback: { provider: string; model: string },
): { providerID: string; modelID: string } {
  const chosen = target.model ?? target.configuration.model ?? target.configuration.lastModel;
  const slash = chosen?.indexOf("/") ?? -1;
  if (chosen !== undefined && slash > 0)
    return { providerID: chosen.slice(0, slash), modelID: chosen.slice(slash + 1) };
  if (chosen !== undefined) return { providerID: fallback.provider, modelID: chosen };
  return { providerID: fallback.provider, modelID: fallback.model };
}
