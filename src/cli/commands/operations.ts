// operations: everything that Baton has written to agents' stores.
import type { Command } from "commander";
import { operations } from "../../storage/operations.ts";
import { recover } from "../../storage/recover.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { operationJson, operationLine } from "../operation.ts";

export function define(command: Command, run: Run): void {
  command.action(() => run(list));
}

async function list(context: Context): Promise<undefined> {
  const { output, batonHome } = context;
  await recover(batonHome);
  const { operations: all, damaged } = await operations(batonHome);
  for (const sentence of damaged) output.warn(sentence);
  if (output.isJson) await output.json({ operations: all.map(operationJson) });
  else if (all.length === 0) output.message("Nothing was written to any store yet.");
  else for (const operation of all) await output.write(`${operationLine(operation, context)}\n`);
}
