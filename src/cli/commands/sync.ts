// sync: brings the catalog up to date with the stores.
import type { Command } from "commander";
import { discardCatalog } from "../../catalog/catalog.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { counted } from "../text.ts";

interface Options {
  rebuild?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .option("--rebuild", "forget what is known and read everything anew; the archive stays")
    .action((options: Options) => run((context) => synchronise(context, options)));
}

async function synchronise(context: Context, { rebuild }: Options): Promise<undefined> {
  const { output } = context;
  if (rebuild) discardCatalog(context.batonHome);
  const report = await withCatalog(context, { words: true }, (_, found) => found);
  const { added, updated, removed, unchanged, problems, ms } = report;
  if (output.isJson) await output.json({ added, updated, removed, unchanged, problems, ms: Math.round(ms) });
  else
    output.message(
      `${counted(added, "session")} added, ${updated} updated, ${removed} gone, ${unchanged} unchanged` +
        `${problems > 0 ? `, ${problems} with problems (\`baton list --errors\`)` : ""}.`,
    );
}
