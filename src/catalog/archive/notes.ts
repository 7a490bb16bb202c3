// What the archive says about itself. A note stands in a pack behind the frames that it names; the manifest is what
// all notes come to, in their order, so that it can be made anew from the packs.
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { statement } from "../../storage/statement.ts";

const file = z.object({
  /** Its path; for rows of a database with the session's id behind it. */
  name: z.string(),
  role: z.enum(["main", "subagent", "tool_result", "parent", "index"]),
  isRows: z.boolean(),
});

const version = z.object({
  name: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  inode: z.number(),
  /** How many lines of rows. */
  lines: z.number(),
  /** What was there before is not in it: that stays as an older version. */
  replaces: z.boolean(),
  /** How many frames of the version before are the beginning of this one. */
  keeps: z.number(),
  /** The frames behind them: hash, and how many bytes they hold. */
  frames: z.array(z.tuple([z.string(), z.number()])),
});

const identity = z.object({
  agent: z.string(),
  originalId: z.string(),
  thread: z.string(),
  path: z.string(),
});

const note = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session"),
    at: z.number(),
    session: identity.extend({
      parent: z.string().nullable(),
      updated: z.number(),
      /** Its files as they were found. */
      stamp: z.string(),
      /** What else its agent needs to bring it back. */
      facts: z.record(z.string(), z.string()),
    }),
    files: z.array(file),
    /** Of those files that changed. */
    versions: z.array(version),
  }),
  z.object({ type: z.literal("forget"), at: z.number(), sessions: z.array(identity) }),
]);

export type Note = z.infer<typeof note>;
export type SessionNote = Extract<Note, { type: "session" }>;
export type NoteFile = z.infer<typeof file>;
export type Version = z.infer<typeof version>;
export type Identity = z.infer<typeof identity>;

/** Undefined for a note of a later version of Baton. */
export function noteOf(text: string): Note | undefined {
  const found = note.safeParse(JSON.parse(text));
  return found.success ? found.data : undefined;
}

/** Inside a transaction. */
export function applyNote(database: DatabaseSync, found: Note): void {
  if (found.type === "forget") for (const one of found.sessions) forget(database, one);
  else remember(database, found);
}

function remember(database: DatabaseSync, { at, session, files, versions }: SessionNote): void {
  for (const one of versions) applyVersion(database, one, at);
  const { agent, originalId, thread, path, parent, updated, stamp, facts } = session;
  const { key } = statement(
    database,
    `INSERT INTO session (agent, original_id, thread, path, parent, updated, stamp, facts, archived)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path, original_id, thread, agent) DO UPDATE SET parent = excluded.parent,
         updated = excluded.updated, stamp = excluded.stamp, facts = excluded.facts, archived = excluded.archived,
         summary = NULL
       RETURNING key`,
  ).get(agent, originalId, thread, path, parent, updated, stamp, JSON.stringify(facts), at) as {
    key: number;
  };
  // A file that is gone from its bundle stays: nothing that was archived is lost.
  const link = statement(
    database,
    `INSERT INTO session_file (session, position, name, role, is_rows) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session, name) DO UPDATE SET position = excluded.position, role = excluded.role`,
  );
  for (const [position, { name, role, isRows }] of files.entries())
    link.run(key, position, name, role, isRows ? 1 : 0);
}

function applyVersion(database: DatabaseSync, one: Version, at: number): void {
  const current = statement(database, "SELECT key FROM file WHERE name = ? AND until IS NULL").get(one.name);
  const facts = [one.size, one.mtimeMs, one.inode, one.lines, at];
  let key = current === undefined ? undefined : Number(current.key);
  if (key !== undefined && one.replaces) {
    statement(database, "UPDATE file SET until = ? WHERE key = ?").run(at, key);
    key = undefined;
  }
  if (key === undefined) {
    const added = statement(
      database,
      "INSERT INTO file (name, size, mtime, inode, lines, since) VALUES (?, ?, ?, ?, ?, ?)",
    ).run(one.name, ...facts);
    key = Number(added.lastInsertRowid);
  } else {
    const update = "UPDATE file SET size = ?, mtime = ?, inode = ?, lines = ?, since = ? WHERE key = ?";
    statement(database, update).run(...facts, key);
    statement(database, "DELETE FROM part WHERE file = ? AND position >= ?").run(key, one.keeps);
  }
  applyParts(database, key, one);
}

function applyParts(database: DatabaseSync, file: number, { keeps, frames, size: whole }: Version): void {
  const last = statement(database, "SELECT start, size FROM part WHERE file = ? AND position = ?").get(
    file,
    keeps - 1,
  );
  let start = last === undefined ? 0 : Number(last.start) + Number(last.size);
  const frame = statement(database, "SELECT key FROM frame WHERE hash = ?");
  const part = statement(
    database,
    "INSERT INTO part (file, position, start, size, frame) VALUES (?, ?, ?, ?, ?)",
  );
  // The note that told of the frames before is lost, and they with it.
  if (keeps > 0 && last === undefined) {
    start = frames.reduce((rest, [, size]) => rest - size, whole);
    part.run(file, keeps - 1, 0, start, null);
  }
  for (const [at, [hash, size]] of frames.entries()) {
    // A frame that is not there any more: its file has a later version, or is damaged.
    const found = frame.get(Buffer.from(hash, "base64"));
    part.run(file, keeps + at, start, size, found === undefined ? null : Number(found.key));
    start += size;
  }
}

function forget(database: DatabaseSync, { agent, originalId, thread, path }: Identity): void {
  const found = statement(
    database,
    "SELECT key FROM session WHERE path = ? AND original_id = ? AND thread = ? AND agent = ?",
  ).get(path, originalId, thread, agent);
  if (!found) return;
  const key = Number(found.key);
  const names = statement(database, "SELECT name FROM session_file WHERE session = ?").all(key);
  statement(database, "DELETE FROM session WHERE key = ?").run(key);
  statement(database, "DELETE FROM session_file WHERE session = ?").run(key);
  for (const { name } of names) forgetFile(database, String(name));
}

/** Unless another session has the same file, such as the one that spawned it. */
function forgetFile(database: DatabaseSync, name: string): void {
  if (statement(database, "SELECT 1 FROM session_file WHERE name = ?").get(name)) return;
  statement(database, "DELETE FROM part WHERE file IN (SELECT key FROM file WHERE name = ?)").run(name);
  statement(database, "DELETE FROM file WHERE name = ?").run(name);
}
