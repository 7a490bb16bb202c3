#!/usr/bin/env node
// Says as many numbered lines as it is told, as fast as they are taken, and complains how far it has got: every second in
// which nobody takes one, and when all are written. How far it is stands in the file WRITTEN at any time. As a server it
// tells them as events.
import { once } from "node:events";
import { openSync, writeSync } from "node:fs";
import { createServer } from "node:http";

const LINES = Number(process.env.LINES);
const file = process.env.WRITTEN && openSync(process.env.WRITTEN, "w");
const lineOf = (at) => `${String(at).padEnd(2000, ".")}`;

if (process.env.TRANSPORT === "http") serve();
else void say(process.stdout, (at) => `${lineOf(at)}\n`);

async function say(out, frame) {
  let written = 0;
  for (let at = 0; at < LINES; at++) {
    const note = () => {
      written++;
      if (file) writeSync(file, String(written), 0);
    };
    if (out.write(frame(at), note)) continue;
    const held = setInterval(() => console.error(`held ${written} ${process.pid}`), 1000);
    await once(out, "drain");
    clearInterval(held);
  }
  out.write("", () => {
    console.error(`all ${LINES}`);
    process.exit(0);
  });
}

function serve() {
  const server = createServer((request, response) => {
    if (request.url !== "/event") return response.end("{}");
    response.writeHead(200, { "content-type": "text/event-stream" });
    return say(response, (at) => `data: ${lineOf(at)}\n\n`);
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
}
