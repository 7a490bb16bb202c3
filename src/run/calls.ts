// Parallel calls one after the other: use 1, result 1, use 2, result 2, in the order in which they were made, each
// subagent for itself. What comes too early is held back, what never comes is made up for when the agent has gone on
// without it or the turn ends. An id stands for one call of a turn; a later turn may use it again.

export interface Use {
  id: string;
  parent: string;
}

interface Waiting<U, R> {
  use: U;
  isSaid: boolean;
  result?: R;
}

export type Ordered<U, R> = { use: U } | { result: R };

/** Results that came before their call; more than these are garbage. */
const MOST_EARLY = 100;
/** Answered calls behind one that is not: whoever makes more has gone on without it. */
const MOST_BEHIND = 30;
/** And so many calls at once are not kept, answered or not. */
const MOST_WAITING = 1000;
/** Calls that were answered, so that a second answer is noticed. */
const MOST_DONE = 1000;

export class Calls<U extends Use, R> {
  private readonly queues = new Map<string, Waiting<U, R>[]>();
  /** The same by id. */
  private readonly waiting = new Map<string, Waiting<U, R>>();
  private readonly early = new Map<string, R>();
  private readonly done = new Set<string>();
  /** Those of turns before: nobody waits for an answer any more. */
  private readonly past = new Set<string>();
  /** Where the agent has spoken with the result of a later call known, so that nothing comes for the first any more. */
  private readonly overdue = new Set<string>();
  /** Calls whose result was made up, though it may come yet. */
  private readonly madeUp = new Set<string>();
  private readonly missing: (use: U) => R;

  constructor(missing: (use: U) => R) {
    this.missing = missing;
  }

  /** Whether a call is under way: then an agent may be silent for long. */
  get isBusy(): boolean {
    return this.queues.size > 0;
  }

  /** Somebody acts for this call, a subagent. */
  *named(id: string | undefined): Generator<Ordered<U, R>> {
    const found = id === undefined ? undefined : this.waiting.get(id);
    if (found) yield* this.announce(found);
  }

  /** The agent says something: a new message, unless it began before its calls. */
  spoken(parent: string): void {
    const [, ...later] = this.queues.get(parent) ?? [];
    if (later.some(({ result }) => result !== undefined)) this.overdue.add(parent);
  }

  *use(use: U): Generator<Ordered<U, R>> {
    if (this.done.has(use.id) || this.waiting.has(use.id)) return;
    yield* this.leaveOverdue(use.parent);
    const queue = this.queues.get(use.parent) ?? [];
    this.queues.set(use.parent, queue);
    const result = this.early.get(use.id);
    this.early.delete(use.id);
    const one = { use, isSaid: false, ...(result !== undefined && { result }) };
    queue.push(one);
    this.waiting.set(use.id, one);
    if (queue.length === 1) yield* this.announce(one);
    yield* this.advance(use.parent);
  }

  *result(id: string, result: R): Generator<Ordered<U, R>> {
    const waiting = this.waiting.get(id);
    if (waiting?.result !== undefined) return;
    if (waiting) {
      waiting.result = result;
      yield* this.advance(waiting.use.parent);
      return;
    }
    const isAnswered = this.done.has(id) || this.past.has(id);
    if (this.madeUp.delete(id) || (!isAnswered && this.early.size < MOST_EARLY)) this.early.set(id, result);
  }

  /** Ends everything: calls without a result get one. Returns results that no call ever came for. */
  *close(): Generator<Ordered<U, R>, R[]> {
    for (const parent of [...this.queues.keys()].toReversed()) {
      for (const one of this.queues.get(parent) ?? []) one.result ??= this.missing(one.use);
      yield* this.advance(parent);
    }
    const strangers = [...this.early.values()];
    for (const id of this.done) remember(this.past, id);
    for (const kept of [this.early, this.done, this.overdue, this.madeUp]) kept.clear();
    return strangers;
  }

  private *leaveOverdue(parent: string): Generator<Ordered<U, R>> {
    const queue = this.queues.get(parent) ?? [];
    const [head] = queue;
    const isOverdue = this.overdue.delete(parent) || isFull(queue);
    if (!isOverdue || !head) return;
    head.result = this.missing(head.use);
    remember(this.madeUp, head.use.id);
    yield* this.advance(parent);
  }

  /** Says all that can be said once the head of a queue has its result. */
  private *advance(parent: string): Generator<Ordered<U, R>> {
    const queue = this.queues.get(parent);
    for (let head = queue?.[0]; queue && head?.result !== undefined; head = queue[0]) {
      yield { result: head.result };
      remember(this.done, head.use.id);
      this.waiting.delete(head.use.id);
      this.overdue.delete(parent);
      queue.shift();
      const [next] = queue;
      if (next) yield* this.announce(next);
      else this.queues.delete(parent);
    }
  }

  private *announce(one: Waiting<U, R>): Generator<Ordered<U, R>> {
    if (one.isSaid) return;
    // Before it is said, because what is said of it may name it.
    one.isSaid = true;
    yield { use: one.use };
  }
}

function isFull(queue: readonly { result?: unknown }[]): boolean {
  return (
    queue.length > MOST_BEHIND &&
    (queue.length > MOST_WAITING || queue.filter(({ result }) => result !== undefined).length > MOST_BEHIND)
  );
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MOST_DONE && oldest !== undefined) ids.delete(oldest);
}
