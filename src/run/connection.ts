// How a driver talks to its agent: by lines to its standard input, or by HTTP to the server that it starts. Either way
// a driver only sees inputs and says outputs (adapters/driver.ts).
import type { Input, Launch, Output } from "../adapters/driver.ts";
import { type EventStream, listen, reasonOf } from "./event-stream.ts";
import { LONGEST_LINE_READ } from "./lines.ts";
import { type AgentProcess, type Ended, NO_PROCESS, type ProcessOptions, startProcess } from "./process.ts";
import { WAIT_MS } from "./waits.ts";

export interface Connection {
  send(output: Extract<Output, { type: "send" | "request" }>): void;
  pause(): void;
  resume(): void;
  closeInput(): void;
  end(): void;
}

/** To an agent that is not there. */
export const NO_CONNECTION: Connection = NO_PROCESS;

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
  let stream: EventStream | undefined;
  let isLeaving = false;
  let isGone = false;
  /** Why it was ended. */
  let cause: string | undefined;
  let mute: NodeJS.Timeout | undefined;

  const agent: AgentProcess = startProcess({
    ...options,
    onLine(line) {
      const found = url === undefined ? ADDRESS.exec(line)?.[0] : undefined;
      if (found === undefined) return options.onComplaint(line);
      url = found;
      stream = listen({
        url: `${found}${transport.events}`,
        headers: transport.headers,
        onOpen: () => options.onInput({ type: "start" }),
        onEvent: (text) => options.onInput({ type: "line", text }),
        onBroken: broken,
      });
    },
    onEnd(ended: Ended) {
      isGone = true;
      clearTimeout(mute);
      over.abort();
      void Promise.resolve(stream?.heardOut()).then(() => {
        stream?.leave();
        options.onInput({ type: "end", ...ended, ...(cause !== undefined && { cause }) });
      });
    },
  });

  /** Mostly because it ends, which then says why. One that goes on without events is of no use. */
  function broken(reason: string): void {
    if (isLeaving || isGone) return;
    options.onComplaint(`Its events broke off: ${reason}`);
    mute = setTimeout(() => {
      cause = `its events broke off (${reason})`;
      agent.end();
    }, WAIT_MS.deaf);
  }

  function end(): void {
    isLeaving = true;
    agent.end();
  }

  return {
    ...agent,
    end,
    send: (output) => {
      if (output.type !== "request") return;
      void answerTo(output, { at: url ?? "", transport, signal: over.signal }).then((answer) => {
        // That a server which ends gives no answers is told by its end.
        const tell = () => {
          if (!isGone) options.onInput(answer);
        };
        if (answer.status === 0) setTimeout(tell, WAIT_MS.deaf).unref();
        else tell();
      });
    },
    pause: () => stream?.pause(),
    resume: () => stream?.resume(),
    // A server does not look at its input.
    closeInput: end,
  };
}

type Request = Extract<Output, { type: "request" }>;

/** Never fails: that there is none is an answer too. */
async function answerTo(
  { id, method, path, body }: Request,
  { at, transport, signal }: { at: string; transport: Http; signal: AbortSignal },
): Promise<Extract<Input, { type: "answer" }>> {
  try {
    const response = await fetch(`${at}${path}`, {
      method,
      headers: { ...transport.headers, "content-type": "application/json" },
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { type: "answer", id, status: response.status, body: bodyOf(await textOf(response)) };
  } catch (error) {
    return { type: "answer", id, status: 0, body: reasonOf(error) };
  }
}

/** As long as a line may be: what is longer is no answer of any protocol. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LONGEST_LINE_READ) throw new Error(`Its answer is longer than ${LONGEST_LINE_READ >> 20} MB.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON: its words are the answer then.
    return text;
  }
}
