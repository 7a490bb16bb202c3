// Says when something in the stores has changed. Folders are watched, which on Linux takes one descriptor for all of
// them, and nothing runs while nothing happens. What happens at about the same time is told once.
import type { Home, Place } from "../adapters/adapter.ts";
import { newFolderWatch } from "./watch-folders.ts";

export interface WatchOptions {
  /** Ends the watch; the promise is kept once the last call is done. */
  signal: AbortSignal;
  /** A sentence for people about how it is watched. */
  onNotice?(sentence: string): void;
}

/** Told once things have been quiet for this long … */
const QUIET_MS = 100;
/** … and at the latest this long after the first. */
const LATEST_MS = 1000;

/**
 * Calls at once, and again after each change, never twice at a time, with the files that changed; without them when
 * it may have been more than that. What it throws ends the watch.
 */
export async function watch(
  home: Home,
  places: readonly Pick<Place, "watched">[],
  onChange: (changed: ReadonlySet<string> | undefined) => Promise<void>,
  { signal, onNotice }: WatchOptions,
): Promise<void> {
  const bell = newBell();
  let changed: Set<string> | undefined;
  const folders = newFolderWatch(
    places.flatMap((place) => place.watched(home)),
    (file) => {
      if (file === undefined) changed = undefined;
      else changed?.add(file);
      bell.ring();
    },
  );
  signal.addEventListener("abort", bell.now);
  let hasPolled = false;
  try {
    while (!signal.aborted) {
      const isComplete = folders.look();
      const start = performance.now();
      const known = isComplete ? changed : undefined;
      changed = new Set();
      await onChange(known);
      if (!isComplete) {
        if (!hasPolled) onNotice?.(POLLING);
        hasPolled = true;
        const rest = POLL_SHARE * (performance.now() - start);
        bell.within(Math.min(Math.max(SOONEST_POLL_MS, rest), LATEST_POLL_MS));
      }
      await bell.rung();
    }
  } finally {
    signal.removeEventListener("abort", bell.now);
    bell.stop();
    folders.close();
  }
}

const SOONEST_POLL_MS = 2000;
const LATEST_POLL_MS = 30_000;
/** Looking through the stores takes about one part in this many of the time. */
const POLL_SHARE = 100;
const POLLING =
  "The system allows no more watched folders, so the stores are looked through every few seconds instead. " +
  "On Linux, `sysctl fs.inotify.max_user_watches` is the limit.";

/** Gathers what happens into one ring. */
function newBell() {
  let { promise, resolve } = Promise.withResolvers<void>();
  let first: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  const now = () => resolve();
  return {
    now,
    ring() {
      const time = performance.now();
      first ??= time;
      clearTimeout(timer);
      timer = setTimeout(now, Math.min(QUIET_MS, Math.max(0, first + LATEST_MS - time)));
    },
    within(ms: number) {
      clearTimeout(later);
      later = setTimeout(now, ms);
    },
    async rung() {
      await promise;
      clearTimeout(timer);
      clearTimeout(later);
      first = undefined;
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(later);
    },
  };
}
