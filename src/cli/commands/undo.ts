// undo: takes back what an operation wrote, as long as no agent has gone on with it.
import type { Command } from "commander";
import { BatonError } from "../../session/error.ts";
import type { Operation } from "../../storage/journal.ts";
import { findOperation } from "../../storage/operations.ts";
import { recover } from "../../storage/recover.ts";
import { undo } from "../../storage/undo.ts";
import { madeFromOperation } from "../../switch/lineage.ts";
import { settleConversations } from "../../switch/record.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { operationJson, operationLine } from "../operation.ts";

export function define(command: Command, run: Run): void {
  command
    .argument("[operation]", "the beginning of its id (default: the newest)")
    .option("--yes", "also what another session was made from since")
    .action((id: string | undefined, { yes = false }: { yes?: boolean }) =>
      run((context) => takeBack(context, id, yes)),
    );
}

async function takeBack(context: Context, id: string | undefined, yes: boolean): Promise<undefined> {
  const { output, batonHome } = context;
  if (id === "")
    throw new BatonError(
      "usage",
      "An operation cannot be called nothing.",
      "Name the beginning of its id, or leave it out for the newest.",
    );
  await recover(batonHome);
  const found = await findOperation(batonHome, id);
  if (!yes) refuseCarriedOn(found, await madeFromOperation(batonHome, found));
  const operation = await undo(batonHome, found.id);
  for (const problem of await settleConversations(batonHome)) output.warn(problem);
  if (output.isJson) await output.json({ operations: [operationJson(operation)] });
  else await output.write(`${operationLine(operation, context)}\n`);
}

function refuseCarriedOn({ facts }: Operation, later: readonly Operation[]): void {
  if (later.length === 0) return;
  const made = later.map((one) => `${one.id} (${one.facts.kind} ${one.facts.agent}:${one.facts.originalId})`);
  throw new BatonError(
    "refused",
    `${facts.agent}:${facts.originalId} was carried on since, by ${made.join(", ")}.`,
    `${later.length === 1 ? "Undo that one" : "Undo those"} first; --yes takes this one back nevertheless.`,
  );
}
