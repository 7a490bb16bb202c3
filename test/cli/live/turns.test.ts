// Signals, status and late words where there is more than one turn.
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/session/events.ts";
import { type AgentHome, makeAgentHome, STREAM } from "./agent-home.ts";

let home: AgentHome;
beforeEach(() => {
  home = makeAgentHome();
});
afterEach(() => home.remove());

function start() {
  const child = home.start(["run", "claude", "--input-format", "stream-json", ...STREAM]);
  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.map((line) => JSON.parse(line)));
    for (const look of waiting) look();
  });
  return {
    child,
    events,
    prompt: (text: string) => child.stdin?.write(`${JSON.stringify({ type: "prompt", text })}\n`),
    until: (wanted: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!wanted()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

const subtypes = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "result" ? [event.subtype] : []));

it("each Ctrl-C stops its own turn, also the second of several that wait, and the run goes on", async () => {
  const one = start();
  one.prompt("wait");
  one.prompt("wait");
  for (const turn of [1, 2]) {
    await one.until(() => one.events.filter(({ type }) => type === "text").length >= turn * 3);
    one.child.kill("SIGINT");
    await one.until(() => subtypes(one.events).length === turn);
  }
  one.prompt("say Still here.");
  one.child.stdin?.end();
  const [status] = await once(one.child, "exit");
  expect(subtypes(one.events)).toEqual(["interrupted", "interrupted", "success"]);
  expect(status).toBe(0);
});
