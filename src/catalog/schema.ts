// The tables of a shard. A shard holds some of the sessions with everything that is known of them, so that one
// transaction covers a session's row, its cursor, its usage and its words.

/** Another shape of the tables or another meaning of what is in them needs another number: shards are then made anew. */
export const SCHEMA_VERSION = 6;

export const SCHEMA = `
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  original_id TEXT NOT NULL,
  thread TEXT NOT NULL,
  path TEXT NOT NULL,
  /* Its files as they were when it was read to their end: empty when it was not. */
  stamp TEXT NOT NULL,
  files TEXT NOT NULL,
  size INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  created TEXT NOT NULL,
  provider TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  project TEXT NOT NULL,
  model TEXT NOT NULL,
  messages INTEGER NOT NULL,
  tokens TEXT,
  cost REAL,
  /* The record up to which the cost is that of the session; NULL = that of all of it. */
  cost_place INTEGER,
  problems TEXT NOT NULL,
  parent TEXT,
  links TEXT,
  /* Whether its words are in the index, as far as the cursor. */
  searchable INTEGER NOT NULL,
  /* Since when its native file is gone, in milliseconds. */
  gone INTEGER,
  /* A bit for each entry that the model does not see any more; NULL when that has to be looked at again. */
  hidden BLOB,
  UNIQUE (path, original_id, thread, agent)
);
/* Where reading goes on. Apart, because it is long, and a list is read from the rows above. */
CREATE TABLE cursor (session INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE INDEX session_by_project ON session (project);
CREATE INDEX session_by_id ON session (id);
CREATE INDEX session_by_time ON session (updated);
/* Databases of agents, as they were when all of their sessions were read. */
CREATE TABLE store (path TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
/* Whoever changes what a sync compares takes back that nothing has changed: walks.ts. */
CREATE TRIGGER session_added AFTER INSERT ON session BEGIN
  DELETE FROM store WHERE path IN ('walk list ' || NEW.agent, 'walk words ' || NEW.agent);
END;
CREATE TRIGGER session_changed AFTER UPDATE OF path, original_id, thread, stamp, parent, searchable, gone ON session BEGIN
  DELETE FROM store WHERE path IN ('walk list ' || NEW.agent, 'walk words ' || NEW.agent);
END;
CREATE TRIGGER session_dropped AFTER DELETE ON session BEGIN
  DELETE FROM store WHERE path IN ('walk list ' || OLD.agent, 'walk words ' || OLD.agent);
END;
CREATE TABLE usage (
  session INTEGER NOT NULL,
  /* The same in every copy of the message; # before it when only this session knows it by that. */
  message TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  time INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  /* The share of it that was kept for an hour, which costs more. */
  cache_write_hour INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  cost REAL,
  estimated INTEGER NOT NULL,
  /* The number of the record that it was first in. */
  place INTEGER NOT NULL,
  PRIMARY KEY (session, message)
) WITHOUT ROWID;
/* What each session cost, as of the note in store: usage/kept-costs.ts. */
CREATE TABLE cost (session INTEGER PRIMARY KEY, dollars REAL, kind TEXT, unpriced INTEGER NOT NULL);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  position INTEGER NOT NULL,
  /* The entry's id in the universal session. */
  entry TEXT NOT NULL,
  scope INTEGER NOT NULL,
  tool INTEGER,
  file INTEGER,
  /* Its native record: number, first byte, bytes. */
  record INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL
);
/* Which rows of entry and words are a session's. */
CREATE TABLE chunk (
  session INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  /* 1 = of a record behind the cursor, which will be read again. */
  passing INTEGER NOT NULL
);
CREATE INDEX chunk_by_session ON chunk (session);
/* Tools and paths of files, which entries refer to. */
CREATE TABLE name (key INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
/* Texts are folded before (words.ts): the tokenizer then only has to know ASCII. */
CREATE VIRTUAL TABLE words USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'ascii'
);
/* Segments are merged a little with each write; a merge of all that are there would stop an append for seconds.
   The hash holds the words of any batch (index/shares.ts), so that each is one segment. */
INSERT INTO words (words, rank) VALUES ('automerge', 16), ('crisismerge', 1000), ('hashsize', 33554432);
`;

/** The note in `store` that goes when anything is written: what `cost` is about. */
export const COSTS = "costs";

/** What a text in the index is, in the order of their numbers in `entry.scope`. */
export const SCOPES = ["prompt", "reply", "thinking", "tool_input", "tool_output", "context"] as const;
export type Scope = (typeof SCOPES)[number];
