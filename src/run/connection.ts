// How a driver talks to its agent: by lines to its standard input, or by HTTP to the server that it starts. Either way
// a driver only sees inputs and says outputs (adapters/driver.ts).
import { createParser } from "eventsource-parser";
import type { Input, Launch, Output } from "../adapters/driver.ts";
import { type AgentProcess, type Ended, type ProcessOptions, startProcess } from "./process.ts";

export interface Connection {
  send(output: Extract<Output, { type: "send" | "request" }>): void;
  pause(): void;
  resume(): void;
  closeInput(): void;
  end(): void;
}

export interface ConnectionOptions
  extends Pick<ProcessOptions, "cwd" | "env" | "mark" | "onComplaint" | "onDeaf"> {
  argv: readonly string[];
  transport: Launch["transport"];
  onInput(input: Input): void;
}

export function connect(options: ConnectionOptions): Connection {
  return options.transport.type === "lines" ? overLines(options) : overHttp(options, options.transport);
}

function overLines(options: ConnectionOptions): Connection {
  const agent = startProcess({
    ...options,
    onLine: (text) => options.onInput({ type: "line", text }),
    onEnd: (ended) => options.onInput({ type: "end", ...ended }),
  });
  // Whoever connects has to know the connection before anything comes of it.
  queueMicrotask(() => options.onInput({ type: "start" }));
  return {
    ...agent,
    send: (output) => {
      if (output.type === "send") agent.send(output.line);
    },
  };
}

type Http = Extract<Launch["transport"], { type: "http" }>;

/** Loopback only: whatever address the agent prints. */
const ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/;

function overHttp(options: ConnectionOptions, transport: Http): Connection {
  const over = new AbortController();
  let url: string | undefined;
  let isEnded = false;
  const tell = (input: Input) => {
    if (!isEnded) options.onInput(input);
  };
  const agent: AgentProcess = startProcess({
    ...options,
    onLine(line) {
      const found = url === undefined ? ADDRESS.exec(line)?.[0] : undefined;
      if (found === undefined) return options.onComplaint(line);
      url = found;
      void listen(found);
    },
    onEnd(ended: Ended) {
      over.abort();
      tell({ type: "end", ...ended });
      isEnded = true;
    },
  });
  let isPaused: PromiseWithResolvers<void> | undefined;

  async function listen(at: string): Promise<void> {
    try {
      const headers = { ...transport.headers, accept: "text/event-stream" };
      const response = await fetch(`${at}${transport.events}`, { headers, signal: over.signal });
      tell({ type: "start" });
      const decoder = new TextDecoder();
      const parser = createParser({ onEvent: ({ data }) => tell({ type: "line", text: data }) });
      for await (const chunk of response.body ?? []) {
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
        await isPaused?.promise;
      }
    } catch (error) {
      if (!over.signal.aborted) options.onComplaint(`its events broke off: ${reasonOf(error)}`);
    }
    // Without its events nobody knows what the agent does; a process that goes on by itself is of no use.
    agent.end();
  }

  async function ask({ id, method, path, body }: Extract<Output, { type: "request" }>): Promise<void> {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...transport.headers, "content-type": "application/json" },
        signal: over.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      tell({ type: "answer", id, status: response.status, body: bodyOf(text) });
    } catch (error) {
      tell({ type: "answer", id, status: 0, body: reasonOf(error) });
    }
  }

  return {
    ...agent,
    send: (output) => {
      if (output.type === "request") void ask(output);
    },
    pause: () => {
      isPaused ??= Promise.withResolvers();
    },
    resume: () => {
      isPaused?.resolve();
      isPaused = undefined;
    },
    // A server does not look at its input.
    closeInput: agent.end,
  };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON: its words are the answer then.
    return text;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
