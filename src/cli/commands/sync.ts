// sync: brings the catalog up to date with the stores, and the archive with it.
import type { Command } from "commander";
import { discardCatalog } from "../../catalog/catalog.ts";
import type { SyncReport } from "../../catalog/sync.ts";
import { archiveAll } from "../archiving.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { counted } from "../text.ts";

interface Options {
  rebuild?: boolean;
  archive: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .option("--rebuild", "forget what is known and read everything anew; the archive stays")
    .option("--no-archive", "do not keep the native bytes of what has changed")
    .action((options: Options) => run((context) => synchronise(context, options)));
}

async function synchronise(context: Context, { rebuild, archive }: Options): Promise<undefined> {
  const { output } = context;
  if (rebuild) discardCatalog(context.batonHome);
  const report = await withCatalog(context, { words: true }, (_, found) => found);
  const archived = archive ? await archiveAll(context) : undefined;
  const { added, updated, removed, unchanged, problems, ms } = report;
  const kept = archived && { archived: { added: archived.added, updated: archived.updated } };
  if (output.isJson)
    await output.json({ added, updated, removed, unchanged, problems, ms: Math.round(ms), ...kept });
  else output.message(sentence(report));
}

function sentence({ added, updated, removed, unchanged, problems }: SyncReport): string {
  const changed = `${counted(added, "session")} added, ${updated} updated, ${removed} gone, ${unchanged} unchanged`;
  const wrong = problems > 0 ? `, ${problems} with problems (\`baton list --errors\`)` : "";
  return `${changed}${wrong}.`;
}
