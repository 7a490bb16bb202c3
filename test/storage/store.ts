// A small store to change, and pictures of it to compare.
import { type Dirent, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change } from "../../src/storage/changes.ts";
import { codeOf } from "../../src/storage/disk.ts";

export interface TestStore {
  /** The folder of the agent. */
  store: string;
  batonHome: string;
  main: string;
  /** A file that is there before. */
  index: string;
}

export const OLD_LINE = '{"id":"old"}\n';

/** Where everything of a test is, inside its private folder. */
export function placesIn(folder: string, store = join(folder, "store")): TestStore {
  return {
    store,
    batonHome: join(folder, "baton"),
    main: join(store, "projects", "a-b", "main.jsonl"),
    index: join(store, "index.jsonl"),
  };
}

export async function newStore(folder: string, store?: string): Promise<TestStore> {
  const places = placesIn(folder, store);
  await mkdir(places.store, { recursive: true });
  await writeFile(places.index, OLD_LINE);
  return places;
}

export const NEW_LINE = '{"id":"new"}\n';

/** A session with everything: a main file in several pieces, a subagent, a file beside, a line in an index. */
export async function* session({ store, main, index }: TestStore): AsyncGenerator<Change> {
  const { ino, size } = statSync(index);
  yield { type: "create", path: main, bytes: '{"line":1}\n' };
  yield { type: "create", path: main.replace(".jsonl", "/subagents/agent-1.jsonl"), bytes: '{"agent":1}\n' };
  yield { type: "append", path: index, inode: ino, size, bytes: NEW_LINE };
  yield { type: "create", path: main, bytes: Buffer.from('{"line":2,"text":"ü"}\n') };
  yield { type: "create", path: join(store, "results", "1.txt"), bytes: "" };
}

export const COMPLETE: Record<string, string> = {
  "index.jsonl": `${OLD_LINE}${NEW_LINE}`,
  "projects/a-b/main.jsonl": '{"line":1}\n{"line":2,"text":"ü"}\n',
  "projects/a-b/main/subagents/agent-1.jsonl": '{"agent":1}\n',
  "results/1.txt": "",
};

export const facts = { kind: "resume", agent: "some", originalId: "main", path: "elsewhere" };

/** Every name below a folder with its mode and content. */
export function picture(folder: string, below = ""): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    try {
      seen[name] = look(join(folder, name), entry);
      if (entry.isDirectory()) Object.assign(seen, picture(folder, name));
    } catch (error) {
      // Another process has just removed it.
      if (codeOf(error) !== "ENOENT") throw error;
      delete seen[name];
    }
  }
  return seen;
}

function look(path: string, entry: Dirent): string {
  if (entry.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return modeOf(path) + (entry.isFile() ? ` ${readFileSync(path, "latin1")}` : "");
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** The texts of all files. */
export function texts(folder: string): Record<string, string> {
  const files = Object.keys(picture(folder)).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
