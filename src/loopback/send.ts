// Puts an answer on the wire: at once or event by event, whole, slow, silent or broken.
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Reply } from "./reply.ts";
import type { WireEvent } from "./wire.ts";

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...headers,
  });
  response.end(bytes);
}

/** Resolves to what became of the stream; a hanging one never resolves, its connection closes it. */
export async function sendEvents(
  response: ServerResponse,
  events: readonly WireEvent[],
  { cut, hang, pace }: Reply,
  newline = "\n",
): Promise<"answered" | "cut" | "hung"> {
  if (cut === 0) return broken(response);
  if (hang === 0) return "hung";
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  for (const [index, event] of events.entries()) {
    if (response.destroyed) return "answered";
    const frame = frameOf(event, newline);
    if (index === hang) return "hung";
    if (index === cut) {
      await written(response, frame.slice(0, Math.ceil(frame.length / 2)));
      return broken(response);
    }
    await written(response, frame);
    if (pace !== undefined) await delay(pace);
  }
  response.end();
  return "answered";
}

/** An answer in one piece can be cut or hang as well; any number means: before it is complete. */
export async function sendWhole(
  response: ServerResponse,
  body: unknown,
  { cut, hang, pace }: Reply,
): Promise<"answered" | "cut" | "hung"> {
  if (hang !== undefined) return "hung";
  if (cut === 0) return broken(response);
  if (pace !== undefined) await delay(pace);
  if (cut === undefined) {
    sendJson(response, 200, body);
    return "answered";
  }
  const text = JSON.stringify(body);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  await written(response, text.slice(0, text.length / 2));
  return broken(response);
}

function frameOf({ event, data }: WireEvent, newline: string): string {
  const lines = [`data: ${typeof data === "string" ? data : JSON.stringify(data)}`, "", ""];
  if (event !== undefined) lines.unshift(`event: ${event}`);
  return lines.join(newline);
}

/** Waits until the bytes are out, so that breaking the connection does not take them along. */
function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => resolve());
  });
}

function broken(response: ServerResponse): "cut" {
  response.destroy();
  return "cut";
}
