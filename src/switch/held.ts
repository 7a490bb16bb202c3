// A session that a running agent has open is not extended behind its back, whoever started that agent.
import type { Adapter, SessionRef } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import { isRun } from "../storage/runs.ts";

export async function refuseHeld(batonHome: string, to: Adapter, ref: SessionRef): Promise<void> {
  const { agent, originalId } = ref;
  if (!(await to.isLive(ref)) && !(await isRun(batonHome, { agent, session: originalId }))) return;
  throw new BatonError(
    "busy",
    `A running ${to.label} holds ${agent}:${originalId}, and would not see the turns.`,
    `End it, then return again; or \`baton resume SESSION --in ${agent}\` makes a new session.`,
  );
}
