// What went wrong, from the lines that say so: an API error as a message of the CLI's, the result that repeats it, and
// the notes of what is tried again.
import type { DriverFailure } from "../driver.ts";
import { failureCode } from "../failure.ts";
import { count } from "../json.ts";
import { filled, isObject, type Json } from "./native.ts";

/** Both the message and the result say `api_error_status`, `api_error_type` and `api_error`; only the message the rest. */
export function failureOf(line: Json, message: string): DriverFailure {
  const status = count(line.api_error_status);
  const kinds = kindsOf(line);
  const wait = waitOf(line);
  return {
    code: codeOf(line, status, kinds, message),
    message: message === "" ? "The turn failed." : message,
    ...(status !== undefined && { status }),
    ...(kinds[0] !== undefined && { provider_code: kinds[0] }),
    ...(wait !== undefined && { retry_after_ms: wait }),
  };
}

/** The CLI's words for it, then the vendor's; `refusal` is neither's error. */
function kindsOf({ stop_reason, api_error, api_error_type, error, subtype }: Json): string[] {
  const list = [stop_reason === "refusal" ? stop_reason : undefined, api_error, api_error_type, error];
  const kinds = list.flatMap((kind) => filled(kind) ?? []);
  return kinds.length > 0 || subtype === "success" ? kinds : [filled(subtype) ?? []].flat();
}

function codeOf(line: Json, status: number | undefined, kinds: readonly string[], message: string) {
  if (line.stop_reason === "refusal") return "refused";
  if (line.api_error === "usage_limit_reached") return "quota_exhausted";
  return failureCode({ status, code: kinds.join(" "), message });
}

/** Until the limit of a subscription ends, counted from when the line was written. */
function waitOf({ api_error_params, timestamp }: Json): number | undefined {
  const info = isObject(api_error_params) ? api_error_params.rate_limit_info : undefined;
  const until = isObject(info) ? count(info.resetsAt) : undefined;
  const now = Date.parse(filled(timestamp) ?? "");
  return until === undefined || Number.isNaN(now) ? undefined : Math.max(0, until * 1000 - now);
}

/** `isCut`: the answer had begun. Without a status the CLI does not say what the matter was. */
export function retryFailure(line: Json, isCut: boolean): DriverFailure {
  const status = count(line.error_status);
  const kind = filled(line.error);
  const delay = count(line.retry_delay_ms);
  if (status === undefined) {
    const message = isCut ? "The answer of the API broke off." : "The connection to the API failed.";
    return { code: isCut ? "stream_cut" : "offline", message };
  }
  const message = `The API answered with status ${status}${kind === undefined ? "" : ` (${kind})`}.`;
  return {
    code: failureCode({ status, code: kind, message }),
    message,
    status,
    ...(kind !== undefined && { provider_code: kind }),
    // Measured: what the vendor asks to wait is what the CLI waits.
    ...(status === 429 && delay !== undefined && { retry_after_ms: delay }),
  };
}
