// The driver of Gemini CLI between two lines of a test: brought as far as its first prompt, then told what the CLI says.
import type { Input, Output, RunRequest } from "../../../src/adapters/driver.ts";
import { run } from "../../../src/adapters/gemini/run.ts";

export const REQUEST: RunRequest = {
  home: { dir: "/home/user", env: {} },
  cwd: "/home/user/project",
  mode: "default",
  secret: "a secret",
  version: "0.0.0",
};

const MODES = ["default", "autoEdit", "yolo", "plan"].map((id) => ({ id, name: id }));
export const OPENED = {
  modes: { currentModeId: "autoEdit", availableModes: MODES },
  models: { currentModelId: "auto", availableModels: [{ modelId: "auto", name: "Auto" }] },
};

/** The driver between the first word and the first prompt, told what the CLI says. */
export function started(request: Partial<RunRequest> = {}) {
  const state = run.initial({ ...REQUEST, ...request });
  const step = (input: Input) => run.step(state, input);
  const line = (message: object) =>
    step({ type: "line", text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const update = (told: object, sessionId = "s1") =>
    line({ method: "session/update", params: { sessionId, update: told } });
  step({ type: "start" });
  const asked = line({
    id: 1,
    result: {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
      agentInfo: { name: "gemini-cli", version: "0.61.0" },
    },
  });
  return { state, step, line, update, asked };
}

export function ready(request: Partial<RunRequest> = {}) {
  const one = started(request);
  const opened = one.line({ id: 2, result: { sessionId: "s1", ...OPENED } });
  return { ...one, opened };
}

export function prompted(text = "Go") {
  const one = ready();
  one.step({ type: "prompt", text });
  return {
    ...one,
    answer: (result: object) => events(one.line({ id: 3, result })),
    fail: (error: object) => events(one.line({ id: 3, error })),
  };
}

export const events = (outputs: Output[]) =>
  outputs.flatMap((output) => (output.type === "event" ? [output.event] : []));
export const sent = (outputs: Output[]) =>
  outputs.flatMap((output) => (output.type === "send" ? [JSON.parse(output.line)] : []));
