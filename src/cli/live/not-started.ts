// A run that never came about, told to a program in the events that it reads anyway: one turn, which fails.
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { Protocol } from "../../run/protocol.ts";
import { type BatonError, type ErrorCode, EXIT_STATUS } from "../../session/error.ts";
import type { FailureCode } from "../../session/events.ts";
import type { Options } from "../commands/run.ts";
import type { Context } from "../context.ts";
import { shareable } from "../redaction.ts";

/** Returns the status that the error asks for. */
export async function tellNotStarted(
  context: Context,
  name: string,
  { cwd, model, permissionMode, session }: Options,
  error: BatonError,
): Promise<number> {
  const agent = name.replace(/:.*/s, "");
  const known = (await context.adapters()).find(({ id }) => id === agent);
  const protocol = new Protocol({
    run: randomUUID(),
    agent,
    provider: known?.badge ?? agent,
    cwd: resolve(cwd ?? "."),
    model: model ?? "",
    mode: permissionMode,
    session: "",
    who: { label: known?.label ?? agent },
    now: Date.now,
  });
  const { message, hint } = error;
  const events = protocol.finish({}, { code: codeOf(error, session), message, hint });
  for (const event of events) await context.output.document(`${JSON.stringify(shareable(event))}\n`);
  return EXIT_STATUS[error.code];
}

const CODES: Partial<Record<ErrorCode, FailureCode>> = {
  usage: "bad_input",
  ambiguous: "bad_input",
  agent_not_installed: "agent_missing",
  busy: "session_busy",
  unsupported: "unsupported",
};

function codeOf({ code }: BatonError, session: string | undefined): FailureCode {
  // Without a session, the folder is what was not found.
  if (code === "not_found") return session === undefined ? "bad_input" : "session_missing";
  return CODES[code] ?? "failed";
}
