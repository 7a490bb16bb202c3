// What to do about each failure, in a sentence for a tired person at night.
import type { DriverFailure } from "../adapters/driver.ts";
import type { Failure, FailureCode } from "../session/events.ts";
import { sentence } from "./fit.ts";

/** Who failed, as far as hints name it. */
export interface Who {
  label: string;
  /** What the user types to sign in. */
  login?: string;
}

const elsewhere = "`baton resume SESSION --in AGENT` goes on in another agent meanwhile.";

const HINTS: Readonly<Record<FailureCode, (who: Who) => string>> = {
  agent_missing: ({ label }) => `Install ${label}, or put it into PATH.`,
  agent_broken: ({ label }) => `Start ${label} by itself to see what it says, or install it again.`,
  agent_crashed: () => "The session is as far as the agent wrote it; run it again to go on.",
  agent_killed: () => "The session is as far as the agent wrote it; run it again to go on.",
  agent_hung: () => "Run it again to go on; --timeout waits longer.",
  not_signed_in: signIn,
  token_expired: signIn,
  unauthorized: signIn,
  forbidden: () => "Check that the account may use this model and this project.",
  rate_limited: () => `Wait, then run it again. ${elsewhere}`,
  quota_exhausted: () => `The account has used up what it has. ${elsewhere}`,
  overloaded: () => `The provider has too much to do; try again in a minute. ${elsewhere}`,
  server_error: () => `The provider failed; try again in a minute. ${elsewhere}`,
  bad_request: () =>
    "The provider refuses the request; `baton verify SESSION` shows whether the session is to blame.",
  bad_input: () => "`baton run --help` shows the options; docs/live.md shows the lines that steer a run.",
  model_unknown: () => "Name another model with --model; `baton models` lists those that are known.",
  context_too_long: () => "`baton resume SESSION --strategy hybrid` goes on with a copy that fits.",
  stream_cut: () => "The answer broke off; run it again to go on.",
  offline: () => "Check the connection, and the proxy if there is one, then run it again.",
  dns: () => "Check the connection and the name of the provider's host, then run it again.",
  tls: () => "Check the clock, the certificates and the proxy of this machine, then run it again.",
  refused: () => "The model does not answer this; ask in another way, or another model.",
  session_missing: () => "`baton list` shows the sessions that are there.",
  session_busy: ({ label }) =>
    `Close the other ${label} that has this session open, or fork it: \`baton fork SESSION\`.`,
  input_closed: () => "Run it again to go on.",
  unsupported: () => "Start a new run with it instead.",
  failed: () => "Run it again; `--verbose` shows what the agent complains about.",
};

function signIn({ login, label }: Who): string {
  return login === undefined
    ? `Sign in to ${label}, then run it again.`
    : `\`${login}\` signs in; then run it again.`;
}

export function withHint({ hint, message, ...failure }: DriverFailure, who: Who): Failure {
  return { ...failure, message: sentence(message), hint: hint ?? HINTS[failure.code](who) };
}
