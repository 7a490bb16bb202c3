#!/usr/bin/env node
// A server that OpenCode's driver takes for its own, until it is prompted: then it does what BAD says, or answers as
// a fake agent where that says nothing.
import { once } from "node:events";
import { createServer } from "node:http";

const bad = process.env.BAD ?? "";
const HEARTBEAT = { id: "evt_1", type: "server.heartbeat", properties: {} };
const GARBAGE = [
  "Welcome!",
  "{",
  "[]",
  "null",
  '"text"',
  '{"type":"nothing that anybody says"}',
  '{"id":1,"type":"session.status","properties":{"sessionID":"ses_1","status":7}}',
  '{"id":"evt_1","type":"message.updated","properties":{"sessionID":"ses_1","info":[]}}',
  '{"id":"evt_1","type":"message.part.updated","properties":{"sessionID":"ses_1","part":"no"}}',
  '{"id":"evt_1","type":"permission.asked","properties":{"sessionID":"ses_1","id":{}}}',
];

let events;
const write = (bytes) => new Promise((resolve) => events.write(bytes, resolve));
const say = (data) => write(`data: ${data}\n\n`);

const DOES = {
  async ""() {
    await say(JSON.stringify({ event: { type: "text", text: "Hello." } }));
    await say(JSON.stringify({ event: { type: "result" } }));
  },
  async slow() {
    let said = 0;
    setInterval(async () => {
      await say(`still here ${++said}`);
      if (said === 3) process.exit(0);
    }, 100);
  },
  async garbage() {
    for (const line of GARBAGE) await say(line);
    process.exit(0);
  },
  async dies() {
    console.error("something broke");
    await write('data: {"type":"message.part.delta","prop');
    process.exit(3);
  },
  async killed() {
    await say("at work");
    process.kill(process.pid, "SIGKILL");
  },
  async invalid() {
    await write(Buffer.concat([Buffer.from("data: "), Buffer.from("7bfffec328eda0800a0a", "hex")]));
    process.exit(0);
  },
  async long() {
    await say("x".repeat(5 << 20));
    process.exit(0);
  },
  async floods() {
    for (let event = 0; event < 100_000; event++)
      if (!events.write(`data: an event of no protocol, number ${event}\n\n`)) await once(events, "drain");
    events.write("", () => process.exit(0));
  },
  async stubborn() {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
  },
  async closes() {
    events.end();
  },
  async heartbeats() {
    setInterval(() => say(JSON.stringify(HEARTBEAT)), 50);
  },
  async complains() {
    setInterval(() => console.error("still trying"), 50);
  },
};

createServer((request, response) => {
  if (request.url === "/event") {
    events = response;
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return;
  }
  if (bad === "silent") return;
  request.resume();
  const isPrompt = request.url.includes("prompt");
  response.writeHead(200).end(JSON.stringify({ id: "ses_1", version: "1.0.0" }), () => {
    if (isPrompt) DOES[bad]?.();
  });
}).listen(0, "127.0.0.1", function () {
  if (bad !== "unheard") console.log(`listening on http://127.0.0.1:${this.address().port}`);
});
