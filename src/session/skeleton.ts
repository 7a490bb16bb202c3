// The skeleton of a session: per entry its id, type, parent, turn and call, in columns so that a million
// entries fit into memory. It decides order, branches, compaction and visibility without any content.
import type { Entry, EntryType } from "./session.ts";
import type { Run } from "./source.ts";

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
  /** No model ever sees it. */
  note(position: number): boolean;
  /** Position of the newest entry of the current branch, -1 when there is none. */
  readonly head: number;
  /** Position of an entry by id (the last one with that id), -1 when there is none. */
  find(id: string): number;
  /** Ids of the entries that a compaction at this position keeps visible. */
  keeps(position: number): readonly string[];
  /** Ids that occur more than once. */
  readonly duplicates: readonly string[];
  /** Parents that were named but are not there: [position, id]. */
  readonly dangling: readonly (readonly [number, string])[];
}

export interface SkeletonBuilder {
  add(entry: Entry, keepsRun?: Run): void;
  /** A record without an entry that others may follow, or (alias) another name of the entry `parent`. */
  link(id: string, parent: string | null, alias?: boolean): void;
  /** `unlessFollowed`: the last entry is the head if it is below the one named. */
  finish(head?: string, unlessFollowed?: boolean): Skeleton;
}

const ROOT = -1;
const INJECTED = 1;
const NOTE = 2;
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
  const table = newTable();
  const { ids, positions } = table;

  function parentOf(entry: Entry, position: number): number {
    if (entry.parent === undefined) return position - 1;
    if (entry.parent === null) return ROOT;
    const known = positions.get(entry.parent);
    if (known !== undefined) return known;
    table.openParents.set(position, entry.parent);
    return ROOT;
  }

  return {
    add(entry, keepsRun) {
      const position = ids.length;
      table.parents.push(parentOf(entry, position));
      if (positions.has(entry.id)) table.duplicates.push(entry.id);
      positions.set(entry.id, position);
      ids.push(entry.id);
      table.types.push(TYPES.indexOf(entry.type));
      table.turns.push(entry.turn === undefined ? -1 : number(table.turnNumbers, entry.turn));
      table.calls.push(callNumber(entry, table.callNumbers));
      table.flags.push((entry.injected ? INJECTED : 0) | (entry.note ? NOTE : 0));
      const kept = keepsRun ?? (entry.type === "compaction" ? entry.keeps : undefined);
      if (kept) table.keeps.set(position, kept);
    },
    link(id, parent, alias) {
      if (!alias) table.passed.add(id);
      const target = parent === null ? ROOT : positions.get(parent);
      if (target !== undefined) positions.set(id, target);
      else table.openLinks.set(id, parent as string);
    },
    finish: (head, unlessFollowed) => finish(table, head, unlessFollowed ?? false),
  };
}

/** What the builder gathers: columns by position, and what could not be resolved yet. */
function newTable() {
  return {
    ids: [] as string[],
    types: growable(),
    parents: growable(),
    turns: growable(),
    calls: growable(),
    flags: growable(),
    positions: new Map<string, number>(),
    turnNumbers: new Map<string, number>(),
    callNumbers: new Map<string, number>(),
    keeps: new Map<number, readonly string[] | Run>(),
    duplicates: [] as string[],
    /** Ids of records without an entry. */
    passed: new Set<string>(),
    /** Parents named before they were seen. */
    openParents: new Map<number, string>(),
    openLinks: new Map<string, string>(),
  };
}

type Table = ReturnType<typeof newTable>;

function finish(table: Table, head: string | undefined, unlessFollowed: boolean): Skeleton {
  const { ids, positions } = table;
  const parent = table.parents.finish();
  const dangling: [number, string][] = [];
  for (const [position, id] of table.openParents) {
    const target = resolve(table, id);
    if (target === undefined) dangling.push([position, id]);
    // A record whose parent is not in the file follows the one before it, as the agents themselves do.
    parent[position] = target ?? position - 1;
  }
  const type = table.types.finish();
  const turn = table.turns.finish();
  const call = table.calls.finish();
  const flag = table.flags.finish();
  // Only needed while entries come in, and large in a large session.
  table.turnNumbers.clear();
  table.callNumbers.clear();
  const named = head === undefined ? undefined : resolve(table, head);
  const last = ids.length - 1;
  const followed = unlessFollowed && named !== undefined && isBelow(parent, last, named);
  return {
    length: ids.length,
    id: (position) => ids[position] ?? "",
    type: (position) => TYPES[type[position] ?? 0] ?? "system",
    parent: (position) => parent[position] ?? ROOT,
    turn: (position) => turn[position] ?? -1,
    call: (position) => call[position] ?? -1,
    injected: (position) => ((flag[position] ?? 0) & INJECTED) !== 0,
    note: (position) => ((flag[position] ?? 0) & NOTE) !== 0,
    head: followed ? last : (named ?? last),
    find: (id) => positions.get(id) ?? ROOT,
    keeps: (position) => kept(table, parent, position),
    duplicates: table.duplicates,
    dangling,
  };
}

/** Follows links that named a later record until an entry is found. */
function resolve({ positions, openLinks }: Table, id: string): number | undefined {
  let target: string | undefined = id;
  for (let hops = 0; target !== undefined && hops <= openLinks.size; hops++) {
    const known = positions.get(target);
    if (known !== undefined) return known;
    target = openLinks.get(target);
  }
  return undefined;
}

function kept({ ids, keeps, passed, positions }: Table, parent: Int32Array, position: number): string[] {
  const find = (id: string) => (passed.has(id) ? ROOT : (positions.get(id) ?? ROOT));
  const named = keeps.get(position) ?? [];
  const found = "from" in named ? chain(parent, find(named.from), find(named.to)) : named.map(find);
  return found.filter((at) => at !== ROOT).map((at) => ids[at] as string);
}

/** Whether the second position is among the ancestors of the first, or the same. */
function isBelow(parent: Int32Array, position: number, ancestor: number): boolean {
  return chain(parent, ancestor, position)[0] === ancestor;
}

/** Positions from an ancestor down to one below it; none when it is not an ancestor. Damage can cause cycles. */
function chain(parent: Int32Array, from: number, to: number): number[] {
  const found: number[] = [];
  let at = to;
  for (let hops = 0; at !== ROOT && hops <= parent.length; hops++) {
    found.push(at);
    if (at === from) return found.reverse();
    at = parent[at] ?? ROOT;
  }
  return [];
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
  // Most sessions are short, and there are thousands of them.
  let values = new Int32Array(64);
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
