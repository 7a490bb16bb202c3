// ATIF: what is written obeys the rules that the reference validators enforce, and what is read is what was meant.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAtif } from "../../src/formats/atif-read.ts";
import { writeAtif } from "../../src/formats/atif-write.ts";
import { sessionId } from "../../src/session/id.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Entry } from "../../src/session/session.ts";
import { collect, type Source, sourceOf } from "../../src/session/source.ts";
import { thread } from "../../src/transform/visible.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { anySession } from "./arbitrary.ts";
import { conversation, factsOf } from "./conversation.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
type Json = Record<string, unknown>;

async function written(source: Source): Promise<{ trajectory: Json; losses: Loss[] }> {
  const losses: Loss[] = [];
  const pieces = writeAtif(thread(source), { onLoss: (found) => losses.push(found) });
  return { trajectory: JSON.parse((await Array.fromAsync(pieces)).join("")), losses };
}

let files = 0;
async function read(document: unknown): Promise<Source> {
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, JSON.stringify(document));
  return readAtif(path);
}

/** The fields that the format knows at each place; its reference models forbid all others. */
const FIELDS = {
  trajectory:
    "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories",
  agent: "name version model_name tool_definitions extra",
  step: "step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra",
  call: "tool_call_id function_name arguments extra",
  result: "source_call_id content subagent_trajectory_ref extra",
  metrics:
    "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
  final: "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
};
const AGENT_ONLY = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];

function violations(trajectory: Json): string[] {
  const found: string[] = [];
  const say = (holds: boolean, what: string) => void (holds || found.push(what));
  const known = (value: unknown, kind: keyof typeof FIELDS) => {
    for (const name of Object.keys(value as Json))
      say(FIELDS[kind].split(" ").includes(name), `${kind}.${name}`);
  };
  known(trajectory, "trajectory");
  known(trajectory.agent, "agent");
  known(trajectory.final_metrics, "final");
  const { name, version } = trajectory.agent as Json;
  say(typeof name === "string" && typeof version === "string", "agent");
  const steps = trajectory.steps as Json[];
  say(steps.length > 0, "steps");
  for (const [at, step] of steps.entries()) {
    known(step, "step");
    say(step.step_id === at + 1, `step_id ${String(step.step_id)}`);
    say(["user", "agent", "system"].includes(String(step.source)), "source");
    say(step.timestamp === undefined || !Number.isNaN(Date.parse(String(step.timestamp))), "timestamp");
    say(step.source === "agent" || AGENT_ONLY.every((field) => !(field in step)), "agent only");
    say(typeof step.message === "string" || Array.isArray(step.message), "message");
    const calls = (step.tool_calls ?? []) as Json[];
    for (const one of calls) {
      known(one, "call");
      say(typeof one.tool_call_id === "string" && typeof one.arguments === "object", "call");
    }
    const ids = new Set(calls.map(({ tool_call_id }) => tool_call_id));
    for (const one of ((step.observation as Json)?.results ?? []) as Json[]) {
      known(one, "result");
      say(ids.has(one.source_call_id), "a result of another step");
    }
    if (step.metrics) known(step.metrics, "metrics");
  }
  for (const child of (trajectory.subagent_trajectories ?? []) as Json[]) found.push(...violations(child));
  return found;
}

describe("what is written", () => {
  it("is valid for any session", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anySession, conversation), async (made) => {
        expect(violations((await written(sourceOf(made))).trajectory)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))(
    "is valid for %s",
    async (_, one) => {
      for (const ref of await laidOut(one))
        expect(violations((await written(await one.adapter.open(ref))).trajectory)).toEqual([]);
    },
  );

  it("comes back, except for what was reported", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const { trajectory, losses } = await written(sourceOf(made));
        const found = factsOf(await Array.fromAsync((await read(trajectory)).entries()));
        const { media, ...meant } = factsOf(made.timeline);
        const kinds = new Set(losses.map(({ kind }) => kind));
        expect(found).toMatchObject({ calls: meant.calls, failed: meant.failed, thinking: meant.thinking });
        expect(media.length > 0).toBe(kinds.has("image_dropped") || kinds.has("document_dropped"));
        if (media.length === 0) expect(found).toMatchObject(meant);
      }),
      { numRuns: 80 },
    );
  });

  it("keeps compactions, subagents, usage, times and what calls mean", async () => {
    const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1, cost: 0.5 };
    const made = session(
      [
        user("u"),
        compaction("k", { summary: "All.", keeps: ["u"] }),
        { ...assistant("a"), turn: "t", usage, model: "gpt-5.5" } as Entry,
        {
          ...call("c1", { turn: "t2" }),
          originalTool: "exec",
          originalInput: { cmd: "ls" },
          input: { command: "ls" },
        } as Entry,
        { ...result("c1"), success: false } as Entry,
      ],
      { children: [session([user("inner")], { id: "kid", title: "Helper" })] },
    );
    const { trajectory } = await written(sourceOf(made));
    const back = await collect(await read(trajectory));
    expect(back.timeline).toMatchObject([
      { type: "user", id: "u", timestamp: made.timeline[0]?.timestamp },
      { type: "compaction", summary: "All.", keeps: ["u"] },
      { type: "assistant", usage, model: "gpt-5.5", provider: "openai" },
      { type: "tool_call", tool: "bash", input: { command: "ls" }, originalInput: { cmd: "ls" } },
      { type: "tool_result", callId: "c1", success: false },
    ]);
    expect(back.children).toMatchObject([{ title: "Helper", timeline: [{ content: "says inner" }] }]);
    expect(back.project.path).toBe("/project");
  });
});

describe("what is read", () => {
  it("the branch, the settings and which call started a subagent, as they were written", async () => {
    const kid = session([user("inner")], {
      id: sessionId("claude", "kid"),
      source: { cli: "claude", originalId: "kid" },
    });
    const made = session([call("c1"), result("c1")], {
      project: { path: "/project", git: { branch: "main", commit: "abc" } },
      model: { provider: "p", model: "m", config: { effort: "high" } },
      links: [
        { type: "subagent", session: "claude:kid", entry: "c1" },
        { type: "subagent", session: "claude:gone", entry: "c1" },
      ],
      children: [kid],
    });
    const { trajectory } = await written(sourceOf(made));
    expect(violations(trajectory)).toEqual([]);
    expect(trajectory.steps).toMatchObject([
      { observation: { results: [{ subagent_trajectory_ref: [{ trajectory_id: kid.id }] }] } },
    ]);
    const { header } = await read(trajectory);
    expect(header.project.git).toEqual({ branch: "main", commit: "abc" });
    expect(header.model.config).toMatchObject({ effort: "high" });
    expect(header.links).toEqual([{ type: "subagent", session: "atif:kid", entry: "c1" }]);
  });

  it("keeps what others say about the whole and reports what they say about a step", async () => {
    const source = await read({
      schema_version: "ATIF-v1.7",
      notes: "A note",
      continued_trajectory_ref: "next.json",
      agent: { name: "a", version: "1", tool_definitions: [{ x: 1 }], extra: { own: 1 } },
      steps: [
        {
          step_id: 1,
          source: "agent",
          message: "m",
          reasoning_effort: "high",
          metrics: { logprobs: [-0.1], prompt_token_ids: [1] },
          tool_calls: [{ tool_call_id: "t", function_name: "Task", arguments: {} }],
          observation: {
            results: [{ source_call_id: "t", content: "x", subagent_trajectory_ref: [{ session_id: "z" }] }],
          },
          extra: { zz: 1 },
        },
      ],
      final_metrics: { extra: { q: 1 } },
      extra: { mine: 1, cwd: "/project" },
    });
    expect(source.header.model.config).toEqual({
      agent: { name: "a", version: "1", extra: { own: 1 } },
      tool_definitions: [{ x: 1 }],
      notes: "A note",
      extra: { mine: 1 },
      final_metrics: { extra: { q: 1 } },
      continued_trajectory_ref: "next.json",
    });
    const lost = source.losses.map(({ kind, at, detail }) => `${kind} ${at.entry ?? "-"} ${detail}`);
    expect(lost).toContain("facts_dropped step-1 reasoning_effort, prompt_token_ids, logprobs, extra.zz");
    expect(lost).toContain('links_dropped - a subagent elsewhere: {"session_id":"z"}');
  });

  it("version 1.2", async () => {
    const source = await readAtif(join(import.meta.dirname, "fixtures/atif-1.2.json"));
    expect(source.header).toMatchObject({
      source: { cli: "atif", originalId: "025B810F-B3A2-4C67-93C0-FE7A142A947A" },
      model: { provider: "google", model: "gemini-2.5-flash" },
      metadata: { tokens: { input: 920, output: 124, cacheRead: 200 }, cost: 0.00078 },
      title: "What is the price?",
    });
    expect(await Array.fromAsync(source.entries())).toMatchObject([
      { type: "user", id: "step-1", timestamp: "2025-10-11T10:30:00Z" },
      { type: "assistant", content: "I will search.", thinking: "The request needs two numbers." },
      { type: "tool_call", id: "call_price_1", tool: "unknown", originalTool: "search" },
      { type: "tool_call", id: "call_volume_2", tool: "search", usage: { input: 320, cacheRead: 200 } },
      { type: "tool_result", callId: "call_price_1", output: "185.35" },
      { type: "tool_result", callId: "call_volume_2", output: "1.5M" },
      { type: "user", injected: true, content: "The terminal is idle." },
      { type: "assistant", content: "It is 185.35." },
    ]);
  });

  it.each([
    ["another version", { schema_version: "ATIF-v2.0", steps: [] }, "schema_version"],
    ["no steps", { schema_version: "ATIF-v1.7" }, "steps: must be a list"],
    [
      "a source that is none",
      { schema_version: "ATIF-v1.7", steps: [{ step_id: 1, source: "cat", message: "" }] },
      "steps[0].source",
    ],
    [
      "a subagent",
      {
        schema_version: "ATIF-v1.7",
        steps: [],
        subagent_trajectories: [{ schema_version: "ATIF-v1.7", steps: 1 }],
      },
      "subagent_trajectories[0].steps",
    ],
  ])("%s is named", async (_, document, place) => {
    await expect(read(document)).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(place),
    });
  });
});
