// Golden transcripts: every driver is told again what the real CLI said, in every scenario, and says what it said.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import { SCENARIO_NAMES } from "../real/live-scenarios.ts";
import { readRecording, replay } from "./replay.ts";

const FOLDER = join(import.meta.dirname, "transcripts");
const agents = adapters.filter(({ run }) => run).map(({ id }) => id);

describe.each(agents)("%s", (agent) => {
  const recorded = globSync(join(FOLDER, agent, "*.jsonl"))
    .filter((path) => !path.endsWith(".golden.jsonl"))
    .sort();

  it("was recorded in every scenario", () => {
    const names = recorded.map((path) => basename(path, ".jsonl"));
    expect(SCENARIO_NAMES.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(recorded.map((path) => [basename(path, ".jsonl"), path] as const))("%s", (_, path) => {
    const { said, events, protocol } = replay(agent, readRecording(path));
    const golden = path.replace(/\.jsonl$/, ".golden.jsonl");
    const text = said.map((one) => `${JSON.stringify(one)}\n`).join("");
    if (process.env.UPDATE_FIXTURES || !existsSync(golden)) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, "utf8"));
    const checker = newEventChecker();
    expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
    expect(protocol.isTurn).toBe(false);
  });
});
