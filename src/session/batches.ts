// Streams that are handed on in batches. A promise for each item costs more than most items do, so whatever is
// hot passes arrays along; everybody else sees single items and need not know.

export type Batches<T> = AsyncIterable<readonly T[]>;

class Batched<T> implements AsyncIterable<T> {
  readonly batches: () => Batches<T>;

  constructor(batches: () => Batches<T>) {
    this.batches = batches;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.batches()) for (const item of batch) yield item;
  }
}

/** A stream of items that comes in batches, of which some may be empty. */
export function batched<T>(batches: () => Batches<T>): AsyncIterable<T> {
  return new Batched(batches);
}

/** The items as they come: in batches where the stream has them. */
export function batchesOf<T>(items: AsyncIterable<T>): Batches<T> {
  return items instanceof Batched ? items.batches() : singly(items);
}

async function* singly<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

/** Changes a stream batch by batch. */
export function mapped<From, To>(
  items: AsyncIterable<From>,
  change: (batch: readonly From[]) => readonly To[],
): AsyncIterable<To> {
  return batched(async function* () {
    for await (const batch of batchesOf(items)) {
      const made = change(batch);
      if (made.length > 0) yield made;
    }
  });
}
