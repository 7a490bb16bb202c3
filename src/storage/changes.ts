// What a write may do to a store. There is no change that rewrites or removes a native file.

export type Change =
  /** Bytes of a new file; several with one path follow each other. The file must not exist. */
  | { type: "create"; path: string; bytes: string | Uint8Array }
  /** Bytes after the end of an existing file, which must still have this inode and size. */
  | { type: "append"; path: string; inode: number; size: number; bytes: string | Uint8Array }
  | RowsChange;

/** New rows of a database, as lines (rows.ts). All of a database's are inserted in one transaction. */
export interface RowsChange {
  type: "rows";
  /** Names the lines that belong together; several with one path follow each other. */
  path: string;
  database: string;
  /** What `schemaOf` said of these tables when the rows were made: no other shape is written to. */
  schema?: { tables: readonly string[]; hash: string };
  /** Rows that are counted before and after: whoever adds one later has gone on with the session. */
  guards: readonly Guard[];
  bytes: string | Uint8Array;
  /** Does it by the vendor's own means instead. `file`: a name under which it may keep a file meanwhile. */
  insert?(lines: string, file: string): Promise<void>;
}

export interface Guard {
  table: string;
  column: string;
  value: string;
  /** How many there are before. */
  count: number;
}
