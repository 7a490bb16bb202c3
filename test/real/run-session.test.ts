// `baton run AGENT --session S`: a session of one agent goes on live in another, whose model is told all of it, and
// its turns are in the catalog while it runs. That agent has been used in the same home before, as most agents have: some
// keep records of their own then, which a session that is carried must fit.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { layDown } from "../../src/verify/run.ts";
import { programs } from "./baton.ts";
import { DRIVERS } from "./drivers.ts";
import { type CliName, NAMES } from "./install.ts";
import { type LiveRig, openLive } from "./live-rig.ts";

const LAUNCHER = join(import.meta.dirname, "../../bin/baton.js");

describe.each(NAMES)("a session of %s", (from) => {
  const others = NAMES.filter((name) => name !== from);
  // Each agent is once the target of every other within four tests; all pairs are proven by carry-*.test.ts.
  const to = others[NAMES.indexOf(from) % others.length] as CliName;

  it(`goes on live in ${to}`, async () => {
    const rig = await openLive(from);
    try {
      rig.answer([{ text: "The word is Quokka." }]);
      const first = rig.start();
      const { session_id } = await first.turn("Remember a word");
      await first.close();
      await layDown(rig.home, DRIVERS[to].files(rig.loopback.url));
      rig.answer([{ text: "Good day." }]);
      expect(await used(rig, to)).toBe("Good day.\n");
      rig.answer([{ text: "It was Quokka." }]);
      const { events, seenLive } = await batonRun(rig, to, `${from}:${session_id}`);
      const result = events.find((event) => event.type === "result");
      expect(result).toMatchObject({ subtype: "success", result: "It was Quokka." });
      const asked = JSON.stringify(rig.loopback.requests.at(-1)?.request.messages);
      for (const text of ["Remember a word", "The word is Quokka.", "Which one was it?"])
        expect(asked).toContain(text);
      expect(seenLive).toContain(`${to}:${result?.session_id}`);
      expect(rig.loopback.refusals.filter(({ foreign }) => foreign)).toEqual([]);
    } finally {
      await rig.close();
    }
  });
});

async function started(rig: LiveRig, agent: CliName, args: readonly string[]) {
  return spawn(process.execPath, [LAUNCHER, "run", agent, ...args], {
    cwd: rig.cwd,
    env: { ...rig.environment(), ...DRIVERS[agent].env(rig.home, rig.loopback.url), PATH: await programs() },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function used(rig: LiveRig, agent: CliName): Promise<string> {
  const child = await started(rig, agent, ["-p", "Hello", "--quiet"]);
  return text(child.stdout);
}

/** `seenLive`: what the catalog has with both turns when the result comes and the agent still runs. */
async function batonRun(rig: LiveRig, to: CliName, session: string) {
  const streams = ["--output-format", "stream-json", "--input-format", "stream-json"];
  const child = await started(rig, to, ["--session", session, ...streams, "--permission-mode", "auto"]);
  child.stdin.write('{"type":"prompt","text":"Which one was it?"}\n');
  const events: AgentEvent[] = [];
  const checker = newEventChecker();
  let seenLive: string[] = [];
  let rest = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = JSON.parse(line) as AgentEvent;
      events.push(event);
      expect(checker.check(event)).toEqual([]);
      if (event.type !== "message_stop") continue;
      await expect
        .poll(() => (seenLive = withFourMessages(join(rig.home, ".baton"))), { timeout: 20_000 })
        .toHaveLength(1);
      child.stdin.end();
    }
  }
  expect(checker.end()).toEqual([]);
  return { events, seenLive };
}

function withFourMessages(batonHome: string): string[] {
  const catalog = openCatalog(batonHome);
  try {
    const { sessions } = listSessions(catalog, { limit: 10 });
    return sessions.filter((one) => one.messageCount === 4).map((one) => `${one.agent}:${one.originalId}`);
  } finally {
    catalog.close();
  }
}
