// JSON-RPC over lines, as far as a driver needs it: which of our requests an answer is for, what the agent asks of us,
// and what it only tells. Its state is plain JSON; it waits for nothing.
import { jsonIn } from "../session/json.ts";
import type { Output } from "./driver.ts";
import { isObject, isShallow, type Json } from "./json.ts";

export interface Rpc {
  /** Codex leaves the field out. */
  isMarked: boolean;
  next: number;
  /** By the id of a request of ours, the method that it called. */
  pending: Record<string, string>;
}

export function newRpc(isMarked: boolean): Rpc {
  return { isMarked, next: 1, pending: {} };
}

export type RpcMessage =
  | { type: "answer"; method: string; id: number; result: unknown }
  | { type: "failure"; method: string; id: number; error: Json }
  /** The agent wants an answer under this id, which may be a text. */
  | { type: "request"; method: string; id: unknown; params: Json }
  | { type: "notice"; method: string; params: Json };

/** Undefined where it is no message, or an answer to nothing that was asked. */
export function received(rpc: Rpc, line: string): RpcMessage | undefined {
  const message = jsonIn(line);
  if (!isObject(message)) return undefined;
  const { id, method, result, error } = message;
  // Whoever asks waits, and so would the user.
  if (!isShallow(message))
    return method !== undefined && ["string", "number"].includes(typeof id)
      ? { type: "request", method: TOO_DEEP, id, params: {} }
      : undefined;
  const params = isObject(message.params) ? message.params : {};
  if (typeof method === "string")
    return id === undefined ? { type: "notice", method, params } : { type: "request", method, id, params };
  const called = typeof id === "number" ? rpc.pending[id] : undefined;
  if (called === undefined || typeof id !== "number") return undefined;
  delete rpc.pending[id];
  return error === undefined
    ? { type: "answer", method: called, id, result }
    : { type: "failure", method: called, id, error: isObject(error) ? error : { message: String(error) } };
}

const TOO_DEEP = "arguments that are nested too deeply";

export function request(rpc: Rpc, method: string, params: unknown): Output {
  const id = rpc.next++;
  rpc.pending[id] = method;
  return line(rpc, { id, method, params });
}

export function notify(rpc: Rpc, method: string, params?: unknown): Output {
  return line(rpc, { method, ...(params !== undefined && { params }) });
}

export function reply(rpc: Rpc, id: unknown, result: unknown): Output {
  return line(rpc, { id, result });
}

/** For what the agent asks and nobody here can do. */
export function refuse(rpc: Rpc, id: unknown, method: string): Output {
  return line(rpc, { id, error: { code: -32_601, message: `Method not found: ${method}` } });
}

function line({ isMarked }: Rpc, message: Json): Output {
  return { type: "send", line: JSON.stringify(isMarked ? { jsonrpc: "2.0", ...message } : message) };
}
