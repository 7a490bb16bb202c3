// Lets sessions of a home grow by about 10 KB, as agents do it, and takes it back afterwards.
import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync, utimesSync } from "node:fs";
import type { SessionRef } from "../src/adapters/adapter.ts";
import { makeProject, prose } from "./home/project.ts";
import { generator, uuid } from "./home/random.ts";

const random = generator(4711);
const project = makeProject(0);
const RECORDS = 5;
const TEXT = 1800;

/** Takes back what was added, so that the file has its bytes and its time again. */
export type TakeBack = () => void;

/** The word is in the last record that is added. */
export function append({ agent, path }: SessionRef, word: string): TakeBack {
  const { size, atime, mtime } = statSync(path);
  const records = agent === "claude" ? claudeRecords(path, word) : codexRecords(word);
  appendFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return () => {
    truncateSync(path, size);
    utimesSync(path, atime, mtime);
  };
}

function textsWith(word: string): string[] {
  return Array.from({ length: RECORDS }, (_, at) => {
    const text = prose(random, project, TEXT);
    return at === RECORDS - 1 ? `${text} ${word}` : text;
  });
}

function claudeRecords(path: string, word: string): object[] {
  let parentUuid = lastUuid(path);
  const timestamp = new Date().toISOString();
  return textsWith(word).map((content) => {
    const id = uuid(random);
    const record = {
      parentUuid,
      isSidechain: false,
      type: "user",
      message: { role: "user", content },
      uuid: id,
    };
    parentUuid = id;
    return { ...record, timestamp, userType: "external", cwd: project.path, version: "2.1.325" };
  });
}

const TAIL = 1 << 16;

function lastUuid(path: string): string | null {
  const { size } = statSync(path);
  const file = openSync(path, "r");
  const tail = Buffer.alloc(Math.min(TAIL, size));
  readSync(file, tail, 0, tail.length, size - tail.length);
  closeSync(file);
  return /.*"uuid":"([^"]+)"/s.exec(tail.toString("latin1"))?.[1] ?? null;
}

function codexRecords(word: string): object[] {
  const timestamp = new Date().toISOString();
  return textsWith(word).map((text) => ({
    timestamp,
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  }));
}
