// What Codex's failures are called, beyond what was recorded.
import { describe, expect, it } from "vitest";
import { events, prompted, THREAD } from "./live.ts";

describe("failures", () => {
  const told = (error: object, willRetry = false) => events(prompted().notice("error", { error, willRetry }));
  const http = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } });

  it.each([
    ["contextWindowExceeded", "Codex ran out of room.", "context_too_long"],
    ["usageLimitExceeded", "You’ve hit your usage limit.", "quota_exhausted"],
    ["sessionBudgetExceeded", "Enough.", "quota_exhausted"],
    ["rateLimitExceeded", "rate limit exceeded", "rate_limited"],
    ["serverOverloaded", "Selected model is at capacity.", "overloaded"],
    ["modelNotFound", "There is none.", "model_unknown"],
    ["internalServerError", "We’re currently experiencing high demand.", "server_error"],
    ["cyberPolicy", "No.", "refused"],
    [
      http("httpConnectionFailed", 401),
      "unexpected status 401 Unauthorized: The key is not valid.",
      "unauthorized",
    ],
    [
      http("httpConnectionFailed", 401),
      "unexpected status 401: You didn't provide an API key.",
      "not_signed_in",
    ],
    [http("httpConnectionFailed", 403), "unexpected status 403 Forbidden: Not for you.", "forbidden"],
    [
      http("httpConnectionFailed", 404),
      "unexpected status 404: The model `x` does not exist.",
      "model_unknown",
    ],
    [http("responseTooManyFailedAttempts", 429), "exceeded retry limit, last status: 429", "rate_limited"],
    [http("httpConnectionFailed", 529), "unexpected status 529: Overloaded.", "overloaded"],
    [http("httpConnectionFailed", null), "Connection failed: error sending request", "offline"],
    [http("httpConnectionFailed", null), "Nobody knows.", "offline"],
    [http("responseStreamDisconnected", null), "Nobody knows.", "stream_cut"],
    [http("responseStreamConnectionFailed", null), "Nobody knows.", "offline"],
    ["other", "Selected model is at capacity. Please try a different model.", "overloaded"],
    ["other", "Your access token could not be refreshed. Please log out and sign in again.", "token_expired"],
    ["other", "stream disconnected before completion: Transport error", "stream_cut"],
    ["other", "Incomplete response returned, reason: content_filter", "refused"],
    ["other", "Missing environment variable: `KEY`.", "not_signed_in"],
    [null, "Nobody knows.", "failed"],
    [{}, "unexpected status 503 Service Unavailable", "server_error"],
  ])("%j: %s", (codexErrorInfo, message, code) => {
    expect(told({ codexErrorInfo, message })).toMatchObject([{ type: "error", code, message }]);
  });

  it("say what the vendor says", () => {
    const message = JSON.stringify({
      error: { message: "Too long.", type: "invalid", code: "context_length" },
    });
    expect(told({ message, codexErrorInfo: "other" })).toEqual([
      {
        type: "error",
        code: "context_too_long",
        message: "Too long.",
        status: 400,
        provider_code: "context_length",
      },
    ]);
  });

  it("say how long to wait", () => {
    const wait = (time: string) => {
      const [error] = told({ codexErrorInfo: "rateLimitExceeded", message: `Please try again in ${time}.` });
      return error && "retry_after_ms" in error ? error.retry_after_ms : undefined;
    };
    const times = { "1.5s": 1500, "20ms": 20, "3 minutes": 180_000, "1m12.5s": 72_500, "6m0s": 360_000 };
    for (const [time, ms] of Object.entries(times)) expect([time, wait(time)]).toEqual([time, ms]);
    expect(wait("2 hours 5 minutes")).toBe(7_500_000);
    expect(wait("a while")).toBeUndefined();
  });

  it("are retried", () => {
    const error = {
      message: "Reconnecting... 2/5",
      additionalDetails: "unexpected status 401 Unauthorized: No.",
      codexErrorInfo: http("responseStreamDisconnected", 401),
    };
    expect(told(error, true)).toMatchObject([
      { type: "retry", attempt: 2, max_attempts: 5, error: { code: "unauthorized", status: 401 } },
    ]);
    expect(told({ message: "Reconnecting... waiting for network" }, true)).toMatchObject([{ attempt: 1 }]);
    expect(told({}, true)).toMatchObject([{ error: { code: "failed" } }]);
  });

  it("end the turn, a refusal as one", () => {
    const end = (error: unknown) =>
      events(prompted().notice("turn/completed", { turn: { status: "failed", error } }));
    expect(end(null)).toMatchObject([
      { type: "error", code: "failed" },
      { type: "result", is_error: true },
    ]);
    expect(end({ message: "No.", codexErrorInfo: "misalignmentPolicyViolation" })).toMatchObject([
      { code: "refused" },
      { type: "result", refused: true },
    ]);
  });

  it("of a server that does not start are told beside", () => {
    const status = (more: object) =>
      events(
        prompted().notice("mcpServer/startupStatus/updated", { threadId: THREAD, name: "shop", ...more }),
      );
    expect(status({ status: "ready", error: null })).toEqual([]);
    expect(status({ status: "failed", error: "no such file" })).toMatchObject([
      { subtype: "notice", message: "The MCP server shop could not be started.\nno such file" },
    ]);
  });
});
