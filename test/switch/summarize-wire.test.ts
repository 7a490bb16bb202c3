// A summary by a model behind a vendor's API, and every way in which the network can fail on the way.
import { afterEach, describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { BatonError } from "../../src/session/error.ts";
import { type Summarizer, summarize } from "../../src/switch/summarize.ts";
import { jsonEvents } from "../loopback/client.ts";
import { assistant, call, result, stream, user } from "../session/build.ts";

const timeline = [user("u1"), assistant("a1"), call("c1"), result("c1"), user("u2"), assistant("a2")];
const count = (text: string) => Math.ceil(text.length / 4);
let loopback: Loopback;

afterEach(() => loopback.close());

async function start(...script: Reply[]): Promise<void> {
  loopback = await startLoopback({ script });
}

async function post(url: string, body: object, signal?: AbortSignal): Promise<string> {
  const headers = { "content-type": "application/json", authorization: "Bearer test" };
  const version = url.endsWith("/messages") ? { "anthropic-version": "2023-06-01", "x-api-key": "test" } : {};
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, ...version },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

/** Each in its stream, as agents ask. */
const SUMMARIZERS: Record<string, (url: string) => Summarizer> = {
  "Anthropic Messages": (url) => async (request) => {
    const body = {
      model: "claude-haiku-4-5",
      max_tokens: request.maxTokens,
      system: request.prompt,
      messages: [{ role: "user", content: request.transcript }],
      stream: true,
    };
    const events = jsonEvents<{ delta?: { text?: string } }>(
      await post(`${url}/v1/messages`, body, request.signal),
    );
    return events.map(({ delta }) => delta?.text ?? "").join("");
  },
  "OpenAI Responses": (url) => async (request) => {
    const body = {
      model: "gpt-5.5",
      instructions: request.prompt,
      input: [{ role: "user", content: request.transcript }],
      stream: true,
    };
    const events = jsonEvents<{ type: string; delta?: string }>(
      await post(`${url}/v1/responses`, body, request.signal),
    );
    return events.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : "")).join("");
  },
};

describe.each(Object.entries(SUMMARIZERS))("through %s", (_, through) => {
  const make = (options: { chunkTokens?: number; signal?: AbortSignal; url?: string } = {}) => {
    const { url = loopback.url, ...rest } = options;
    return summarize(stream(timeline), { summarizer: through(url), count, maxTokens: 100, ...rest });
  };

  async function failure(options: Parameters<typeof make>[0] = {}): Promise<string> {
    const error = (await make(options).catch((found: unknown) => found)) as BatonError;
    expect(error).toBeInstanceOf(BatonError);
    expect(error.code).toBe("failed");
    expect(error.hint).toContain("Nothing was written");
    return error.message;
  }

  it("the model gets prompt and transcript, and its words are the summary", async () => {
    await start({ thinking: "Hm.", text: "The user said u1.\nAll is done." });
    expect(await make()).toBe("The user said u1.\nAll is done.");
    const [exchange] = loopback.requests;
    expect(exchange?.violations).toEqual([]);
    const received = facts(exchange?.request as never).map((fact) => JSON.stringify(fact));
    expect(received.join("\n")).toContain("User: says u1");
    expect(received.join("\n")).toContain("Result (ok): output of c1");
    expect(JSON.stringify(exchange?.body)).toContain("material to be summarised");
    expect(loopback.refusals).toEqual([]);
  });

  it("a longer history takes several requests", async () => {
    const long = Array.from({ length: 20 }, (_, at) => assistant(`a${at}`.padEnd(100, ".")));
    loopback = await startLoopback({ script: (_, at) => ({ text: `Summary ${at}.` }) });
    const summarizer = through(loopback.url);
    const summary = await summarize(stream(long), { summarizer, count, maxTokens: 100, chunkTokens: 200 });
    expect(loopback.requests.length).toBeGreaterThan(2);
    expect(summary).toBe(`Summary ${loopback.requests.length - 1}.`);
    expect(JSON.stringify(loopback.requests[1]?.body)).toContain("Summary 0.");
  });

  it("a server that fails makes the summary fail", async () => {
    await start({ error: { status: 500 } });
    expect(await failure()).toBe("The summary could not be made: status 500.");
  });

  it.each([0, 2])("so does a connection that breaks after %i events", async (cut) => {
    await start({ text: "Half a summary", cut });
    expect(await failure()).toMatch(/^The summary could not be made: .+\.$/);
  });

  it("so does a later request, whatever the first one said", async () => {
    await start({ text: "Fine so far." }, { error: { status: 529 } });
    const long = Array.from({ length: 20 }, (_, at) => assistant(`a${at}`.padEnd(100, ".")));
    const summarizer = through(loopback.url);
    const made = summarize(stream(long), { summarizer, count, maxTokens: 100, chunkTokens: 200 });
    await expect(made).rejects.toThrow("status 529");
    expect(loopback.requests).toHaveLength(2);
  });

  it("so does an answer without words", async () => {
    await start({ thinking: "Hm.", text: " " });
    expect(await failure()).toBe("The summary could not be made: the model's answer was empty.");
  });

  it("so does a server that is not there", async () => {
    await start();
    const { url } = loopback;
    await loopback.close();
    expect(await failure({ url })).toMatch(/ECONNREFUSED/);
    loopback = await startLoopback();
  });

  it("so does a time that is up while nothing comes", async () => {
    await start({ text: "never", hang: 0 });
    const abort = new AbortController();
    const failing = failure({ signal: abort.signal });
    await loopback.waitFor(1);
    abort.abort(new Error("time is up"));
    expect(await failing).toBe("The summary could not be made: it was stopped (time is up).");
  });
});
