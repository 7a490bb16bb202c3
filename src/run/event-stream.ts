// The events that a server on loopback tells (SSE), one after the other, for as long as it tells them.
import { createParser } from "eventsource-parser";
import { LONGEST_LINE_READ } from "./lines.ts";
import { LAST_OUTPUT_MS } from "./process.ts";

export interface EventStreamOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  onOpen(): void;
  onEvent(data: string): void;
  /** It has come to its end, or could not be heard: why. Not called once it was left. */
  onBroken(reason: string): void;
}

export interface EventStream {
  /** While nobody takes what it says, nothing is read from it. */
  pause(): void;
  resume(): void;
  /** Its server has ended: what that told before is still wanted, also by a slow reader. */
  heardOut(): Promise<void>;
  leave(): void;
}

export function listen(options: EventStreamOptions): EventStream {
  const over = new AbortController();
  let held: PromiseWithResolvers<void> | undefined;
  let chunks = 0;

  async function read(): Promise<string> {
    const headers = { ...options.headers, accept: "text/event-stream" };
    const response = await fetch(options.url, { headers, signal: over.signal });
    if (!response.ok) return `status ${response.status}`;
    options.onOpen();
    let tooLong: string | undefined;
    const parser = createParser({
      onEvent: ({ data }) => options.onEvent(data),
      onError: ({ type, message }) => {
        if (type === "max-buffer-size-exceeded") tooLong = message;
      },
      maxBufferSize: LONGEST_LINE_READ,
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      chunks++;
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
      if (tooLong !== undefined) return tooLong;
      await held?.promise;
    }
    return "it tells no more";
  }

  const reading = read()
    .catch(reasonOf)
    .then((reason) => {
      if (!over.signal.aborted) options.onBroken(reason);
    });

  return {
    pause: () => {
      held ??= Promise.withResolvers();
    },
    resume: () => {
      held?.resolve();
      held = undefined;
    },
    async heardOut() {
      // Somebody else may hold the connection open: what counts is whether more comes of it.
      for (let before = -1; before < chunks; ) {
        before = chunks;
        await within(LAST_OUTPUT_MS, reading);
        if (held) before = -1;
        await held?.promise;
      }
    },
    leave: () => over.abort(),
  };
}

async function within(ms: number, wanted: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([wanted, late.promise]);
  clearTimeout(timer);
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
