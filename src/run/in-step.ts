// Keeps the catalog in step with an agent while it runs: what is said is listed and found as it is said, because the
// agent writes it into its own store, and that is watched.
import type { Home, Place } from "../adapters/adapter.ts";
import { isCurrent, openCatalog } from "../catalog/catalog.ts";
import { sync, syncFiles } from "../catalog/sync.ts";
import { watch } from "../catalog/watch.ts";

export interface InStep {
  /** Looks once more and ends. */
  close(): Promise<void>;
}

/** What a run changes is among the newest; a catalog that is far behind is brought up to date by those who ask it. */
const NEWEST = 20;

export interface StepOptions {
  home: Home;
  batonHome: string;
  place: Place;
  /** The run goes on without it. */
  onProblem(error: unknown): void;
}

export function keepInStep({ home, batonHome, place, onProblem }: StepOptions): InStep {
  const over = new AbortController();
  const places = [place];
  const work = async () => {
    let catalog = openCatalog(batonHome);
    const onChange = async (changed: ReadonlySet<string> | undefined) => {
      // Another process may have made it anew, and what is opened is nobody's any more.
      if (!isCurrent(catalog)) {
        catalog.close();
        catalog = openCatalog(batonHome);
      } else if (changed && (await syncFiles(catalog, changed, places, { words: true }))) return;
      await sync(catalog, home, places, { words: true, newest: NEWEST });
    };
    try {
      await watch(home, places, onChange, { signal: over.signal });
      await onChange(undefined);
    } finally {
      catalog.close();
    }
  };
  const done = work().catch(onProblem);
  return {
    async close() {
      over.abort();
      await done;
    },
  };
}
