// Plays a recorded run to a driver again, without a process: what was told is told, and what follows is written down.
import { readFileSync } from "node:fs";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { Decision, Driver, Input, Output, RunRequest } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import { Protocol } from "../../src/run/protocol.ts";
import type { AgentEvent, PermissionMode } from "../../src/session/events.ts";

export interface Recording {
  request: Pick<RunRequest, "cwd" | "mode" | "session" | "model">;
  inputs: Input[];
}

export function readRecording(path: string): Recording {
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [{ request }, ...rest] = lines;
  return { request, inputs: rest.map(({ input }) => inputOf(input)) };
}

function inputOf(input: Input | { type: "line"; json: unknown }): Input {
  return "json" in input ? { type: "line", text: JSON.stringify(input.json) } : input;
}

// biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own.
export function driverOf(agent: string): Driver<any> {
  if (agent === "acp") return acpDriver({ argv: ["acp"] });
  const driver = adapters.find(({ id }) => id === agent)?.run;
  if (!driver) throw new Error(`${agent} has no driver`);
  return driver;
}

export function requestOf(request: Recording["request"]): RunRequest {
  return { ...request, home: { dir: "/home/user", env: {} }, secret: "a secret", version: "0.0.0" };
}

export interface Replayed {
  /** What the driver sent and asked for, and what became of its events, in order. */
  said: (AgentEvent | Exclude<Output, { type: "event" }>)[];
  events: AgentEvent[];
  protocol: Protocol;
}

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Decisions and interrupts are in the recording; each input takes a millisecond. */
export function replay(agent: string, { request, inputs }: Recording): Replayed {
  const driver = driverOf(agent);
  const state = driver.initial(requestOf(request));
  let now = START;
  const protocol = new Protocol({
    run: "00000000-0000-4000-8000-000000000000",
    agent,
    provider: adapters.find(({ id }) => id === agent)?.badge ?? agent,
    cwd: request.cwd,
    model: request.model ?? "",
    mode: request.mode,
    session: request.session ?? "",
    who: { label: "The agent" },
    now: () => now,
  });
  const said: Replayed["said"] = [];
  const events: AgentEvent[] = [];
  const tell = (list: AgentEvent[]) => {
    said.push(...list);
    events.push(...list);
  };
  for (const input of inputs) {
    now += 1;
    if (input.type === "prompt") tell(protocol.begin(input.text));
    if (input.type === "interrupt") tell(protocol.interrupt());
    for (const output of driver.step(state, input)) {
      if (output.type !== "event") said.push(output);
      else if (output.event.type === "unask") tell(protocol.decided(output.event.id, "deny", "agent"));
      else if (output.event.type === "mode") tell(protocol.modeIs(output.event.mode));
      else if (output.event.type !== "ask") tell(protocol.say(output.event));
      else if (isAsked(request.mode)) tell(protocol.asked(output.event, 300_000));
    }
    if (input.type === "decide" && isAsked(request.mode))
      tell(protocol.decided(input.id, verdictOf(input.decision), "user", input.decision.message));
  }
  return { said, events, protocol };
}

/** In the other modes nobody is. */
function isAsked(mode: PermissionMode): boolean {
  return mode === "default" || mode === "interactive";
}

function verdictOf({ allow, always }: Decision) {
  if (!allow) return "deny";
  return always ? "allow_session" : "allow";
}
