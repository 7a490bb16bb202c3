// For what somebody who looks elsewhere is called, and what is said where a notification cannot be shown.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type DingOptions, newDing } from "../../../src/cli/live/ding.ts";
import type { AgentEvent } from "../../../src/session/events.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-ding-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const event = (facts: object) => ({ seq: 1, timestamp: "", ...facts }) as AgentEvent;
const failure = (code: string) => event({ type: "system", subtype: "error", code, message: "It ended." });
const DONE = event({ type: "result", subtype: "success", result: "Done." });

function opened(more: Partial<DingOptions>) {
  const problems: string[] = [];
  let rings = 0;
  const ring = () => rings++;
  const onProblem = (sentence: string) => problems.push(sentence);
  const ding = newDing({ bell: false, notify: false, label: "Agent", ring, onProblem, ...more });
  return { ding, problems, rings: () => rings };
}

it.each([
  ["a result", DONE, 1],
  ["an approval", event({ type: "approval_request", name: "Bash" }), 1],
  ["an agent that ended between two turns", failure("agent_crashed"), 1],
  ["a warning", failure("bad_input"), 0],
  ["a notice", event({ type: "system", subtype: "notice", message: "By the way" }), 0],
  ["a text", event({ type: "text", text: "Hello." }), 0],
] as const)("%s", (_, one, times) => {
  const { ding, rings } = opened({ bell: true });
  ding(one);
  expect(rings()).toBe(times);
});

it.runIf(process.platform === "linux")("a notification that fails is told once, and says how", async () => {
  const told = join(folder, "told");
  writeFileSync(join(folder, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$4" >>'${told}'\nexit 7\n`, {
    mode: 0o755,
  });
  vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter));
  const { ding, problems } = opened({ notify: true });
  ding(failure("agent_crashed"));
  await expect.poll(() => problems).toHaveLength(1);
  ding(DONE);
  await expect.poll(() => readFileSync(told, "utf8")).toContain("has finished: Done.");
  expect(readFileSync(told, "utf8")).toContain("has failed: It ended.");
  expect(problems).toEqual([
    "notify-send ended with status 7, so no notification is shown; --bell rings instead.",
  ]);
});

it.runIf(process.platform === "linux")("where there are no notifications it is told once", async () => {
  vi.stubEnv("PATH", folder);
  const { ding, problems } = opened({ notify: true });
  ding(DONE);
  ding(DONE);
  await expect.poll(() => problems).toHaveLength(1);
  expect(problems[0]).toBe("notify-send is not here, so no notification is shown; --bell rings instead.");
});
