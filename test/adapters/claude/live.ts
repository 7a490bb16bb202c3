// Claude Code's live driver at work, for tests: told lines and wishes, with its state kept as JSON in between.
import { driver } from "../../../src/adapters/claude/run.ts";
import type { DriverEvent, Input, Output, RunRequest } from "../../../src/adapters/driver.ts";

export const SESSION = "00000000-0000-4000-8000-000000000001";

export function request(more: Partial<RunRequest> = {}): RunRequest {
  const home = { dir: "/home/user", env: {} };
  return { home, cwd: "/home/user/project", mode: "auto", secret: "a secret", version: "0.0.0", ...more };
}

/** A driver that is told lines; its state is kept as JSON, which it has to be. */
export function started(more: Partial<RunRequest> = {}) {
  let state = driver.initial(request(more));
  const step = (input: Input): Output[] => {
    const outputs = driver.step(state, input);
    state = JSON.parse(JSON.stringify(state));
    return outputs;
  };
  const tell = (line: unknown) => step({ type: "line", text: JSON.stringify(line) });
  return { step, tell, size: () => JSON.stringify(state).length };
}

/** The same, initialized, and at work on a prompt. */
export function prompted(more: Partial<RunRequest> = {}) {
  const one = started(more);
  one.step({ type: "start" });
  one.tell({
    type: "control_response",
    response: { subtype: "success", request_id: "baton-1", response: {} },
  });
  one.step({ type: "prompt", text: "Go" });
  one.tell(rest("running"));
  return one;
}

export const rest = (state: string) => ({
  type: "system",
  subtype: "session_state_changed",
  state,
  session_id: SESSION,
});
export const events = (outputs: Output[]) =>
  outputs.flatMap((output): DriverEvent[] => (output.type === "event" ? [output.event] : []));
export const lines = (outputs: Output[]) =>
  outputs.flatMap((output) => (output.type === "send" ? [JSON.parse(output.line)] : []));
export const responses = (outputs: Output[]) => lines(outputs).map(({ response }) => response.response);

export const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: SESSION,
  result: "Done.",
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
});
