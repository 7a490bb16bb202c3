// Every failure that Claude Code tells live, by the code that it has in the protocol.
import { describe, expect, it } from "vitest";
import { events, lines, prompted, rest, result } from "./live.ts";

describe("failures", () => {
  /** As 2.1.325 says them: the words, the status, what it calls them. */
  const table: [string, number | null, object, string][] = [
    [
      "Failed to authenticate. API Error: 401 The key is not valid.",
      401,
      { error: "authentication_failed", api_error_type: "authentication_error" },
      "unauthorized",
    ],
    [
      "Failed to authenticate. API Error: 401 OAuth token has expired. Please obtain a new token or refresh your existing token.",
      401,
      { error: "authentication_failed", api_error_type: "authentication_error" },
      "token_expired",
    ],
    [
      "API Error: Request rejected (429) · Too many requests.",
      429,
      { error: "rate_limit", api_error_type: "rate_limit_error" },
      "rate_limited",
    ],
    [
      "API Error: 503 Unavail. This is a server-side issue, usually temporary — try again in a moment.",
      503,
      { error: "server_error", api_error_type: "api_error" },
      "server_error",
    ],
    [
      "API Error: 400 Bad thing.",
      400,
      { error: "unknown", api_error_type: "invalid_request_error" },
      "bad_request",
    ],
    [
      "Credit balance is too low",
      400,
      { error: "billing_error", api_error_type: "invalid_request_error" },
      "quota_exhausted",
    ],
    [
      "Request too large (max 32MB). Accumulated images and attachments in the conversation pushed the request over the limit.",
      413,
      { error: "invalid_request", api_error_type: "request_too_large" },
      "context_too_long",
    ],
    [
      "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.",
      null,
      { error: "server_error", api_error: "connection_failed" },
      "stream_cut",
    ],
    ["API Error: Request timed out.", null, { error: "server_error" }, "offline"],
    [
      "API Error: 400 Output blocked by content filtering policy",
      400,
      { error: "unknown", api_error_type: "invalid_request_error" },
      "refused",
    ],
    ["API Error: Connection error.", null, { error: "server_error" }, "offline"],
    [
      "API Error: The socket connection was closed unexpectedly.",
      null,
      { error: "server_error" },
      "stream_cut",
    ],
    ["API Error: 407 Proxy Authentication Required", 407, { error: "unknown" }, "offline"],
    [
      "API Error: 400 input length and `max_tokens` exceed context limit: 199000 + 21333 > 200000",
      400,
      { error: "invalid_request", api_error_type: "invalid_request_error" },
      "context_too_long",
    ],
    [
      "API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)",
      null,
      { error: "server_error", api_error: "connection_failed" },
      "dns",
    ],
    [
      "API Error: Unable to connect to API: Self-signed certificate detected (DEPTH_ZERO_SELF_SIGNED_CERT).",
      null,
      { error: "server_error", api_error: "connection_failed" },
      "tls",
    ],
  ];

  it.each(table)("%s", (words, status, more, code) => {
    const message = { id: "m", model: "<synthetic>", content: [{ type: "text", text: words }] };
    const one = prompted();
    const line = {
      type: "assistant",
      message,
      is_api_error_message: true,
      api_error_status: status,
      ...more,
    };
    const [failure] = events(one.tell(line));
    expect(failure).toMatchObject({ type: "error", code, message: words, ...(status && { status }) });
    // It is told once, though the result repeats it.
    const ended = [
      ...one.tell(result({ is_error: true, result: words, api_error_status: status })),
      ...one.tell(rest("idle")),
    ];
    expect(events(ended).filter(({ type }) => type === "error")).toEqual([]);
    expect(events(ended).at(-1)).toMatchObject({ type: "result", is_error: true });
    // A result alone says it too.
    const only = prompted().tell(
      result({ is_error: true, result: words, api_error_status: status, ...more }),
    );
    expect(events(only)).toContainEqual(expect.objectContaining({ type: "error", code, message: words }));
  });

  it("of a subscription's limit says how long it lasts", () => {
    const line = {
      type: "assistant",
      message: {
        id: "m",
        content: [{ type: "text", text: "You've hit your 5-hour limit · resets 6pm (UTC)" }],
      },
      timestamp: "2026-11-18T17:00:05.000Z",
      is_api_error_message: true,
      error: "rate_limit",
      api_error_status: 429,
      api_error: "usage_limit_reached",
      api_error_params: { rate_limit_info: { status: "rejected", resetsAt: 1795024805 } },
    };
    expect(events(prompted().tell(line))).toMatchObject([
      { code: "quota_exhausted", provider_code: "usage_limit_reached", retry_after_ms: 3_600_000 },
    ]);
  });

  it("of a subagent does not end the turn", () => {
    const message = { id: "m", content: [{ type: "text", text: "API Error: 529 Overloaded." }] };
    const line = { type: "assistant", message, is_api_error_message: true, api_error_status: 529 };
    const one = prompted();
    expect(events(one.tell({ ...line, parent_tool_use_id: "toolu_1" }))).toMatchObject([
      { type: "system", subtype: "error", code: "overloaded", parent_tool_use_id: "toolu_1" },
    ]);
    one.tell(result());
    expect(events(one.tell(rest("idle")))).toMatchObject([{ type: "result", is_error: false }]);
  });

  it.each([
    ["error_max_turns", [], "failed"],
    ["error_during_execution", ["No conversation found with session ID: x"], "session_missing"],
  ])("%s", (subtype, errors, code) => {
    const outputs = prompted().tell(result({ subtype, is_error: true, result: undefined, errors }));
    expect(events(outputs)).toContainEqual(
      expect.objectContaining({ type: "error", code, provider_code: subtype }),
    );
  });

  const retry = (attempt: number, status: number | null) => ({
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: status,
    error: "authentication_failed",
  });

  it("gives up on a key that is not accepted, but not on others", () => {
    const one = prompted();
    expect(events(one.tell(retry(2, 401)))).toMatchObject([{ type: "retry", attempt: 2 }]);
    const outputs = one.tell(retry(3, 401));
    expect(events(outputs)).toMatchObject([{ type: "error", code: "unauthorized", status: 401 }]);
    expect(lines(outputs)).toMatchObject([{ request: { subtype: "interrupt" } }]);
    const aborted = {
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: "aborted_streaming",
    };
    const ended = [...one.tell(result({ ...aborted, result: undefined })), ...one.tell(rest("idle"))];
    expect(events(ended).map(({ type }) => type)).toEqual(["usage", "result"]);
    expect(events(ended)[1]).toEqual({ type: "result", is_error: true });
    expect(lines(prompted().tell(retry(9, 529)))).toEqual([]);
  });

  it("gives up on nothing that the user has stopped already", () => {
    const one = prompted();
    one.step({ type: "interrupt" });
    const outputs = one.tell(retry(3, 401));
    expect(events(outputs)).toMatchObject([{ type: "retry", attempt: 3 }]);
    expect(lines(outputs)).toEqual([]);
    one.tell(result({ subtype: "error_during_execution", is_error: true, result: undefined }));
    expect(events(one.tell(rest("idle")))).toMatchObject([{ type: "result", interrupted: true }]);
  });

  it("tells an answer that broke off from a connection that was never there", () => {
    const one = prompted();
    expect(events(one.tell(retry(1, null)))).toMatchObject([{ error: { code: "offline" } }]);
    one.tell({ type: "stream_event", event: { type: "message_start", message: { id: "m" } } });
    expect(events(one.tell(retry(2, null)))).toMatchObject([{ error: { code: "stream_cut" } }]);
  });
});
