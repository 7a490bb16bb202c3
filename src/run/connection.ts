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

const nothing = () => undefined;
/** To an agent that is not there. */
export const NO_CONNECTION: Connection = {
  send: nothing,
  pause: nothing,
  resume: nothing,
  closeInput: nothing,
  end: nothing,
};

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

/** That a server is there every few seconds is no sign that its agent does anything. */
const PULSE = /^\{[^{}]{0,200}"type":"server\.heartbeat"/;

function overHttp(options: ConnectionOptions, transport: Http): Connection {
  const over = new AbortController();
  let url: string | undefined;
  let isLeaving = false;
  let isEnded = false;
  /** Why its events are not told any more. */
  let broken = "";
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
      tell({ type: "end", ...ended, stderr: ended.stderr + broken });
      isEnded = true;
    },
  });
  let isPaused: PromiseWithResolvers<void> | undefined;

  async function listen(at: string): Promise<void> {
    try {
      const headers = { ...transport.headers, accept: "text/event-stream" };
      const response = await fetch(`${at}${transport.events}`, { headers, signal: over.signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      tell({ type: "start" });
      const decoder = new TextDecoder();
      const parser = createParser({
        onEvent({ data }) {
          if (!PULSE.test(data)) tell({ type: "line", text: data });
        },
      });
      for await (const chunk of response.body ?? []) {
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
        await isPaused?.promise;
      }
    } catch (error) {
      if (!over.signal.aborted && !isLeaving) {
        broken = `its events broke off: ${reasonOf(error)}`;
        options.onComplaint(broken);
      }
    }
    // Without its events nobody knows what the agent does; a process that goes on by itself is of no use.
    agent.end();
  }

  function end(): void {
    isLeaving = true;
    agent.end();
  }

  return {
    ...agent,
    end,
    send: (output) => {
      if (output.type === "request")
        void answerTo(output, { at: url ?? "", transport, signal: over.signal }).then(tell);
    },
    pause: () => {
      isPaused ??= Promise.withResolvers();
    },
    resume: () => {
      isPaused?.resolve();
      isPaused = undefined;
    },
    // A server does not look at its input.
    closeInput: end,
  };
}

type Request = Extract<Output, { type: "request" }>;

/** Never fails: that there is none is an answer too. */
async function answerTo(
  { id, method, path, body }: Request,
  { at, transport, signal }: { at: string; transport: Http; signal: AbortSignal },
): Promise<Input> {
  try {
    const response = await fetch(`${at}${path}`, {
      method,
      headers: { ...transport.headers, "content-type": "application/json" },
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { type: "answer", id, status: response.status, body: bodyOf(text) };
  } catch (error) {
    return { type: "answer", id, status: 0, body: reasonOf(error) };
  }
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
