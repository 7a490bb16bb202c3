// The events of a server that has ended, for a reader that takes its time.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listen } from "../../src/run/event-stream.ts";
import { LAST_OUTPUT_MS } from "../../src/run/process.ts";

const EVENTS = Array.from({ length: 100 }, (_, at) => String(at).padEnd(50_000, "."));

let server: Server;
beforeEach(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(EVENTS.map((data) => `data: ${data}\n\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

it("are all heard, however long nobody takes them", async () => {
  const heard: string[] = [];
  const first = Promise.withResolvers<void>();
  const broken = vi.fn();
  const stream = listen({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    onOpen: () => stream.pause(),
    onEvent(data) {
      heard.push(data);
      first.resolve();
    },
    onBroken: broken,
  });
  await first.promise;
  const all = stream.heardOut();
  await vi.advanceTimersByTimeAsync(LAST_OUTPUT_MS * 10);
  expect(heard.length).toBeLessThan(EVENTS.length);
  expect(broken).not.toHaveBeenCalled();
  stream.resume();
  await all;
  expect(heard).toEqual(EVENTS);
});
