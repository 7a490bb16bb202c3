// undo: takes back what an operation wrote, as long as no agent has gone on with it.
import type { Command } from "commander";
import { BatonError } from "../../session/error.ts";
import { undo } from "../../storage/undo.ts";
import { settleConversations } from "../../switch/record.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { operationJson, operationLine } from "../operation.ts";

export function define(command: Command, run: Run): void {
  command
    .argument("[operation]", "the beginning of its id (default: the newest)")
    .action((id: string | undefined) => run((context) => takeBack(context, id)));
}

async function takeBack(context: Context, id: string | undefined): Promise<undefined> {
  const { output, batonHome } = context;
  if (id === "")
    throw new BatonError(
      "usage",
      "An operation cannot be called nothing.",
      "Name the beginning of its id, or leave it out for the newest.",
    );
  const operation = await undo(batonHome, id);
  await settleConversations(batonHome);
  if (output.isJson) await output.json({ operations: [operationJson(operation)] });
  else await output.write(`${operationLine(operation, context)}\n`);
}
