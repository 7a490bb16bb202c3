// A model server on loopback that answers from a script, in four APIs of three vendors. It is as strict as the
// vendors are known to be, remembers what it was asked, and refuses to pass anything on to another host.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { isObject, parsed } from "./json.ts";
import { type Aside, type Exchange, Log, type Refusal } from "./log.ts";
import { isLoopback, isOurs, readBody, safeHeaders, targetOf } from "./receive.ts";
import { answerOf, type Failure, type Reply, type Script } from "./reply.ts";
import type { ModelRequest } from "./request.ts";
import { responses } from "./responses.ts";
import { sendEvents, sendJson, sendWhole } from "./send.ts";
import { createSigner, type Signer } from "./signature.ts";
import type { Route, Violation, Wire } from "./wire.ts";

export interface LoopbackOptions {
  /** What the model does: one reply per model call, or a function. Default: a short text. */
  script?: Script;
  /** False: answer even what the vendor would refuse; violations are still recorded. */
  strict?: boolean;
  /** Servers with the same secret accept each other's signatures. Default: random. */
  secret?: string;
  /** The models it lists; any other is answered too. */
  models?: readonly string[];
  port?: number;
}

export interface Loopback {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Every model call, refused ones included. */
  readonly requests: readonly Exchange[];
  /** Everything that was meant for another host. */
  readonly refusals: readonly Refusal[];
  readonly asides: readonly Aside[];
  /** Resolves when this many model calls came in, or as soon as the condition holds. */
  waitFor(condition: number | ((loopback: Loopback) => boolean)): Promise<void>;
  close(): Promise<void>;
}

const WIRES: readonly Wire[] = [anthropic, responses, chat, gemini];
const DEFAULT_MODELS = ["claude-opus-4-8", "claude-haiku-4-5", "gpt-5.5", "gemini-3-pro-preview"];

export async function startLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const log = new Log();
  const state: State = {
    log,
    signer: createSigner(options.secret ?? randomBytes(16).toString("hex")),
    script: options.script ?? (() => ({ text: "Understood." })),
    strict: options.strict ?? true,
    models: options.models ?? DEFAULT_MODELS,
    replies: 0,
  };
  const server = createServer((request, response) => {
    handle(request, response, state).catch((error: unknown) => fail(response, error));
  });
  server.on("connect", (request, socket) => {
    const host = request.url ?? "";
    refuse(state, "CONNECT", host, URL.parse(`http://${host}`)?.hostname ?? host);
    // Without a listener, a client that hangs up first would end the process.
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  // Clients keep connections between turns; one that closes under them looks like a network failure.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const loopback: Loopback = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: log.requests,
    refusals: log.refusals,
    asides: log.asides,
    waitFor: (condition) =>
      log.until(
        typeof condition === "number" ? () => log.requests.length >= condition : () => condition(loopback),
      ),
    close: () =>
      new Promise((resolve) => {
        log.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return loopback;
}

interface State {
  log: Log;
  signer: Signer;
  script: Script;
  strict: boolean;
  models: readonly string[];
  /** How many replies the script has given. */
  replies: number;
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  wire: Wire;
  route: Route;
}

async function handle(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const method = request.method ?? "GET";
  const url = targetOf(request);
  if (url === undefined || !isOurs(url, request)) {
    const host = url?.host ?? request.headers.host ?? "";
    refuse(state, method, host, url?.hostname ?? host);
    return sendJson(response, 403, {
      error: { message: `This server does not pass requests on to ${host}` },
    });
  }
  // Codex tries a WebSocket first and goes on over HTTP at once when it is told that there is none.
  if (request.headers.upgrade !== undefined) {
    aside(state, method, url, 426);
    return sendJson(response, 426, { error: { message: "There is no WebSocket here; use HTTP." } });
  }
  for (const wire of WIRES) {
    const route = wire.route(method, url, request.headers);
    if (route !== undefined) return receive({ request, response, url, wire, route }, state);
  }
  const probe = url.pathname === "/" && (method === "HEAD" || method === "GET");
  aside(state, method, url, probe ? 200 : 404);
  if (probe) return sendJson(response, 200, {});
  const message = `Invalid URL (${method} ${url.pathname})`;
  return sendJson(response, 404, guess(url, request).failure({ status: 404, message }));
}

/** Whose error shape an unknown path deserves. */
function guess(url: URL, request: IncomingMessage): Wire {
  const api =
    "anthropic-version" in request.headers
      ? "anthropic"
      : url.pathname.startsWith("/v1beta")
        ? "gemini"
        : "responses";
  return WIRES.find((wire) => wire.api === api) ?? responses;
}

async function receive(asked: Asked, state: State): Promise<void> {
  const { request, response, url, wire, route } = asked;
  if (route.kind === "models") {
    aside(state, request.method ?? "GET", url, 200);
    return sendJson(response, 200, wire.models(state.models));
  }
  const bytes = await readBody(request);
  if (bytes === undefined) {
    aside(state, "POST", url, 413);
    return sendFailure(asked, { status: 413, message: "Request exceeds the maximum size" });
  }
  const text = bytes.toString("utf8");
  const value = parsed(text);
  const body = isObject(value) ? value : {};
  const checking = { route, headers: request.headers, url, signer: state.signer };
  const violations = isObject(value) ? [...wire.check(body, checking)] : [NOT_JSON];
  if (route.kind === "count") {
    const refused = state.strict ? violations[0] : undefined;
    aside(state, "POST", url, refused === undefined ? 200 : (refused.status ?? 400));
    if (refused !== undefined) return sendViolation(asked, refused);
    return sendJson(response, 200, wire.count(Math.ceil(bytes.length / 4)));
  }
  const exchange: Exchange = {
    index: state.log.requests.length,
    api: wire.api,
    path: url.pathname + url.search,
    headers: safeHeaders(request),
    bytes: bytes.length,
    body: value,
    request: wire.parse(body, route),
    violations,
  };
  state.log.requests.push(exchange);
  await generate(asked, exchange, state);
}

const NOT_JSON: Violation = {
  rule: "body_invalid",
  at: "body",
  message: "The request body is not valid JSON.",
};

async function generate(asked: Asked, exchange: Exchange, state: State): Promise<void> {
  const { response } = asked;
  response.once("close", () => {
    exchange.outcome ??= response.writableFinished ? "answered" : "aborted";
    state.log.changed();
  });
  const refused = exchange.violations[0];
  if (refused !== undefined && (state.strict || refused.rule === "body_invalid")) {
    exchange.outcome = "refused";
    exchange.status = refused.status ?? 400;
    state.log.changed();
    return sendViolation(asked, refused);
  }
  state.log.changed();
  let reply: Reply;
  try {
    reply = await nextReply(exchange.request, state);
  } catch (cause) {
    return scriptError(cause, asked, exchange);
  }
  await perform(reply, asked, exchange, state);
}

async function nextReply(request: ModelRequest, state: State): Promise<Reply> {
  const index = state.replies++;
  if (typeof state.script === "function") return state.script(request, index);
  const reply = state.script[index];
  if (reply === undefined) throw new Error(`it has no reply number ${index + 1}`);
  return reply;
}

async function perform(reply: Reply, asked: Asked, exchange: Exchange, state: State): Promise<void> {
  const { error } = reply;
  if (error !== undefined && error.after === undefined) {
    exchange.outcome = "failed";
    exchange.status = error.status;
    return sendFailure(asked, error);
  }
  let send: () => Promise<"answered" | "cut" | "hung">;
  try {
    send = render(reply, asked, exchange, state);
  } catch (cause) {
    return scriptError(cause, asked, exchange);
  }
  exchange.status = 200;
  if (error !== undefined) exchange.outcome = "failed";
  if ((await send()) === "cut") exchange.outcome = "cut";
}

/** Everything that can go wrong in a script's answer goes wrong here, before the first byte is sent. */
function render(reply: Reply, { wire, route, response }: Asked, exchange: Exchange, state: State) {
  const body = isObject(exchange.body) ? exchange.body : {};
  const rendering = { request: exchange.request, body, signer: state.signer };
  const answer = answerOf(reply, exchange.bytes);
  if (!exchange.request.stream) {
    const message = wire.message(answer, rendering);
    return () => sendWhole(response, route.list ? [message] : message, reply);
  }
  const events = wire.events(answer, rendering);
  const { error } = reply;
  if (error?.after !== undefined)
    events.splice(error.after, events.length, wire.failureEvent(error, rendering));
  return () => sendEvents(response, events, reply, wire.newline);
}

/** A script that has no answer must not look like a failing vendor, which clients would ask again and again. */
function scriptError(cause: unknown, asked: Asked, exchange: Exchange): void {
  exchange.problem = cause instanceof Error ? cause.message : String(cause);
  exchange.outcome = "script_error";
  exchange.status = 400;
  sendFailure(asked, { status: 400, message: `loopback script: ${exchange.problem}` });
}

function sendFailure({ wire, response }: Asked, failure: Failure): void {
  const headers: Record<string, string> = {};
  if (failure.retryAfter !== undefined) headers["retry-after"] = String(failure.retryAfter);
  sendJson(response, failure.status, wire.failure(failure), headers);
}

function sendViolation({ wire, response }: Asked, violation: Violation): void {
  const status = violation.status ?? 400;
  sendJson(response, status, wire.failure({ status }, violation));
}

function refuse({ log }: State, method: string, host: string, hostname: string): void {
  log.refusals.push({ method, host, foreign: !isLoopback(hostname) });
  log.changed();
}

function aside({ log }: State, method: string, url: URL, status: number): void {
  log.asides.push({ method, path: url.pathname + url.search, status });
  log.changed();
}

function fail(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (response.headersSent) response.destroy();
  else sendJson(response, 400, { error: { type: "invalid_request_error", message } });
}
