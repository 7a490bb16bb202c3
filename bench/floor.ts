// What nothing that understands the stores can beat: reading every file of a home and parsing each line on one
// thread, and walking over the files without reading them.
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How many records there are. */
export function readEverything(home: string): number {
  let records = 0;
  for (const path of sessionFiles(home)) {
    if (path.endsWith(".db")) records += parseRows(path);
    else if (path.endsWith(".jsonl")) records += readBytes(path, true);
    else readBytes(path, false);
  }
  return records;
}

/** How many files there are, and how large they are together. */
export function statEverything(home: string): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const path of sessionFiles(home)) {
    bytes += statSync(path).size;
    files++;
  }
  return { files, bytes };
}

const STORES = [".claude/projects", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"];
const NAMES = /\.(?:jsonl|txt|db)$/;

function* sessionFiles(home: string): Generator<string> {
  for (const store of STORES) yield* filesIn(join(home, store));
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(path);
    else if (NAMES.test(entry.name)) yield path;
  }
}

const buffer = Buffer.allocUnsafeSlow(1 << 20);
const NOTHING = Buffer.alloc(0);
const NEWLINE = 10;

function readBytes(path: string, parses: boolean): number {
  const file = openSync(path, "r");
  let held: Buffer = NOTHING;
  let lines = 0;
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) break;
    if (!parses) continue;
    const chunk = buffer.subarray(0, length);
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      JSON.parse(bytes.toString("utf8", from, end));
      lines++;
      from = end + 1;
    }
    held = from < bytes.length ? Buffer.from(bytes.subarray(from)) : NOTHING;
  }
  closeSync(file);
  return lines;
}

function parseRows(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  let rows = 0;
  for (const table of ["message", "part"])
    for (const { data } of database.prepare(`SELECT data FROM ${table}`).iterate()) {
      JSON.parse(String(data));
      rows++;
    }
  database.close();
  return rows;
}
