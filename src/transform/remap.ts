// A repository that lives elsewhere now: absolute paths below its old folder are rewritten to the new one, where
// they are arguments of tools or fields of the session. What was said and printed stays as it was.
import { posix, win32 } from "node:path";
import { mapped } from "../session/batches.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry, ToolCall } from "../session/session.ts";
import type { Stream } from "../session/source.ts";

/** The old folder and the new one, both absolute. */
export type Move = readonly [from: string, to: string];

/** Losses are complete once the entries have been read, those of subagents included. */
export function remapped(stream: Stream, moves: readonly Move[]): Stream {
  if (moves.length === 0) return stream;
  const counts: Counts = new Map();
  const moved = movedStream(stream, mover(moves), counts);
  return {
    ...moved,
    get losses() {
      const count = [...counts.values()].reduce((sum, one) => sum + one, 0);
      return [...stream.losses, ...summary(count, moves)];
    },
  };
}

/** Where a path lies now. */
export function movedPath(path: string, moves: readonly Move[]): string {
  return mover(moves)(path) ?? path;
}

/** How many paths were rewritten, by session: a stream may be read more than once. */
type Counts = Map<string, number>;

interface Tally {
  count: number;
}

function movedStream(stream: Stream, move: Mover, counts: Counts): Stream {
  const { project, id } = stream.header;
  return {
    ...stream,
    header: { ...stream.header, project: { ...project, path: move(project.path) ?? project.path } },
    get losses() {
      return stream.losses;
    },
    entries: () => {
      const tally = { count: 0 };
      return mapped(stream.entries(), (batch) => {
        const entries = batch.map((entry) => movedEntry(entry, move, tally));
        counts.set(id, tally.count);
        return entries;
      });
    },
    async *children() {
      for await (const child of stream.children()) yield movedStream(child, move, counts);
    },
  };
}

function summary(count: number, moves: readonly Move[]): Loss[] {
  if (count === 0) return [];
  const folders = moves.map(([from, to]) => `${from} → ${to}`).join(", ");
  return [loss("paths_remapped", {}, `${count} path(s), ${folders}`)];
}

/** The new path; undefined for one that lies elsewhere. */
type Mover = (path: string) => string | undefined;

function mover(moves: readonly Move[]): Mover {
  // The folder that is further down wins.
  const ordered = moves.toSorted(([first], [second]) => second.length - first.length);
  return (path) => {
    for (const [from, to] of ordered) {
      const way = wayInside(from, path);
      if (way !== undefined) return joined(to, way);
    }
    return undefined;
  };
}

function isWindows(path: string): boolean {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(path);
}

/** From the folder to the path, as names; undefined when it does not lie inside. Windows ignores case. */
function wayInside(folder: string, path: string): string[] | undefined {
  if (isWindows(folder) !== isWindows(path)) return undefined;
  const rules = isWindows(folder) ? win32 : posix;
  if (!rules.isAbsolute(path)) return undefined;
  const way = rules.relative(folder, path);
  if (way === "") return [];
  const names = way.split(rules === win32 ? /[\\/]/ : "/");
  return rules.isAbsolute(way) || names[0] === ".." ? undefined : names;
}

function joined(folder: string, names: readonly string[]): string {
  return (isWindows(folder) ? win32 : posix).join(folder, ...names);
}

function movedEntry(entry: Entry, move: Mover, tally: Tally): Entry {
  if (entry.type !== "tool_call") return entry;
  const counted: Mover = (path) => {
    const now = move(path);
    if (now !== undefined) tally.count++;
    return now;
  };
  const input = movedValue(entry.input, "", counted);
  // The agent's own spelling of the same call is not counted again.
  const originalInput = movedInput(entry.originalInput, move);
  if (input === entry.input && originalInput === entry.originalInput) return entry;
  if (input === entry.input) tally.count++;
  return { ...entry, input: input as ToolCall["input"], originalInput };
}

/** Some agents keep the arguments as JSON in a string, or the whole patch as one. */
function movedInput(input: unknown, move: Mover): unknown {
  if (typeof input !== "string") return movedValue(input, "", move);
  if (input.trimStart().startsWith("*** Begin Patch")) return movedPatch(input, move);
  if (!input.trimStart().startsWith("{")) return input;
  try {
    const value: unknown = JSON.parse(input);
    const now = movedValue(value, "", move);
    return now === value ? input : JSON.stringify(now);
  } catch {
    // Arguments that are no JSON were never carried out.
    return input;
  }
}

/** Names of arguments that hold a path, or a list of them. */
const PATHS = /(?:path|file|dir|directory|folder|cwd|root)s?$/i;
const PATCHES: ReadonlySet<string> = new Set(["patch", "input", "patchText"]);

/** The same value when nothing in it has moved. */
function movedValue(value: unknown, name: string, move: Mover): unknown {
  if (typeof value === "string") {
    if (PATHS.test(name) || name === "to") return move(value) ?? value;
    return PATCHES.has(name) ? movedPatch(value, move) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => movedValue(item, name, move));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const fields = Object.entries(value);
  const now = fields.map(([key, field]) => [key, movedValue(field, key, move)] as const);
  return now.every(([, field], at) => field === fields[at]?.[1]) ? value : Object.fromEntries(now);
}

const HEADER = /^(\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+) )(.*?)(\t.*)?(\r?)$/gm;

function movedPatch(patch: string, move: Mover): string {
  return patch.replace(HEADER, (line, mark: string, path: string, rest = "", end = "") => {
    const now = move(path);
    return now === undefined ? line : `${mark}${now}${rest}${end}`;
  });
}
