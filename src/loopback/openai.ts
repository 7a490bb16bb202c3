// What OpenAI's two APIs share: error bodies, the list of models, the rules for names and ids.
import { dataUrl, type Found, isBase64, sniff, violation } from "./check.ts";
import type { JsonObject } from "./json.ts";
import type { Failure } from "./reply.ts";
import type { Bytes } from "./request.ts";
import type { Checking, Violation } from "./wire.ts";

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const NAME = /^[a-zA-Z0-9_-]+$/;

export function openaiFailure(failure: Failure, reason?: Violation): JsonObject {
  const known = ERRORS[failure.status];
  return {
    error: {
      message: reason?.message ?? failure.message ?? known?.message ?? "The server had an error.",
      type: failure.type ?? known?.type ?? (failure.status < 500 ? "invalid_request_error" : "server_error"),
      param: reason?.at ?? null,
      code: reason?.code ?? known?.code ?? null,
    },
  };
}

const ERRORS: Readonly<Record<number, { type: string; code: string | null; message: string }>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided." },
  403: { type: "invalid_request_error", code: "permission_denied", message: "Not allowed." },
  404: { type: "invalid_request_error", code: null, message: "Invalid URL" },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached." },
  500: { type: "server_error", code: null, message: "The server had an error." },
  503: { type: "server_error", code: "server_is_overloaded", message: "The server is overloaded." },
};

export function openaiModels(names: readonly string[]): JsonObject {
  const data = names.map((id) => ({ id, object: "model", created: 1_767_225_600, owned_by: "openai" }));
  return { object: "list", data };
}

export function imageBytes(url: unknown): Bytes {
  return dataUrl(url) ?? { url: typeof url === "string" ? url : "" };
}

export function* checkKey({ headers }: Checking): Found {
  if (headers.authorization) return;
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header.";
  yield violation("key_missing", "headers", message, { status: 401 });
}

export function* missing(at: string): Found {
  yield violation("field_missing", at, `Missing required parameter: '${at}'.`, {
    code: "missing_required_parameter",
  });
}

export function* wrongType(at: string, expected: string): Found {
  yield violation("field_invalid", at, `Invalid type for '${at}': expected ${expected}.`, {
    code: "invalid_type",
  });
}

export function* checkName(name: unknown, at: string, longest: number): Found {
  if (typeof name !== "string" || name === "") return yield* missing(at);
  if (!NAME.test(name)) {
    const message = `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    yield violation("name_pattern", at, message, { code: "invalid_value" });
  }
  yield* checkLength(name, at, longest, "name_pattern");
}

export function* checkLength(
  value: string,
  at: string,
  longest: number,
  rule: "name_pattern" | "id_pattern",
): Found {
  if (value.length <= longest) return;
  const message = `Invalid '${at}': string too long. Expected a string with maximum length ${longest}, but got a string with length ${value.length} instead.`;
  yield violation(rule, at, message, { code: "string_above_max_length" });
}

export function* checkImage(url: unknown, at: string): Found {
  if (typeof url !== "string" || url === "") return yield* missing(at);
  if (!url.startsWith("data:")) return;
  const image = dataUrl(url);
  if (image !== undefined && isBase64(image.data) && IMAGE_TYPES.includes(sniff(image.data) ?? "")) return;
  const message =
    "The image data you provided does not represent a valid image. Please check your input and try again.";
  yield violation("media_invalid", at, message, { code: "invalid_image" });
}
