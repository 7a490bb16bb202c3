// What an error of the Agent Client Protocol means. Agents put the vendor's answer into it in many ways: its status as
// the code, its JSON as the message, its words as the data.
import type { FailureCode } from "../session/events.ts";
import { jsonIn } from "../session/json.ts";
import type { AcpState } from "./acp-state.ts";
import type { DriverFailure } from "./driver.ts";
import { failureCode, waitIn } from "./failure.ts";
import { count, filled, isObject, type Json } from "./json.ts";

const AUTH_REQUIRED = -32_000;
const NOT_FOUND = -32_002;
export const REQUEST_CANCELLED = -32_800;

export function failureOf(state: AcpState, error: Json): DriverFailure {
  const code = count(error.code);
  const said = wordsOf(error);
  if (code === AUTH_REQUIRED) return notSignedIn(state, said.message);
  const status = said.status ?? statusOf(code);
  const isVague = status === 500 && said.status === undefined;
  // Gemini CLI 0.61.0 says 500 where it knows no status ("terminated", "models/x is not found …").
  const byWords = failureCode({ message: said.message, code: said.code });
  const isKnown = isVague && byWords !== "failed";
  const after = waitIn(said.message);
  const meant = isKnown ? byWords : failureCode({ status, message: said.message, code: said.code });
  return {
    code: isSoonOver(meant, after) ? "rate_limited" : meant,
    message: said.message,
    ...(status !== undefined && !isKnown && { status }),
    ...(said.code !== undefined && { provider_code: said.code }),
    ...(after !== undefined && { retry_after_ms: after }),
  };
}

const SOON_MS = 10 * 60_000;

/** Google calls the requests of a minute a quota too, which one is over in some seconds. */
function isSoonOver(code: FailureCode, after: number | undefined): boolean {
  return code === "quota_exhausted" && after !== undefined && after < SOON_MS;
}

/** A session that could not be loaded, for whatever reason that the agent does not name. */
export function loadFailure(state: AcpState, error: Json): DriverFailure {
  const failure = failureOf(state, error);
  const isOther = !UNSURE.has(failure.code) && count(error.code) !== NOT_FOUND;
  return isOther ? failure : { ...failure, code: "session_missing" };
}

const UNSURE: ReadonlySet<FailureCode> = new Set(["failed", "bad_request", "model_unknown", "server_error"]);

function notSignedIn({ agent }: AcpState, message: string): DriverFailure {
  const ways = agent.ways.length === 0 ? "" : ` It offers: ${agent.ways.join(", ")}.`;
  return { code: "not_signed_in", message: `${stopped(message)}${ways}`, provider_code: "auth_required" };
}

function stopped(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

interface Words {
  message: string;
  status?: number;
  code?: string;
}

/** The innermost message that says anything. */
function wordsOf({ message, data }: Json): Words {
  const outer = filled(message) ?? "The agent says that something failed, but not what.";
  const inner = vendors(jsonIn(outer)) ?? vendors(data);
  if (inner) return inner;
  const details = isObject(data) ? (filled(data.details) ?? filled(data.message)) : filled(data);
  if (details === undefined) return { message: outer };
  const nested = vendors(jsonIn(details));
  if (nested) return nested;
  return { message: /^internal error$/i.test(outer) ? details : `${outer}: ${details}` };
}

/** `{error: {code, message, status}}`, as vendors answer. */
function vendors(value: unknown): Words | undefined {
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error)) return undefined;
  const message = filled(error.message);
  if (message === undefined) return undefined;
  const deeper = vendors(jsonIn(message));
  if (deeper) return deeper;
  const status = statusOf(count(error.code));
  const code = filled(error.status) ?? filled(error.type) ?? filled(error.code);
  return { message, ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
}

function statusOf(code: number | undefined): number | undefined {
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}
