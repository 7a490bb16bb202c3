// The list of messages as the CLI would have it after each line of the log, as a tree: what was taken back stays
// on a branch of its own, and a list whose beginning was rewritten is a compaction.

/** A message as far as the survey needs it. */
export interface Seen {
  id: string;
  record: number;
  /** Where it stands in a list, -1 on a line of its own. */
  place: number;
  /** The same for two versions that tell a model the same. */
  print: string;
  /** By call, a print of what was answered: to the calls made here or, on its own, to earlier ones. */
  answers: ReadonlyMap<string, string>;
  /** The model is told of it. Notes and context are not; results on their own belong to the calls before them. */
  isSpoken: boolean;
  /** It has entries. */
  isShown: boolean;
  isContext: boolean;
}

export interface Node extends Seen {
  /** The spoken message before it. */
  before: Point | undefined;
}

/** A list that took the place of the history. */
export interface Compacted {
  record: number;
  before: Point | undefined;
  /** The spoken messages of the list, in order. */
  members: readonly Seen[];
  /** How many of them, at the end, are messages that were there before. */
  kept: readonly Node[];
  /** Up to which place of the list everything is new. */
  until: number;
}

/** What a message can follow. */
export type Point = Node | Compacted;

export const isNode = (point: Point | undefined): point is Node => point !== undefined && "id" in point;

export interface Finished {
  nodes: readonly Node[];
  compactions: readonly Compacted[];
  /** The newest of what the model would be told. */
  tail: Point | undefined;
  /** Lines whose message another version took the place of, or that say nothing new. */
  dropped: readonly number[];
}

export function newHistory() {
  const log: Log = { nodes: [], compactions: [], known: new Map(), dropped: [] };
  /** The list is what a compaction left, and what came after it. */
  let base: Compacted | undefined;
  let after = new Map<string, Node>();
  let tail: Point | undefined;

  const append = (message: Seen) => {
    const node = appended(log, message, tail);
    after.set(node.id, node);
    if (node.isSpoken) tail = node;
  };

  return {
    add(message: Seen): void {
      const there = after.get(message.id) ?? base?.kept.find(({ id }) => id === message.id);
      if (!there) append(message);
      else if (updated(log, there, message) && tail === there.before) tail = there;
      if (isNode(tail) && !message.isSpoken) tail.answers = joined(tail.answers, message.answers);
    },

    rewind(to: string): void {
      const inBase = base?.members.findIndex(({ id }) => id === to) ?? -1;
      if (after.has(to)) {
        const ids = [...after.keys()];
        for (const id of ids.slice(ids.indexOf(to))) after.delete(id);
      } else {
        // The CLI clears everything when it does not find the message.
        base = base && inBase > 0 ? shortened(log, base, inBase) : undefined;
        after.clear();
      }
      tail = [...after.values()].findLast(({ isSpoken }) => isSpoken) ?? base;
    },

    replace(list: readonly Seen[], record: number): void {
      const whole = withAnswers(list);
      const spoken = whole.filter(({ isSpoken }) => isSpoken);
      const known = knownPath(log, spoken);
      after = new Map();
      base = known.base;
      const isNew = known.count === 0 && spoken.length > 0 && tail !== undefined;
      const isRewritten = isNew || spoken.slice(known.count).some((one) => isKnown(log, one));
      if (isRewritten) {
        base = compacted(log, spoken, record, tail);
        tail = base;
        return;
      }
      tail = known.point;
      let count = 0;
      let answered: Seen["answers"] = new Map();
      for (const [at, one] of whole.entries()) {
        if (one.isSpoken) count++;
        // What a compaction left is known already, results on their own included.
        if (base && count <= base.members.length) continue;
        const node = log.known.get(one.id);
        const stays = one.isSpoken ? count <= known.count : node !== undefined;
        if (stays && node) after.set(one.id, node);
        else append(isRepeated(one, answered) ? { ...one, isShown: false } : one);
        if (one.isSpoken) answered = (stays ? node : list[at])?.answers ?? new Map();
      }
    },

    finish: (): Finished => ({ ...log, tail }),
  };
}

interface Log {
  nodes: Node[];
  compactions: Compacted[];
  /** The newest version of every message there ever was. */
  known: Map<string, Node>;
  dropped: number[];
}

function appended(log: Log, message: Seen, before: Point | undefined): Node {
  const earlier = log.known.get(message.id);
  if (earlier) supersede(log, earlier);
  const node: Node = { ...message, before };
  log.nodes.push(node);
  log.known.set(node.id, node);
  if (!node.isShown) supersede(log, node);
  return node;
}

function supersede({ dropped }: Log, node: Node): void {
  node.isShown = false;
  if (node.place === -1) dropped.push(node.record);
}

/** The same message again, in a later version. Returns whether it has only now become one that is sent. */
function updated(log: Log, node: Node, message: Seen): boolean {
  // Context is made anew in every run, and the first is as good as any.
  if (node.isContext) {
    supersede(log, { ...message, before: undefined });
    return false;
  }
  const { before, isSpoken } = node;
  supersede(log, node);
  Object.assign(node, message, { before });
  if (!node.isShown) supersede(log, node);
  return node.isSpoken && !isSpoken;
}

/** How far a list is the history as it is known: from a compaction or from the start. */
function knownPath(log: Log, spoken: readonly Seen[]) {
  const base = log.compactions.findLast(({ members }) => startsWith(spoken, members));
  let point: Point | undefined = base;
  let count = base?.members.length ?? 0;
  for (; count < spoken.length; count++) {
    const one = spoken[count] as Seen;
    const node = log.known.get(one.id);
    if (!node || !isKnown(log, one) || node.before !== point) break;
    point = node;
  }
  return { base, point, count };
}

function isKnown({ known }: Log, one: Seen): boolean {
  const node = known.get(one.id);
  return node?.isShown === true && node.print === one.print && isSame(node.answers, one.answers);
}

function startsWith(spoken: readonly Seen[], members: readonly Seen[]): boolean {
  return members.every(({ id, print }, at) => spoken[at]?.id === id && spoken[at]?.print === print);
}

function compacted(log: Log, members: readonly Seen[], record: number, before: Point | undefined): Compacted {
  const last = members.findLastIndex((one) => !isKnown(log, one));
  const kept = members.slice(last + 1).map(({ id }) => log.known.get(id) as Node);
  const until = members[last + 1]?.place ?? Number.POSITIVE_INFINITY;
  const made = { record, before, members, kept, until };
  log.compactions.push(made);
  return made;
}

/** The first messages of a compaction, after the others were taken back. */
function shortened(log: Log, whole: Compacted, count: number): Compacted {
  const fresh = whole.members.length - whole.kept.length;
  const until = Math.min(whole.until, whole.members[count]?.place ?? whole.until);
  const kept = whole.kept.slice(0, Math.max(0, count - fresh));
  const made = { ...whole, members: whole.members.slice(0, count), kept, until };
  log.compactions.push(made);
  return made;
}

/** Results on their own, with the message that made the calls. */
function withAnswers(list: readonly Seen[]): Seen[] {
  const found: Seen[] = [];
  let last = -1;
  for (const one of list) {
    const maker = found[last];
    if (one.isSpoken) last = found.length;
    else if (maker) found[last] = { ...maker, answers: joined(maker.answers, one.answers) };
    found.push(one);
  }
  return found;
}

function joined(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) {
  return other.size === 0 ? one : new Map([...other, ...one]);
}

/** Results that are on record with their calls already. */
function isRepeated({ isSpoken, answers }: Seen, known: Seen["answers"]): boolean {
  return !isSpoken && answers.size > 0 && [...answers.keys()].every((id) => known.has(id));
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  for (const [call, print] of other) if (one.get(call) !== print) return false;
  return one.size === other.size;
}
