// What a vendor's answer or an agent's complaint means, in the protocol's closed list: by status first, then by words
// that vendors and agents are known to use. What nobody knows is `failed`.
import type { FailureCode } from "../session/events.ts";

export interface Complaint {
  /** The HTTP status of the vendor's answer. */
  status?: number | undefined;
  /** What the vendor or the agent calls it. */
  code?: string | undefined;
  message: string;
}

export function failureCode({ status, code = "", message }: Complaint): FailureCode {
  const words = `${code} ${message}`;
  const byWords = WORDS.find(([pattern]) => pattern.test(words))?.[1];
  // A status says what kind of failure it is, words which of that kind.
  const kinds = status === undefined ? undefined : kindsOf(status);
  if (!kinds) return byWords ?? "failed";
  return byWords !== undefined && kinds.includes(byWords) ? byWords : (kinds[0] ?? "failed");
}

/** The first is what the status means by itself. */
function kindsOf(status: number): readonly FailureCode[] | undefined {
  if (status === 401) return ["unauthorized", "token_expired", "not_signed_in"];
  if (status === 402) return ["quota_exhausted"];
  if (status === 403) return ["forbidden", "not_signed_in", "quota_exhausted", "token_expired"];
  // A proxy that wants to know who is there, and a server that did not wait.
  if (status === 407) return ["offline"];
  if (status === 408) return ["server_error", "offline"];
  if (status === 404) return ["model_unknown", "session_missing", "bad_request"];
  if (status === 413) return ["context_too_long"];
  if (status === 429) return ["rate_limited", "quota_exhausted"];
  if (status === 529) return ["overloaded"];
  if (status === 503) return ["server_error", "overloaded"];
  if (status >= 500) return ["server_error", "overloaded"];
  if (status >= 400)
    return [
      "bad_request",
      "context_too_long",
      "model_unknown",
      "not_signed_in",
      "quota_exhausted",
      "token_expired",
      "refused",
      // Google's answer to a key that it does not know is 400.
      "unauthorized",
    ];
  return undefined;
}

/** The first that fits. */
const WORDS: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /(?:prompt|input) is too long|context[ _](?:length|window|limit)|exceeds the maximum length|too many (?:input )?tokens|maximum number of tokens|context_too_long/i,
    "context_too_long",
  ],
  [
    /(?:token|session|credentials?|key) (?:has |have |is )?expired|token_expired|refresh token|could not be refreshed|invalid_grant/i,
    "token_expired",
  ],
  [
    /could not load the default credentials|not (?:logged|signed) in|log ?in required|please (?:log|sign) in|run \/login|no api key|missing api key|provide an api key|missing environment variable|auth(?:entication)? required|set an auth method/i,
    "not_signed_in",
  ],
  [
    /insufficient_quota|quota (?:is )?(?:exhausted|exceeded)|exhausted your (?:daily )?(?:capacity|quota)|usage ?limit|out of (?:credits|extra usage)|credit balance|billing/i,
    "quota_exhausted",
  ],
  [/rate.?limit|too many requests|resource_?exhausted|\b429\b/i, "rate_limited"],
  [/overloaded|at capacity|\b529\b/i, "overloaded"],
  // Behind "cannot connect", although it had connected.
  [
    /socket (?:connection was )?closed|error decoding response body|connection reset|decompression failed/i,
    "stream_cut",
  ],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo|name resolution|dns error|failed to lookup address/i, "dns"],
  [/certificate|\bTLS\b|\bSSL\b|CERT_|self.signed|UNABLE_TO_VERIFY/i, "tls"],
  [
    /ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|network is unreachable|connection (?:refused|error)|ConnectionRefused|ERR_NETWORK|unable to connect|failed to connect|error sending request|fetch failed|offline|cannot connect/i,
    "offline",
  ],
  [
    /stream (?:was )?(?:disconnected|closed|ended|error)|premature close|terminated|ECONNRESET|socket hang ?up|connection closed|incomplete|unexpected end|mid-stream/i,
    "stream_cut",
  ],
  [/timed out|timeout|deadline exceeded/i, "offline"],
  [
    /invalid.{0,20}(?:api.?key|credential|token)|api.?key not valid|unauthori[sz]ed|authentication|\b401\b/i,
    "unauthorized",
  ],
  [/permission_error|forbidden|\b403\b/i, "forbidden"],
  [
    /model.{0,40}(?:not found|does not exist|not supported|unknown|may not exist)|model_not_found|unknown model/i,
    "model_unknown",
  ],
  [
    /(?:session|conversation|thread|rollout).{0,60}(?:not found|does not exist)|no (?:conversation|session|rollout|thread) found|invalid session/i,
    "session_missing",
  ],
  [/active writer|already (?:in use|running|open)/i, "session_busy"],
  [
    /internal server error|\b50[0234]\b|api_error|server_error|service unavailable|bad gateway/i,
    "server_error",
  ],
  [/content[ _]filter/i, "refused"],
  [/invalid_request|bad request|\b400\b/i, "bad_request"],
];

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AMOUNT = String.raw`[\d.]+ ?(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?|d|days?)(?![a-z])`;
const WAIT = new RegExp(
  String.raw`(?:again|retry|reset)[ \w]{0,20} (?:after|in) ((?:${AMOUNT}(?:,? and |,? )?){1,5})`,
  "i",
);

/** How long a message says to wait: "try again in 1m12.5s", "your quota will reset after 8h36m13s". */
export function waitIn(message: string): number | undefined {
  const words = WAIT.exec(message)?.[1];
  if (words === undefined) return undefined;
  const amounts = Array.from(words.matchAll(/([\d.]+) ?(m(?:s|il)|[smhd])/gi), ([, number, unit = ""]) => {
    const factor = UNITS[/^m(?:s|il)/i.test(unit) ? "ms" : unit.toLowerCase()] ?? Number.NaN;
    return Number(number) * factor;
  });
  const sum = amounts.reduce((total, one) => total + one, 0);
  return Number.isFinite(sum) ? Math.round(sum) : undefined;
}
