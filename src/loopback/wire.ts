// The contract of one API: where it listens, how a request is read and judged, how an answer is rendered.
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json.ts";
import type { Answer, Failure } from "./reply.ts";
import type { ApiName, ModelRequest } from "./request.ts";
import type { Signer } from "./signature.ts";

export interface Route {
  kind: "generate" | "count" | "models";
  /** Where the path names the model. */
  model?: string;
  /** Where the path says so; otherwise the body does. */
  stream?: boolean;
  /** An answer in one piece is wrapped in a list. */
  list?: boolean;
}

export const RULES = [
  "body_invalid",
  "field_missing",
  "field_invalid",
  "key_missing",
  "role_order",
  "message_empty",
  "text_empty",
  "block_unknown",
  "block_misplaced",
  "call_unanswered",
  "result_orphaned",
  "result_duplicate",
  "result_misplaced",
  "id_duplicate",
  "id_pattern",
  "name_pattern",
  "tool_duplicate",
  "signature_missing",
  "signature_foreign",
  "media_invalid",
  "limit_exceeded",
] as const;

export type Rule = (typeof RULES)[number];

/** One reason why the vendor would refuse the request. */
export interface Violation {
  rule: Rule;
  /** Where in the body, in the vendor's own notation. */
  at: string;
  message: string;
  /** The vendor's code, where it has one. */
  code?: string;
  /** 400 unless the vendor is known to answer otherwise. */
  status?: number;
}

/** One server-sent event; `data` is sent as JSON, a string as it is. */
export interface WireEvent {
  event?: string;
  data: unknown;
}

export interface Rendering {
  request: ModelRequest;
  body: JsonObject;
  signer: Signer;
}

export interface Checking {
  route: Route;
  headers: IncomingHttpHeaders;
  url: URL;
  signer: Signer;
}

export interface Wire {
  readonly api: ApiName;
  /** How lines of a stream end; "\n" unless the vendor does otherwise. */
  readonly newline?: string;
  /** What this path means here; undefined = not this API's. */
  route(method: string, url: URL, headers: IncomingHttpHeaders): Route | undefined;
  parse(body: JsonObject, route: Route): ModelRequest;
  check(body: JsonObject, checking: Checking): Iterable<Violation>;
  /** The events of a streamed answer. */
  events(answer: Answer, rendering: Rendering): WireEvent[];
  /** The body of an answer that is not streamed. */
  message(answer: Answer, rendering: Rendering): unknown;
  /** A failure inside a stream that has already begun. */
  failureEvent(failure: Failure, rendering: Rendering): WireEvent;
  /** The body of an answer with an error status. */
  failure(failure: Failure, violation?: Violation): unknown;
  count(tokens: number): unknown;
  models(names: readonly string[]): unknown;
}
