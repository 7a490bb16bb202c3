// A list that never gets long: of what has come, the newest, each key once.

export interface Newest<T> {
  /** Makes it the newest. */
  put(key: string, value: T): void;
  get(key: string): T | undefined;
  remove(key: string): void;
  /** Oldest first. */
  values(): T[];
  /** How many had to go; one that came again later counts each time. */
  readonly lost: number;
}

export function newest<T>(most: number): Newest<T> {
  const found = new Map<string, T>();
  let lost = 0;
  return {
    put(key, value) {
      found.delete(key);
      found.set(key, value);
      if (found.size <= most) return;
      for (const oldest of found.keys()) {
        found.delete(oldest);
        lost++;
        return;
      }
    },
    get: (key) => found.get(key),
    remove: (key) => void found.delete(key),
    values: () => [...found.values()],
    get lost() {
      return lost;
    },
  };
}
