// A small client for the tests. Its SSE parser shares nothing with the server's writer.
import type { Loopback } from "../../src/loopback/server.ts";

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  json: T;
}

const KEYS = {
  "content-type": "application/json",
  "anthropic-version": "2023-06-01",
  "x-api-key": "test",
  authorization: "Bearer test",
  "x-goog-api-key": "test",
};

/** The header that makes a path common to two vendors OpenAI's. */
export const OPENAI_KEYS = { "content-type": "application/json", authorization: "Bearer test" };

export async function post<T = unknown>(
  loopback: Loopback,
  path: string,
  body: unknown,
  headers: Record<string, string> = KEYS,
): Promise<Answer<T>> {
  const response = await fetch(loopback.url + path, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : {},
  };
}

export interface SseEvent {
  event?: string;
  data: string;
}

/** By the letter of the SSE specification: any line ending, fields by their first colon, an event per blank line. */
export function sse(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let data: string[] = [];
  let event: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "") {
      if (data.length > 0) events.push({ ...(event === undefined ? {} : { event }), data: data.join("\n") });
      data = [];
      event = undefined;
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") event = value;
  }
  return events;
}

export function jsonEvents<T>(text: string): T[] {
  return sse(text)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data));
}
