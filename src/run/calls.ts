// Parallel calls one after the other: use 1, result 1, use 2, result 2, in the order in which they were made, each
// subagent for itself. What comes too early is held back, what never comes is made up for when the turn ends.

export interface Use {
  id: string;
  parent: string;
}

interface Waiting<U, R> {
  use: U;
  result?: R;
}

export type Ordered<U, R> = { use: U } | { result: R };

/** Results that came before their call; more than these are garbage. */
const MOST_EARLY = 100;
/** Calls that were answered, so that a second answer is noticed. */
const MOST_DONE = 1000;

export function newCalls<U extends Use, R>() {
  const queues = new Map<string, Waiting<U, R>[]>();
  const early = new Map<string, R>();
  const done = new Set<string>();

  /** Says all that can be said once the head of a queue has its result. */
  function* advance(parent: string): Generator<Ordered<U, R>> {
    const queue = queues.get(parent);
    for (let head = queue?.[0]; queue && head?.result !== undefined; head = queue[0]) {
      yield { result: head.result };
      remember(head.use.id);
      queue.shift();
      const next = queue[0];
      if (next) yield { use: next.use };
      else queues.delete(parent);
    }
  }

  function remember(id: string): void {
    done.add(id);
    const [oldest] = done;
    if (done.size > MOST_DONE && oldest !== undefined) done.delete(oldest);
  }

  function find(id: string): Waiting<U, R> | undefined {
    for (const queue of queues.values()) {
      const found = queue.find(({ use }) => use.id === id);
      if (found) return found;
    }
    return undefined;
  }

  return {
    /** Whether a call is under way: then an agent may be silent for long. */
    isBusy: () => queues.size > 0,
    isKnown: (id: string) => done.has(id) || find(id) !== undefined,
    *use(use: U): Generator<Ordered<U, R>> {
      if (done.has(use.id) || find(use.id)) return;
      const queue = queues.get(use.parent) ?? [];
      queues.set(use.parent, queue);
      const result = early.get(use.id);
      early.delete(use.id);
      queue.push({ use, ...(result !== undefined && { result }) });
      if (queue.length === 1) yield { use };
      yield* advance(use.parent);
    },
    *result(id: string, result: R): Generator<Ordered<U, R>> {
      if (done.has(id)) return;
      const waiting = find(id);
      if (waiting?.result !== undefined) return;
      if (waiting) {
        waiting.result = result;
        yield* advance(waiting.use.parent);
      } else if (early.size < MOST_EARLY) early.set(id, result);
    },
    /** Ends everything: calls without a result get this one. Returns results that no call ever came for. */
    *close(missing: (use: U) => R): Generator<Ordered<U, R>, R[]> {
      for (const parent of [...queues.keys()].toReversed()) {
        for (const one of queues.get(parent) ?? []) one.result ??= missing(one.use);
        yield* advance(parent);
      }
      const strangers = [...early.values()];
      early.clear();
      return strangers;
    },
  };
}
