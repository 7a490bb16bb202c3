// Codex's live driver at work, for tests: told lines and wishes, with its state kept as JSON in between.
import { driver } from "../../../src/adapters/codex/run.ts";
import type { DriverEvent, Input, Output, RunRequest } from "../../../src/adapters/driver.ts";

export const THREAD = "01a00000-0000-7000-8000-000000000001";
export const TURN = "01a00000-0000-7000-8000-000000000002";
export const AGENT = "01a00000-0000-7000-8000-000000000003";

export function request(more: Partial<RunRequest> = {}): RunRequest {
  const home = { dir: "/home/user", env: {} };
  return { home, cwd: "/home/user/project", mode: "default", secret: "a secret", version: "1.2.3", ...more };
}

/** A driver that is told lines; its state is kept as JSON, which it has to be. */
export function started(more: Partial<RunRequest> = {}) {
  let state = driver.initial(request(more));
  const step = (input: Input): Output[] => {
    const outputs = driver.step(state, input);
    state = JSON.parse(JSON.stringify(state));
    return outputs;
  };
  const line = (text: string) => step({ type: "line", text });
  const answer = (id: number, result: object) => line(JSON.stringify({ id, result }));
  const fail = (id: number, error: object) => line(JSON.stringify({ id, error }));
  const notice = (method: string, params: object) =>
    line(JSON.stringify({ method, params: { threadId: THREAD, turnId: TURN, ...params } }));
  const ask = (id: number | string, method: string, params: object) =>
    line(JSON.stringify({ id, method, params: { threadId: THREAD, turnId: TURN, ...params } }));
  const item = (what: "started" | "completed", one: object, more: object = {}) =>
    notice(`item/${what}`, { item: one, ...more });
  const raw = (one: object, more: object = {}) => notice("rawResponseItem/completed", { item: one, ...more });
  return { step, line, answer, fail, notice, ask, item, raw, size: () => JSON.stringify(state).length };
}

export const THREAD_OPENED = {
  thread: { id: THREAD },
  model: "gpt-5.5",
  approvalPolicy: "never",
  approvalsReviewer: "user",
};

/** The same, with a thread; settings are read first for an old one, and in every mode but `default`. */
export function opened(more: Partial<RunRequest> = {}, config: object = {}) {
  const one = started(more);
  one.step({ type: "start" });
  one.answer(1, { userAgent: "baton/0.166.0 (Linux)" });
  const isRead = (more.mode ?? "default") !== "default" || more.session !== undefined;
  const opening = isRead ? one.answer(2, { config }) : [];
  const outputs = one.answer(isRead ? 3 : 2, THREAD_OPENED);
  return { ...one, opening, outputs, next: isRead ? 4 : 3 };
}

/** At work on a prompt. */
export function prompted(more: Partial<RunRequest> = {}, config: object = {}) {
  const one = opened(more, config);
  one.step({ type: "prompt", text: "Go" });
  one.answer(one.next, { turn: { id: TURN } });
  return one;
}

export const events = (outputs: Output[]) =>
  outputs.flatMap((output): DriverEvent[] => (output.type === "event" ? [output.event] : []));
export const lines = (outputs: Output[]) =>
  outputs.flatMap((output) => (output.type === "send" ? [JSON.parse(output.line)] : []));

export const command = (more: object = {}) => ({
  type: "commandExecution",
  id: "call_1",
  command: "/bin/bash -lc 'echo one'",
  cwd: "/home/user/project",
  processId: "42",
  ...more,
});

export const completed = (more: object = {}) => ({
  turn: { id: TURN, status: "completed", items: [], ...more },
});
