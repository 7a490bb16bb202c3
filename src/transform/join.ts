// One session behind another: the records of the first stay its own, what comes from the second is new there.
import { mapped } from "../session/batches.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry } from "../session/session.ts";
import type { Stream } from "../session/source.ts";

/** Subagents of the second stay where they are. Losses are complete once the entries have been read. */
export function join(first: Stream, second: Stream): Stream {
  const own: Loss[] = [];
  return {
    ...first,
    get losses() {
      return [...first.losses, ...second.losses, ...own];
    },
    async *entries() {
      yield* first.entries();
      yield* mapped(second.entries(), (batch) => batch.map(unrecorded));
      own.length = 0;
      for await (const { header } of second.children())
        own.push(loss("subagent_dropped", {}, header.title ?? header.source.originalId ?? header.id));
    },
  };
}

/** Without what ties it to the records and to the order of its old session. */
function unrecorded(entry: Entry): Entry {
  const { records: _, parent: __, ...rest } = entry;
  return rest as Entry;
}
