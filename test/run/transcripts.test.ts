// Golden transcripts: every driver is told again what the real CLI said, in every scenario, and says what it said. Only
// `UPDATE_FIXTURES=1` writes them: one that is missing, or that nothing belongs to, is a failure.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { CliName } from "../real/install.ts";
import { EXTRA as CLAUDE } from "../real/live-claude.ts";
import { EXTRA as CODEX } from "../real/live-codex.ts";
import { EXPECTED } from "../real/live-expected.ts";
import { EXTRA as GEMINI } from "../real/live-gemini.ts";
import { EXTRA as OPENCODE } from "../real/live-opencode.ts";
import { SCENARIO_NAMES } from "../real/live-scenarios.ts";
import { readRecording, replay } from "./replay.ts";

const FOLDER = join(import.meta.dirname, "transcripts");
const SNAPSHOTS = join(import.meta.dirname, "../real/__snapshots__");
const OWN: Record<CliName, object> = { claude: CLAUDE, codex: CODEX, gemini: GEMINI, opencode: OPENCODE };
const agents = Object.keys(OWN) as CliName[];

it("every agent that can be run has scenarios of its own", () => {
  expect(adapters.flatMap(({ id, run }) => (run ? [id] : [])).sort()).toEqual(agents.sort());
});

describe.each(agents)("%s", (agent) => {
  const files = globSync(join(FOLDER, agent, "*")).map((path) => basename(path));
  const named = (ending: string) =>
    files.flatMap((file) => (file.endsWith(ending) ? [file.slice(0, -ending.length)] : [])).sort();
  const scenarios = [...SCENARIO_NAMES, ...Object.keys(OWN[agent])].sort();
  const recording = (scenario: string) => readRecording(join(FOLDER, agent, `${scenario}.jsonl`));

  it("has a recording and a golden transcript of every scenario, and no others", () => {
    expect(named(".jsonl").filter((name) => !name.endsWith(".golden"))).toEqual(scenarios);
    expect(named(".golden.jsonl")).toEqual(scenarios);
    expect(files).toHaveLength(2 * scenarios.length);
  });

  it("has an outline of each scenario of its own, and no others", () => {
    const text = readFileSync(join(SNAPSHOTS, `run-${agent}.test.ts.snap`), "utf8");
    const outlined = Array.from(text.matchAll(/^exports\[`\S+ live > (\w+) 1`\]/gm), ([, name]) => name);
    expect(outlined.sort()).toEqual(Object.keys(OWN[agent]).sort());
  });

  it.each(scenarios)("%s", (scenario) => {
    const { said, events, protocol } = replay(agent, recording(scenario));
    const golden = join(FOLDER, agent, `${scenario}.golden.jsonl`);
    const text = said.map((one) => `${JSON.stringify(one)}\n`).join("");
    if (process.env.UPDATE_FIXTURES) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, "utf8"));
    const checker = newEventChecker();
    expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
    expect(protocol.isTurn).toBe(false);
  });

  it.each(SCENARIO_NAMES)("%s shows what it has to, as it does live", (scenario) => {
    const { request, ...one } = recording(scenario);
    const { events } = replay(agent, { request, ...one });
    EXPECTED[scenario]({ events, request }, agent);
  });
});
