// What went wrong, in Codex's words (`TurnError`, errors of JSON-RPC) and in the protocol's.
import type { FailureCode } from "../../session/events.ts";
import { jsonIn } from "../../session/json.ts";
import type { DriverFailure } from "../driver.ts";
import { failureCode, waitIn } from "../failure.ts";
import { count, isObject, type JsonObject, text, word } from "./native.ts";

/** `codexErrorInfo` where it says enough by itself. */
const KINDS: ReadonlyMap<string, FailureCode> = new Map([
  ["contextWindowExceeded", "context_too_long"],
  ["sessionBudgetExceeded", "quota_exhausted"],
  ["usageLimitExceeded", "quota_exhausted"],
  ["rateLimitExceeded", "rate_limited"],
  ["flexUnavailable", "overloaded"],
  ["serverOverloaded", "overloaded"],
  ["policyCapacityUnavailable", "overloaded"],
  ["modelNotFound", "model_unknown"],
  ["internalServerError", "server_error"],
  ["cyberPolicy", "refused"],
  ["misalignmentPolicyViolation", "refused"],
]);

export function failureOf(error: unknown): DriverFailure {
  const { message, codexErrorInfo, additionalDetails } = isObject(error) ? error : {};
  // While it tries again, its message only says so, and the reason stands beside it.
  const said = word(additionalDetails) ?? word(message) ?? "Codex does not say why.";
  const { name, status: told } = infoOf(codexErrorInfo);
  const vendor = vendorsOwn(said);
  const words = vendor?.message ?? said;
  const status = told ?? statusIn(said) ?? (vendor && 400);
  const provider = vendor?.code ?? (name === "other" ? undefined : name);
  const retry = waitIn(words);
  return {
    code: codeOf(name, byWords(words, status, provider)),
    message: words,
    ...(status !== undefined && { status }),
    ...(provider !== undefined && { provider_code: provider }),
    ...(retry !== undefined && { retry_after_ms: retry }),
  };
}

/** What it is called at the least says in which half of the way it happened. */
const LEAST: ReadonlyMap<string, FailureCode> = new Map([
  ["responseStreamDisconnected", "stream_cut"],
  ["responseStreamConnectionFailed", "offline"],
  ["httpConnectionFailed", "offline"],
]);

function codeOf(name = "", byWords: FailureCode): FailureCode {
  return KINDS.get(name) ?? (byWords === "failed" ? LEAST.get(name) : undefined) ?? byWords;
}

function byWords(message: string, status: number | undefined, code: string | undefined): FailureCode {
  if (/reason: content_filter/.test(message)) return "refused";
  // What it makes of a 500 (0.166.0), without the status.
  if (/experiencing high demand/.test(message)) return "server_error";
  return failureCode({ status, code, message });
}

/** Either a word, or an object with one name that may hold the vendor's status. */
function infoOf(info: unknown): { name?: string; status?: number } {
  if (typeof info === "string") return { name: info };
  const [name, details] = Object.entries(isObject(info) ? info : {})[0] ?? [];
  const status = isObject(details) ? count(details.httpStatusCode) : undefined;
  return { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
}

function statusIn(message: string): number | undefined {
  const found = /(?:unexpected|last) status:? (\d{3})\b/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The body of a 400 is passed on as it is (0.166.0). */
function vendorsOwn(message: string): { message: string; code?: string } | undefined {
  const body = message.startsWith("{") ? jsonIn(message) : undefined;
  const error = isObject(body) && isObject(body.error) ? body.error : undefined;
  const said = word(error?.message);
  if (said === undefined) return undefined;
  const code = word(error?.code) ?? word(error?.type);
  return { message: said, ...(code !== undefined && { code }) };
}

/** `Reconnecting... 2/5`; without numbers it tries for ever. */
export function attemptOf(error: unknown): { attempt: number; max_attempts?: number } {
  const message = isObject(error) ? (text(error.message) ?? "") : "";
  const [, attempt, most] = /(\d+)\/(\d+)/.exec(message) ?? [];
  return { attempt: Number(attempt ?? 1), ...(most !== undefined && { max_attempts: Number(most) }) };
}

/** Refused before the model was asked, it is the prompt alone. */
const TOO_LONG = "Shorten the prompt, or put it into a file that Codex reads.";

/** Of a request of ours that Codex refuses. */
export function refusalOf({ message, data }: JsonObject): DriverFailure {
  const said = word(message) ?? "Codex refuses without a reason.";
  const kind = isObject(data) ? word(data.type) : undefined;
  const code = failureCode({ message: said });
  const failure = {
    code,
    message: said,
    ...(kind && { provider_code: kind }),
    ...(code === "context_too_long" && { hint: TOO_LONG }),
  };
  if (kind !== "modelProviderMismatch" || !isObject(data)) return failure;
  const hint = `Set model_provider = ${JSON.stringify(data.modelProvider)} in Codex's config.toml, or go on in a copy: \`baton fork SESSION\`.`;
  return { ...failure, code: "unsupported", hint };
}
