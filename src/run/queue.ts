// Events between who makes them and the one who takes them, in order. It says when it is full, so that nothing more is
// read from an agent until somebody has taken what is there.

export interface EventQueue<T> extends AsyncIterable<T> {
  push(items: readonly T[]): void;
  /** No more will come; what is there is still taken. */
  close(): void;
}

export interface Flow {
  onFull(): void;
  onRoom(): void;
}

const MOST = 1000;

export function newQueue<T>({ onFull, onRoom }: Flow, most = MOST): EventQueue<T> {
  let items: T[] = [];
  let taken = 0;
  let isClosed = false;
  let isFull = false;
  let waiting: PromiseWithResolvers<void> | undefined;
  const wake = () => {
    waiting?.resolve();
    waiting = undefined;
  };
  return {
    push(more) {
      if (isClosed) return;
      // What was taken goes, also where more always comes before all of it is.
      if (taken > most) {
        items = items.slice(taken);
        taken = 0;
      }
      for (const one of more) items.push(one);
      if (!isFull && items.length - taken > most) {
        isFull = true;
        onFull();
      }
      if (more.length > 0) wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (taken < items.length) yield items[taken++] as T;
        items = [];
        taken = 0;
        if (isFull) {
          isFull = false;
          onRoom();
        }
        if (isClosed && items.length === 0) return;
        waiting ??= Promise.withResolvers();
        if (items.length === 0 && !isClosed) await waiting.promise;
      }
    },
  };
}
