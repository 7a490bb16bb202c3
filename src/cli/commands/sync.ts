// sync: brings the catalog up to date with the stores, and the archive with it; once, or as long as it runs.
import type { Command } from "commander";
import type { SessionRef } from "../../adapters/adapter.ts";
import type { Archived } from "../../catalog/archive/archive.ts";
import { type Catalog, discardCatalog, isCurrent, openCatalog } from "../../catalog/catalog.ts";
import { type SyncReport, syncFiles } from "../../catalog/sync.ts";
import type { archiveAll } from "../archiving.ts";
import { update, withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { counted } from "../text.ts";

interface Options {
  rebuild?: boolean;
  watch?: boolean;
  archive: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .option("--rebuild", "forget what is known and read everything anew; the archive stays")
    .option("--watch", "stay, and sync whenever something changes")
    .option("--no-archive", "do not keep the native bytes of what has changed")
    .action((options: Options) => run((context) => synchronise(context, options)));
}

async function synchronise(context: Context, options: Options): Promise<undefined> {
  if (options.rebuild) discardCatalog(context.batonHome);
  // While other threads read very much, this one can archive it.
  let archiving: Promise<Archived> | undefined;
  const meanwhile = (onProgress: (done: number, ofBytes: number) => void) => {
    const begun = archive(context, { onProgress });
    archiving = begun;
    // Where reading has to begin anew, so has this.
    begun.catch(() => {
      archiving = undefined;
    });
    return begun;
  };
  await withCatalog(
    context,
    { words: true, ...(options.archive && { meanwhile }) },
    async (catalog, report) => {
      await tell(context, report, options, { archiving });
      if (options.watch) await stay(context, catalog, options);
    },
  );
}

/** Loaded only then, and so is what watches. */
const archive: typeof archiveAll = async (...given) => {
  const { archiveAll } = await import("../archiving.ts");
  return archiveAll(...given);
};

/** Until somebody ends the process. */
async function stay(context: Context, catalog: Catalog, options: Options): Promise<void> {
  const { home, output, batonHome } = context;
  const places = await context.places();
  output.message("Watching the stores; Ctrl-C ends it.");
  let current = catalog;
  const onChange = async (changed?: ReadonlySet<string>) => {
    // Another process may have made it anew, and what is opened is nobody's any more.
    const isSame = isCurrent(current);
    if (!isSame) {
      current.close();
      current = openCatalog(batonHome);
    }
    const quick = isSame && changed ? await syncFiles(current, changed, places, { words: true }) : undefined;
    const report = quick ?? (await update(context, current, { words: true }));
    const { added, updated, removed, moved } = report;
    // The archive keeps a session that was moved under its new path too.
    if (added + updated + removed + moved > 0) await tell(context, report, options, { only: quick?.refs });
  };
  const { watch } = await import("../../catalog/watch.ts");
  await watch(home, places, onChange, {
    signal: new AbortController().signal,
    onNotice: output.message,
  });
}

interface Told {
  /** The sessions that have changed, where they are known. */
  only?: readonly SessionRef[] | undefined;
  /** They are being archived already. */
  archiving?: Promise<Archived> | undefined;
}

async function tell(
  context: Context,
  report: SyncReport,
  options: Options,
  { only, archiving }: Told,
): Promise<void> {
  const { output } = context;
  const archived = options.archive ? await (archiving ?? archive(context, { only })) : undefined;
  const { added, updated, removed, unchanged, problems, ms } = report;
  const kept = archived && { archived: { added: archived.added, updated: archived.updated } };
  const facts = { added, updated, removed, unchanged, problems, ms: Math.round(ms), ...kept };
  if (!output.isJson) output.message(sentence(report));
  // Whoever watches gets a line for each change.
  else if (options.watch) await output.write(`${JSON.stringify(facts)}\n`);
  else await output.json(facts);
}

function sentence({ added, updated, removed, unchanged, problems }: SyncReport): string {
  const changed = `${counted(added, "session")} added, ${updated} updated, ${removed} gone, ${unchanged} unchanged`;
  const wrong = problems > 0 ? `, ${problems} with problems (\`baton list --errors\`)` : "";
  return `${changed}${wrong}.`;
}
