// What OpenCode's errors mean in the protocol's words, and when it tries again.

import { jsonIn } from "../../session/json.ts";
import type { DriverFailure } from "../driver.ts";
import { failureCode } from "../failure.ts";
import { count, isObject, type JsonObject, objectOf, text, word } from "./native.ts";

/** Of an error `{name, data}` as sessions and replies have it; null where the user stopped it. */
export function failureOf(error: unknown): DriverFailure | null {
  const { name, data } = objectOf(error);
  const detail = objectOf(data);
  if (name === ABORTED) return null;
  const kind = word(name) ?? "UnknownError";
  const message = firstLines(word(detail.message) ?? word(objectOf(error).message) ?? kind);
  const status = count(detail.statusCode);
  const vendor = vendorCode(detail.responseBody);
  const wait = retryAfter(objectOf(detail.responseHeaders));
  return {
    code: codeOf({ kind, message, status, vendor }),
    message,
    ...(status !== undefined && { status }),
    ...((vendor ?? kind) !== "UnknownError" && { provider_code: vendor ?? kind }),
    ...(wait !== undefined && { retry_after_ms: wait }),
  };
}

const ABORTED = "MessageAbortedError";

interface Complaint {
  kind: string;
  message: string;
  status: number | undefined;
  vendor: string | undefined;
}

function codeOf({ kind, message, status, vendor }: Complaint): DriverFailure["code"] {
  if (kind === "ContextOverflowError") return "context_too_long";
  if (kind === "ContentFilterError") return "refused";
  const code = failureCode({ status, code: vendor, message });
  // Its own words: "Anthropic API key is missing."
  if (kind === "ProviderAuthError") return code === "token_expired" ? code : "not_signed_in";
  return code === "failed" && kind === "ProviderModelNotFoundError" ? "model_unknown" : code;
}

/** What went wrong when it asks again, of which it only tells the words: it does so where the provider failed. */
export function retryFailure(message: string, reason: string | undefined): DriverFailure {
  // `free_tier_limit` and `account_rate_limit` of OpenCode's own plans.
  if (reason !== undefined) return { code: "quota_exhausted", message, provider_code: reason };
  const code = codeOf({ kind: "", message, status: undefined, vendor: undefined });
  return { code: code === "failed" ? "server_error" : code, message };
}

/** A failure before it was a run: an answer of the server that is not what was asked for. */
export function answerFailure(status: number, body: unknown): DriverFailure {
  const { data, message, name, _tag } = objectOf(body);
  const words = word(objectOf(data).message) ?? word(message) ?? word(body);
  const said = firstLines(words ?? `OpenCode answered with status ${status}.`);
  const kind = word(name) ?? word(_tag);
  return {
    code:
      status === 404 ? "session_missing" : status === 400 ? "bad_request" : failureCode({ message: said }),
    message: said,
    ...(kind !== undefined && { provider_code: kind }),
  };
}

/** Without the stack that some have. */
function firstLines(message: string): string {
  return message.split(/\n\s+at /, 1)[0] ?? message;
}

/** What the vendor calls it, in its answer. */
function vendorCode(body: unknown): string | undefined {
  const value = jsonIn(text(body) ?? "");
  if (!isObject(value)) return undefined;
  const error = isObject(value.error) ? value.error : value;
  return word(error.code) ?? word(error.type) ?? word(error.status);
}

function retryAfter(headers: JsonObject): number | undefined {
  const exact = seconds(headers["retry-after-ms"]);
  if (exact !== undefined) return Math.ceil(exact);
  const wait = headers["retry-after"];
  const rounded = seconds(wait);
  if (rounded !== undefined) return Math.ceil(rounded * 1000);
  // The vendor's own clock says from when.
  const until = Date.parse(text(wait) ?? "") - Date.parse(text(headers.date) ?? "");
  return until >= 0 ? until : undefined;
}

function seconds(value: unknown): number | undefined {
  const number = Number(text(value) || Number.NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Ids begin with the milliseconds of their making, of which the highest bits are cut off. */
const CYCLE = 2 ** 36;
const LONGEST_MS = 24 * 3_600_000;
const LATE_MS = 10_000;

/** How long it waits: `next` is when it asks again, and the event's id when it said so. */
export function delayOf(id: unknown, next: unknown): number | undefined {
  const digits = /^evt_([0-9a-f]{9})[0-9a-f]{3}/.exec(text(id) ?? "")?.[1];
  const at = count(next);
  if (digits === undefined || at === undefined) return undefined;
  // The event may be made a moment after its time has come.
  const delay = (((at - Number.parseInt(digits, 16) + LATE_MS) % CYCLE) + CYCLE) % CYCLE;
  return delay <= LONGEST_MS ? Math.max(0, Math.round(delay) - LATE_MS) : undefined;
}
