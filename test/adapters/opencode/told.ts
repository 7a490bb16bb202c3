// A driver that is told what OpenCode would say, and what it said to that.
import type { DriverEvent, Input, Output, RunRequest } from "../../../src/adapters/driver.ts";
import { driver } from "../../../src/adapters/opencode/run.ts";
import type { State } from "../../../src/adapters/opencode/run-state.ts";

export const REQUEST: RunRequest = {
  home: { dir: "/home/user", env: {} },
  cwd: "/home/user/project",
  mode: "auto",
  secret: "a word",
  version: "0.0.0",
};
export const SESSION = "ses_1";

type Asked = Extract<Output, { type: "request" }>;
type Of<T extends DriverEvent["type"]> = Extract<DriverEvent, { type: T }>;

/** A driver with what it said so far; `answer` answers its last request of that kind. */
export class Told {
  readonly said: Output[] = [];
  readonly state: State;

  constructor(request: Partial<RunRequest> = {}) {
    this.state = driver.initial({ ...REQUEST, ...request });
  }

  tell(...inputs: Input[]): this {
    for (const input of inputs) this.said.push(...driver.step(this.state, input));
    return this;
  }

  event(type: string, properties: Record<string, unknown>, id = "evt_1"): this {
    return this.tell({ type: "line", text: JSON.stringify({ id, type, properties }) });
  }

  answer(path: string, body: unknown, status = 200): this {
    const { id } = this.requests(path).at(-1) as Asked;
    return this.tell({ type: "answer", id, status, body });
  }

  requests(path = ""): Asked[] {
    return this.said.filter((one): one is Asked => one.type === "request" && one.path.endsWith(path));
  }

  events<T extends DriverEvent["type"]>(type: T): Of<T>[] {
    return this.said.flatMap((one) =>
      one.type === "event" && one.event.type === type ? [one.event as Of<T>] : [],
    );
  }

  has(type: Output["type"]): boolean {
    return this.said.some((one) => one.type === type);
  }

  // What OpenCode says.
  status(type: string, more = {}, sessionID = SESSION): this {
    return this.event("session.status", { sessionID, status: { type, ...more } });
  }

  idle(): this {
    return this.status("idle").event("session.idle", { sessionID: SESSION });
  }

  reply(id: string, more = {}, sessionID = SESSION): this {
    const info = { id, role: "assistant", providerID: "sim", modelID: "one", time: { created: 1 }, ...more };
    return this.event("message.updated", { sessionID, info: { sessionID, ...info } });
  }

  replyOver(id: string, more = {}): this {
    return this.reply(id, { time: { created: 1, completed: 2 }, finish: "stop", ...more });
  }

  part(part: Record<string, unknown>, sessionID = SESSION): this {
    return this.event("message.part.updated", {
      sessionID,
      part: { sessionID, messageID: "msg_1", ...part },
    });
  }

  tool(callID: string, state: Record<string, unknown>, tool = "bash"): this {
    return this.part({ id: `prt_${callID}`, type: "tool", tool, callID, state });
  }

  error(name: string, data: Record<string, unknown>, sessionID: string | undefined = SESSION): this {
    return this.event("session.error", { sessionID, error: { name, data } });
  }

  permission(id: string, more: Record<string, unknown> = {}): this {
    const asked = { permission: "bash", patterns: ["echo one"], metadata: {}, always: [] };
    return this.event("permission.asked", { id, sessionID: SESSION, ...asked, ...more });
  }
}

/** Ready for a prompt, in a new session. */
export function ready(request: Partial<RunRequest> = {}, agents: unknown = AGENTS): Told {
  const told = new Told(request).tell({ type: "start" }).answer("/global/health", { version: "1.18.33" });
  if (told.requests("/agent").length > 0) told.answer("/agent", agents);
  return told;
}

/** At work on its first prompt. */
export function busy(request: Partial<RunRequest> = {}, agents: unknown = AGENTS): Told {
  return ready(request, agents)
    .tell({ type: "prompt", text: "Go" })
    .answer("/session", { id: SESSION })
    .answer("/prompt_async", "", 204)
    .status("busy")
    .reply("msg_1");
}

export const rule = (permission: string, action: string, pattern = "*") => ({ permission, pattern, action });
export const OURS = ["bas?", "edi?", "tas?", "webfetc?", "*_*"].map((name) => rule(name, "ask"));
export const AGENTS = [
  { name: "build", mode: "primary", permission: [rule("*", "allow"), rule("bash", "deny", "rm *"), ...OURS] },
  { name: "plan", mode: "primary", permission: [rule("*", "allow"), rule("edit", "deny"), ...OURS] },
  { name: "general", mode: "subagent", permission: [rule("*", "allow"), ...OURS] },
];
