// The skeleton of a session: per entry its id, type, parent, turn and call, in columns so that a million
// entries fit into memory. It decides order, branches, compaction and visibility without any content.
import type { Entry, EntryType } from "./session.ts";

export interface Skeleton {
  readonly length: number;
  id(position: number): string;
  type(position: number): EntryType;
  /** Position of the entry this one follows, -1 at the start of a thread. */
  parent(position: number): number;
  /** A number shared by the entries of one model message, -1 for none. */
  turn(position: number): number;
  /** For a call or a result: a number shared by the two, -1 for others. */
  call(position: number): number;
  injected(position: number): boolean;
  /** Position of the newest entry of the current branch, -1 when there is none. */
  readonly head: number;
  /** Position of an entry by id (the last one with that id), -1 when there is none. */
  find(id: string): number;
  /** Ids that a compaction at this position keeps visible. */
  keeps(position: number): readonly string[];
  /** Ids that occur more than once. */
  readonly duplicates: readonly string[];
  /** Parents that were named but are not there: [position, id]. */
  readonly dangling: readonly (readonly [number, string])[];
}

export interface SkeletonBuilder {
  add(entry: Entry): void;
  /** A record without an entry that others may follow. */
  link(id: string, parent: string | null): void;
  finish(head?: string): Skeleton;
}

const ROOT = -1;
const TYPES: readonly EntryType[] = [
  "user",
  "assistant",
  "tool_call",
  "tool_result",
  "system",
  "switch",
  "compaction",
];

export function skeletonBuilder(): SkeletonBuilder {
  const ids: string[] = [];
  const types = growable();
  const parents = growable();
  const turns = growable();
  const calls = growable();
  const injected = growable();
  const positions = new Map<string, number>();
  const turnNumbers = new Map<string, number>();
  const callNumbers = new Map<string, number>();
  const keeps = new Map<number, readonly string[]>();
  const duplicates: string[] = [];
  /** Parents named before they were seen. */
  const openParents = new Map<number, string>();
  const openLinks = new Map<string, string>();

  function parentOf(entry: Entry, position: number): number {
    if (entry.parent === undefined) return position - 1;
    if (entry.parent === null) return ROOT;
    const known = positions.get(entry.parent);
    if (known !== undefined) return known;
    openParents.set(position, entry.parent);
    return ROOT;
  }

  /** Follows links that named a later record until an entry is found. */
  function resolve(id: string): number | undefined {
    let target: string | undefined = id;
    for (let hops = 0; target !== undefined && hops <= openLinks.size; hops++) {
      const known = positions.get(target);
      if (known !== undefined) return known;
      target = openLinks.get(target);
    }
    return undefined;
  }

  return {
    add(entry) {
      const position = ids.length;
      parents.push(parentOf(entry, position));
      if (positions.has(entry.id)) duplicates.push(entry.id);
      positions.set(entry.id, position);
      ids.push(entry.id);
      types.push(TYPES.indexOf(entry.type));
      turns.push(entry.turn === undefined ? -1 : number(turnNumbers, entry.turn));
      calls.push(callNumber(entry, callNumbers));
      injected.push(entry.injected ? 1 : 0);
      if (entry.type === "compaction" && entry.keeps) keeps.set(position, entry.keeps);
    },
    link(id, parent) {
      const target = parent === null ? ROOT : positions.get(parent);
      if (target !== undefined) positions.set(id, target);
      else openLinks.set(id, parent as string);
    },
    finish(head) {
      const parent = parents.finish();
      const dangling: [number, string][] = [];
      for (const [position, id] of openParents) {
        const target = resolve(id);
        if (target === undefined) dangling.push([position, id]);
        // A record whose parent is not in the file follows the one before it, as the agents themselves do.
        parent[position] = target ?? position - 1;
      }
      const type = types.finish();
      const turn = turns.finish();
      const call = calls.finish();
      const isInjected = injected.finish();
      return {
        length: ids.length,
        id: (position) => ids[position] ?? "",
        type: (position) => TYPES[type[position] ?? 0] ?? "system",
        parent: (position) => parent[position] ?? ROOT,
        turn: (position) => turn[position] ?? -1,
        call: (position) => call[position] ?? -1,
        injected: (position) => isInjected[position] === 1,
        head: (head === undefined ? undefined : resolve(head)) ?? ids.length - 1,
        find: (id) => positions.get(id) ?? -1,
        keeps: (position) => keeps.get(position) ?? [],
        duplicates,
        dangling,
      };
    },
  };
}

function number(known: Map<string, number>, id: string): number {
  let value = known.get(id);
  if (value === undefined) {
    value = known.size;
    known.set(id, value);
  }
  return value;
}

function callNumber(entry: Entry, known: Map<string, number>): number {
  if (entry.type === "tool_call") return number(known, entry.id);
  if (entry.type === "tool_result") return number(known, entry.callId);
  return -1;
}

/** A column of integers that doubles as it fills. */
function growable() {
  let values = new Int32Array(1024);
  let length = 0;
  return {
    push(value: number) {
      if (length === values.length) {
        const larger = new Int32Array(length * 2);
        larger.set(values);
        values = larger;
      }
      values[length++] = value;
    },
    finish: () => values.subarray(0, length),
  };
}
