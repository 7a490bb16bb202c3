// Shows long text through the user's pager on a terminal, and writes it as it is everywhere else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { whileChildHasTerminal } from "./interrupt.ts";
import type { Output } from "./output.ts";

export interface PageOptions {
  /** Something else is drawn when the pager ends, so a short text has to be waited for too. */
  stays?: boolean;
}

/** Whether the text was on the screen until the reader had seen enough. */
export async function page(
  pieces: AsyncIterable<string>,
  output: Output,
  { stays = false }: PageOptions = {},
): Promise<boolean> {
  const [command, ...words] = pagerOf(process.env.PAGER, stays);
  if (!output.isTerminal || command === undefined) return writeAll(pieces, output);
  const pager = spawn(command, words, {
    stdio: ["pipe", "inherit", "inherit"],
    // Without a locale less would show the bytes of every character beyond ASCII.
    env: { LESSCHARSET: "utf-8", LESS: "FRX", ...process.env, ...(stays && { LESS: "R" }) },
  });
  const ended = new Promise<void>((resolve) => pager.once("close", () => resolve()));
  try {
    await once(pager, "spawn");
  } catch (error) {
    output.detail(`No pager: ${error instanceof Error ? error.message : String(error)}`);
    return writeAll(pieces, output);
  }
  await whileChildHasTerminal(async () => {
    await feed(pieces, pager.stdin);
    await ended;
  });
  return basename(command) === "less";
}

function pagerOf(variable: string | undefined, stays: boolean): string[] {
  // Less warns of a terminal that cannot move its cursor and waits for a key; whoever names a pager knows.
  if (variable === undefined) return process.env.TERM === "dumb" ? [] : ["less", stays ? "-R" : "-FRX"];
  const words = variable.trim().split(/\s+/).filter(Boolean);
  return words[0] === "cat" && words.length === 1 ? [] : words;
}

async function writeAll(pieces: AsyncIterable<string>, output: Output): Promise<false> {
  for await (const piece of pieces) await output.write(piece);
  return false;
}

/** Until the pager is closed, which may be before the text ends. */
async function feed(pieces: AsyncIterable<string>, stdin: Writable): Promise<void> {
  let isClosed = false;
  stdin.on("error", () => {
    isClosed = true;
  });
  stdin.on("close", () => {
    isClosed = true;
  });
  for await (const piece of pieces) {
    if (isClosed) return;
    if (!stdin.write(piece))
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => undefined);
  }
  stdin.end();
}
