import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Script } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, type LoopbackOptions, startLoopback } from "../../src/loopback/server.ts";
import { RULES } from "../../src/loopback/wire.ts";
import { jsonEvents, post } from "./client.ts";

let open: Loopback[] = [];
afterEach(async () => {
  await Promise.all(open.map((loopback) => loopback.close()));
  open = [];
});

async function start(script?: Script, options: LoopbackOptions = {}): Promise<Loopback> {
  const loopback = await startLoopback({ ...(script === undefined ? {} : { script }), ...options });
  open.push(loopback);
  return loopback;
}

/** The same small question in each API, streamed. */
const APIS: Record<string, { path: string; body: unknown }> = {
  anthropic: {
    path: "/v1/messages",
    body: { model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content: "hi" }] },
  },
  responses: { path: "/v1/responses", body: { model: "m", stream: true, input: "hi" } },
  chat: {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
  },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
};
const names = Object.keys(APIS);
const LONG = "A sentence that is long enough to be sent in more than three pieces by everyone.";

const ask = (loopback: Loopback, api: string) => {
  const { path, body } = APIS[api] ?? { path: "", body: {} };
  return post(loopback, path, body);
};

describe("failures", () => {
  const statuses: [number, Record<string, string | null>][] = [
    [
      401,
      { anthropic: "authentication_error", responses: "invalid_request_error", gemini: "UNAUTHENTICATED" },
    ],
    [429, { anthropic: "rate_limit_error", responses: "requests", gemini: "RESOURCE_EXHAUSTED" }],
    [500, { anthropic: "api_error", responses: "server_error", gemini: "INTERNAL" }],
    [529, { anthropic: "overloaded_error", responses: "server_error", gemini: "INTERNAL" }],
  ];
  it.each(statuses)("answers %i in each vendor's shape", async (status, types) => {
    const loopback = await start(() => ({ error: { status, message: "so it is", retryAfter: 7 } }));
    for (const api of names) {
      const answer = await ask(loopback, api);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("retry-after")).toBe("7");
      const type = types[api === "chat" ? "responses" : api];
      const expected = api === "gemini" ? { code: status, status: type } : { type };
      expect(answer.json).toMatchObject({ error: { message: "so it is", ...expected } });
    }
    expect(loopback.requests.map(({ outcome }) => outcome)).toEqual(names.map(() => "failed"));
  });

  it.each(names)("fails inside the stream of %s", async (api) => {
    const loopback = await start([
      { text: "never complete", error: { status: 529, message: "busy", after: 1 } },
    ]);
    const answer = await ask(loopback, api);
    expect(answer.status).toBe(200);
    const events = jsonEvents(answer.text);
    expect(events.length).toBe(2);
    expect(JSON.stringify(events[1])).toMatch(/"error".*busy/);
    expect(loopback.requests[0]?.outcome).toBe("failed");
  });

  it.each(names)("cuts the stream of %s in the middle of an event", async (api) => {
    const loopback = await start([
      { text: LONG, cut: 0 },
      { text: LONG, cut: 2 },
    ]);
    await expect(ask(loopback, api)).rejects.toThrow();
    const { received, complete } = await raw(loopback, api);
    expect(complete).toBe(false);
    const frames = received.split(/\r?\n\r?\n/);
    expect(frames.length).toBe(3);
    expect(frames[2]).not.toBe("");
    await loopback.waitFor(({ requests }) => requests.every(({ outcome }) => outcome === "cut"));
    expect(loopback.requests.length).toBe(2);
  });

  it.each(names)("cuts an answer of %s that is not streamed", async (api) => {
    const loopback = await start([{ text: LONG, cut: 1 }]);
    const { complete } = await raw(loopback, api, false);
    expect(complete).toBe(false);
  });

  it("hangs after some events until the client gives up", async () => {
    const loopback = await start([
      { text: LONG, hang: 2 },
      { text: LONG, hang: 0 },
    ]);
    const { path, body } = APIS.anthropic ?? { path: "", body: {} };
    const controller = new AbortController();
    const response = await fetch(loopback.url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-api-key": "k", "anthropic-version": "1" },
      signal: controller.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (seen.split("\n\n").length < 3) seen += (await reader?.read())?.value;
    expect(loopback.requests[0]?.outcome).toBeUndefined();
    controller.abort();
    await loopback.waitFor(({ requests }) => requests[0]?.outcome === "aborted");

    const silent = ask(loopback, "chat");
    const failed = expect(silent).rejects.toThrow();
    await loopback.waitFor(2);
    await loopback.close();
    await failed;
    expect(loopback.requests[1]?.outcome).toBe("aborted");
  });

  it("takes its time", async () => {
    const loopback = await start([{ text: LONG, pace: 10 }]);
    const started = performance.now();
    const events = jsonEvents((await ask(loopback, "gemini")).text);
    expect(events.length).toBeGreaterThan(3);
    expect(performance.now() - started).toBeGreaterThan(10 * (events.length - 1));
  });
});

describe("scripts", () => {
  it("go step by step, and say when they are over without looking like a failing vendor", async () => {
    const loopback = await start([{ text: "first" }, { text: "second" }]);
    expect((await ask(loopback, "anthropic")).text).toContain("first");
    expect((await ask(loopback, "responses")).text).toContain("second");
    const over = await ask(loopback, "chat");
    expect(over.status).toBe(400);
    expect(over.json).toMatchObject({ error: { message: "loopback script: it has no reply number 3" } });
    expect(loopback.requests[2]).toMatchObject({
      outcome: "script_error",
      problem: "it has no reply number 3",
    });
  });

  it("are not advanced by a request that is refused", async () => {
    const loopback = await start([{ text: "first" }]);
    expect((await post(loopback, "/v1/messages", {})).status).toBe(400);
    expect((await ask(loopback, "anthropic")).text).toContain("first");
  });

  it("may answer by what was asked", async () => {
    const loopback = await start((request, index) => ({
      text: `${request.api} ${index} ${facts(request).length}`,
    }));
    expect((await ask(loopback, "gemini")).text).toContain("gemini 0 1");
    expect((await ask(loopback, "chat")).text).toContain("chat 1 1");
  });

  it("that throw or ask for the impossible are reported", async () => {
    const image = { mimeType: "image/png", data: "" };
    const loopback = await start((_request, index) => {
      if (index === 0) throw new Error("no idea");
      return { image };
    });
    expect((await ask(loopback, "anthropic")).status).toBe(400);
    expect((await ask(loopback, "anthropic")).json).toMatchObject({
      error: { message: expect.stringMatching(/do not answer with images/) },
    });
    expect(
      (await post(loopback, "/v1/chat/completions", { ...Object(APIS.chat?.body), stream: false })).status,
    ).toBe(400);
    expect(loopback.requests.map(({ outcome }) => outcome)).toEqual(Array(3).fill("script_error"));
  });
});

describe("the server", () => {
  it("answers a hundred requests at once, each with its own", async () => {
    const loopback = await start((request) => {
      const block = request.messages[0]?.blocks[0];
      return { text: block?.type === "text" ? `you said ${block.text}` : "", thinking: "x" };
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { path, body } = APIS[names[index % 4] ?? ""] ?? { path: "", body: {} };
        const text = JSON.stringify(body).replace('"hi"', JSON.stringify(`word-${index}-`));
        const answer = await post(loopback, path, text);
        return joined(answer.text).includes(`you said word-${index}-`);
      }),
    );
    expect(answers).toEqual(Array(100).fill(true));
    expect(loopback.requests.length).toBe(100);
    expect(new Set(loopback.requests.map(({ index }) => index)).size).toBe(100);
  });

  it("takes big and compressed bodies", async () => {
    const loopback = await start();
    const big = { ...Object(APIS.responses?.body), input: "x".repeat(60 * 1024 * 1024) };
    expect((await post(loopback, "/v1/responses", big)).status).toBe(200);
    expect(loopback.requests[0]?.bytes).toBeGreaterThan(60 * 1024 * 1024);
    const text = JSON.stringify(APIS.responses?.body);
    for (const [encoding, bytes] of [
      ["gzip", gzipSync(text)],
      ["zstd", zstdCompressSync(text)],
    ] as const) {
      const headers = { authorization: "Bearer k", "content-encoding": encoding };
      const answer = await fetch(`${loopback.url}/v1/responses`, { method: "POST", headers, body: bytes });
      expect(answer.status).toBe(200);
    }
    expect(loopback.requests[2]?.body).toEqual(APIS.responses?.body);
  });

  it("remembers no credentials", async () => {
    const loopback = await start();
    await ask(loopback, "anthropic");
    expect(JSON.stringify(loopback.requests[0]?.headers)).not.toMatch(/test|authorization|api-key/);
    expect(loopback.requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
  });

  it("answers unknown paths in the shape of whoever seems to ask", async () => {
    const loopback = await start();
    const anthropic = await post(loopback, "/v1/nothing", {});
    expect(anthropic.status).toBe(404);
    expect(anthropic.json).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect((await post(loopback, "/v1beta/nothing", {}, {})).json).toMatchObject({
      error: { status: "NOT_FOUND" },
    });
    expect((await post(loopback, "/v1/nothing", {}, {})).json).toMatchObject({
      error: { type: "invalid_request_error", message: "Invalid URL (POST /v1/nothing)" },
    });
    expect((await fetch(loopback.url, { method: "HEAD" })).status).toBe(200);
    expect(loopback.asides.map(({ path, status }) => `${path} ${status}`)).toEqual([
      "/v1/nothing 404",
      "/v1beta/nothing 404",
      "/v1/nothing 404",
      "/ 200",
    ]);
  });

  it("says at once that it speaks no WebSocket", async () => {
    const loopback = await start();
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    const status = await new Promise((resolve, reject) => {
      const asking = httpRequest(`${loopback.url}/v1/responses`, { headers });
      asking.on("response", (response: IncomingMessage) => resolve(response.statusCode));
      asking.on("error", reject).end();
    });
    expect(status).toBe(426);
    expect(loopback.asides).toEqual([{ method: "GET", path: "/v1/responses", status: 426 }]);
  });

  it("survives clients that hang up in the middle", async () => {
    const loopback = await start();
    const head = "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n{";
    await Promise.all(
      [head, "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n", "POST /v1"].map(
        (bytes) =>
          new Promise<void>((resolve) => {
            const socket = connect(loopback.port, "127.0.0.1", () => {
              socket.write(bytes, () => socket.resetAndDestroy());
            });
            socket.on("close", () => resolve());
          }),
      ),
    );
    expect((await ask(loopback, "anthropic")).status).toBe(200);
    expect(loopback.requests.length).toBe(1);
  });

  it("tells those who wait that it closes", async () => {
    const loopback = await start();
    const waiting = expect(loopback.waitFor(1)).rejects.toThrow(/closed before/);
    await loopback.close();
    await waiting;
  });
});

describe("as a proxy", () => {
  it("refuses to connect anybody to anything and remembers the foreign host", async () => {
    const loopback = await start();
    expect(
      await speak(loopback, "CONNECT api.example.com:443 HTTP/1.1\r\nhost: api.example.com:443\r\n\r\n"),
    ).toMatch(/^HTTP\/1\.1 403 /);
    await speak(loopback, `CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n`);
    expect(loopback.refusals).toEqual([
      { method: "CONNECT", host: "api.example.com:443", foreign: true },
      { method: "CONNECT", host: "127.0.0.1:1", foreign: false },
    ]);
  });

  it("refuses requests for other hosts, in whichever form they name them", async () => {
    const loopback = await start();
    const close = "connection: close\r\ncontent-length: 0\r\n\r\n";
    const absolute = `POST http://example.com/v1/messages HTTP/1.1\r\nhost: example.com\r\n${close}`;
    expect(await speak(loopback, absolute)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await speak(loopback, `GET / HTTP/1.1\r\nhost: evil.example:81\r\n${close}`)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    const near = `GET http://127.0.0.1:1/v1/models HTTP/1.1\r\nhost: 127.0.0.1:1\r\n${close}`;
    expect(await speak(loopback, near)).toMatch(/^HTTP\/1\.1 403 /);
    const own = `GET ${loopback.url}/v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n${close}`;
    expect(await speak(loopback, own)).toMatch(/^HTTP\/1\.1 200 /);
    expect(loopback.refusals.map(({ host, foreign }) => [host, foreign])).toEqual([
      ["example.com", true],
      ["evil.example:81", true],
      ["127.0.0.1:1", false],
    ]);
    expect(loopback.requests).toEqual([]);
  });
});

it("documents every rule", () => {
  const text = readFileSync(new URL("../../src/loopback/README.md", import.meta.url), "utf8");
  expect(RULES.filter((rule) => !text.includes(`\`${rule}\``))).toEqual([]);
});

/** Every string of every event, put together: what a text looks like without the cuts between its pieces. */
function joined(stream: string): string {
  let result = "";
  const visit = (value: unknown, key = ""): void => {
    if (typeof value === "string" && ["text", "delta", "content"].includes(key)) result += value;
    if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) visit(inner, name);
    }
  };
  for (const event of jsonEvents(stream)) visit(event);
  return result;
}

function speak(loopback: Loopback, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(loopback.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** A request whose body is read to its end, whatever end that is. */
function raw(
  loopback: Loopback,
  api: string,
  stream = true,
): Promise<{ received: string; complete: boolean }> {
  const asked = APIS[api] ?? { path: "", body: {} };
  const path = stream ? asked.path : asked.path.replace("streamGenerateContent?alt=sse", "generateContent");
  const body = { ...Object(asked.body), ...(stream || api === "gemini" ? {} : { stream: false }) };
  const headers = {
    "x-api-key": "k",
    "anthropic-version": "1",
    authorization: "Bearer k",
    "x-goog-api-key": "k",
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      loopback.url + path,
      { method: "POST", headers },
      (response: IncomingMessage) => {
        let received = "";
        response.on("data", (chunk: Buffer) => {
          received += chunk.toString();
        });
        response.on("error", () => resolve({ received, complete: false }));
        response.on("end", () => resolve({ received, complete: response.complete }));
      },
    );
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}
