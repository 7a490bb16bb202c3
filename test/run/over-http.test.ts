// Agents that are servers: found by what they print, heard by their events, asked by requests.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Input } from "../../src/adapters/driver.ts";
import { type Connection, connect } from "../../src/run/connection.ts";
import { WAIT_MS } from "../../src/run/waits.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-http-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A server that takes a word, tells its events and says what it was asked. */
const SERVER = `
const { createServer } = require("node:http");
const server = createServer((request, response) => {
  if (request.headers.authorization !== "a word") return response.writeHead(401).end();
  if (request.url === "/event") {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    for (const data of EVENTS) response.write("data: " + data + "\\n\\n");
    if (BREAKS) setTimeout(() => response.destroy(), 50);
    return;
  }
  if (request.url === "/break") return request.destroy();
  if (request.url === "/endless") {
    const megabyte = Buffer.alloc(1 << 20, "x");
    const more = () => void response.write(megabyte, (error) => error ?? more());
    return more();
  }
  if (request.url === "/end") return process.exit(3);
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => response.writeHead(request.url === "/words" ? 404 : 200).end(request.url === "/words" ? "no such thing" : JSON.stringify({ method: request.method, body })));
});
console.log("Warning: something else first");
server.listen(0, "127.0.0.1", () => console.log("listening on http://127.0.0.1:" + server.address().port));
`;

async function started(options: { word?: string; events?: string[]; breaks?: boolean } = {}) {
  const { word = "a word", events = [], breaks = false } = options;
  const path = join(folder, "server.cjs");
  await writeFile(path, `const EVENTS = ${JSON.stringify(events)}; const BREAKS = ${breaks}; ${SERVER}`);
  const inputs: Input[] = [];
  const complaints: string[] = [];
  let wake = Promise.withResolvers<void>();
  const connection: Connection = connect({
    argv: [process.execPath, path],
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    mark: `over-http-${folder}`,
    transport: { type: "http", events: "/event", headers: { authorization: word } },
    onInput(input) {
      inputs.push(input);
      wake.resolve();
      wake = Promise.withResolvers();
    },
    onComplaint: (line) => complaints.push(line),
    onDeaf: () => undefined,
  });
  async function until<T extends Input["type"]>(type: T, count = 1) {
    for (;;) {
      const found = inputs.filter((one): one is Extract<Input, { type: T }> => one.type === type);
      if (found.length >= count) return found;
      await wake.promise;
    }
  }
  return { connection, inputs, complaints, until };
}

describe("an agent over HTTP", () => {
  it("is heard, and ends when it is told to", async () => {
    const events = ['{"id":"1"}', '{"id":"2"}'];
    const { connection, inputs, complaints, until } = await started({ events });
    expect((await until("line", 2)).map(({ text }) => text)).toEqual(events);
    expect(inputs[0]).toEqual({ type: "start" });
    connection.closeInput();
    await until("end");
    expect(inputs.at(-1)?.type).toBe("end");
    expect(complaints).toEqual(["Warning: something else first"]);
  });

  it("answers, or does not, and is never thrown at", async () => {
    const { connection, until } = await started();
    await until("start");
    connection.send({ type: "request", id: 1, method: "POST", path: "/session", body: { text: "ü" } });
    connection.send({ type: "request", id: 2, method: "GET", path: "/words" });
    connection.send({ type: "request", id: 3, method: "GET", path: "/break" });
    const answers = (await until("answer", 3)).toSorted((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { id: 1, status: 200, body: { method: "POST", body: '{"text":"ü"}' } },
      { id: 2, status: 404, body: "no such thing" },
      { id: 3, status: 0, body: expect.stringMatching(/./) },
    ]);
    connection.end();
    await until("end");
  });

  it("is not listened to for ever where an answer has no end", async () => {
    const { connection, until } = await started();
    await until("start");
    connection.send({ type: "request", id: 1, method: "GET", path: "/endless" });
    expect(await until("answer")).toEqual([
      { type: "answer", id: 1, status: 0, body: "Its answer is longer than 96 MB." },
    ]);
    connection.end();
    await until("end");
  });

  it("that ends instead of answering gives no answer: its end says why", async ({ onTestFinished }) => {
    const { deaf } = WAIT_MS;
    WAIT_MS.deaf = 20_000;
    onTestFinished(() => {
      WAIT_MS.deaf = deaf;
    });
    const { connection, inputs, until } = await started();
    await until("start");
    connection.send({ type: "request", id: 1, method: "GET", path: "/end" });
    const [end] = await until("end");
    expect(end).toMatchObject({ exitCode: 3 });
    expect(inputs.map(({ type }) => type)).toEqual(["start", "end"]);
  });

  it("that does not let us hear it is ended", async () => {
    const { inputs, until } = await started({ word: "another word" });
    const [end] = await until("end");
    expect(end?.cause).toContain("status 401");
    expect(inputs.map(({ type }) => type)).toEqual(["end"]);
  });

  it("whose events break off is ended, and says why", async () => {
    const { complaints, until } = await started({ breaks: true, events: ["{}"] });
    const [end] = await until("end");
    expect(end?.cause).toContain("its events broke off");
    expect(complaints.at(-1)).toContain("Its events broke off");
  });

  it("says nothing while nobody takes it", async () => {
    const events = Array.from(
      { length: 50 },
      (_, at) => `{"type":"x","at":${at},"text":"${"y".repeat(50_000)}"}`,
    );
    const { connection, inputs, until } = await started({ events });
    await until("line");
    connection.pause();
    connection.send({ type: "request", id: 1, method: "GET", path: "/any" });
    await until("answer");
    expect(inputs.filter(({ type }) => type === "line").length).toBeLessThan(50);
    connection.resume();
    await until("line", 50);
    connection.end();
    await until("end");
  });

  it("tells its password to nobody but loopback, whatever is printed first", async () => {
    const path = join(folder, "strangers.cjs");
    await writeFile(
      path,
      `const { createServer } = require("node:http");
const server = (host, more) =>
  createServer((request, response) => {
    console.error("asked " + host);
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  }).listen(0, host, function () {
    console.log("listening on http://" + host + ":" + this.address().port);
    more?.();
  });
server("127.0.0.2", () => server("127.0.0.1"));`,
    );
    const complaints: string[] = [];
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const connection = connect({
      argv: [process.execPath, path],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      mark: `strangers-${folder}`,
      transport: { type: "http", events: "/event", headers: { authorization: "a word" } },
      onInput({ type }) {
        if (type === "start") ready.resolve();
        if (type === "end") ended.resolve();
      },
      onComplaint: (line) => complaints.push(line),
      onDeaf: () => undefined,
    });
    await ready.promise;
    connection.end();
    await ended.promise;
    expect(complaints).toContain("asked 127.0.0.1");
    expect(complaints).not.toContain("asked 127.0.0.2");
  });

  it("may cut a character between two chunks", async () => {
    const path = join(folder, "halves.cjs");
    await writeFile(
      path,
      `const { createServer } = require("node:http");
let events;
createServer((request, response) => {
  if (request.url !== "/event") {
    events.write(Buffer.from("bc0a0a", "hex"));
    return response.end();
  }
  events = response.writeHead(200, { "content-type": "text/event-stream" });
  events.write(Buffer.concat([Buffer.from("data: first\\n\\ndata: "), Buffer.from("c3", "hex")]));
}).listen(0, "127.0.0.1", function () {
  console.log("http://127.0.0.1:" + this.address().port);
});`,
    );
    const lines: string[] = [];
    const ended = Promise.withResolvers<void>();
    const connection: Connection = connect({
      argv: [process.execPath, path],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      mark: `halves-${folder}`,
      transport: { type: "http", events: "/event", headers: {} },
      onInput(input) {
        if (input.type === "end") ended.resolve();
        if (input.type !== "line") return;
        lines.push(input.text);
        // The second half goes out once the first has been read.
        if (lines.length === 1) connection.send({ type: "request", id: 1, method: "GET", path: "/next" });
        else connection.end();
      },
      onComplaint: () => undefined,
      onDeaf: () => undefined,
    });
    await ended.promise;
    expect(lines).toEqual(["first", "ü"]);
  });
});
