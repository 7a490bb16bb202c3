// A model that is asked for before an agent of the Agent Client Protocol is ready: where it is not to be had, that is
// said, and the prompts are answered all the same.
import { expect, it } from "vitest";
import type { RunRequest } from "../../src/adapters/driver.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import type { Setup } from "../run/agents/acp-agent.ts";
import { start } from "./acp-told.ts";

/** Two prompts behind the models, all of it before the agent has said a word. */
async function told(setup: Setup, models: string[], request: Partial<Pick<RunRequest, "model">> = {}) {
  const one = start(setup, request);
  for (const model of models) one.run.setModel(model);
  one.run.prompt("chosen");
  one.run.prompt("text");
  one.run.finish();
  expect(await one.over).toEqual([]);
  return one.events;
}

const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "result" ? [event.subtype] : []));
const errors = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "system" && event.subtype === "error" ? [event.code] : []));
const models = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "system" && "model" in event ? [event.model] : []));

it("an agent that lets no model be chosen answers with its own", async () => {
  const events = await told({}, ["large"]);
  expect(results(events)).toEqual(["success", "success"]);
  expect(errors(events)).toEqual(["unsupported"]);
  expect(events[0]).toMatchObject({ subtype: "init", session_id: "session-1", version: "1.2.3" });
});

it("an agent takes one that it has, and goes on without one that it does not have", async () => {
  for (const setup of [{ models: ["small", "large"] }, { isConfigured: true }])
    expect(models(await told(setup, ["large"]))).toEqual(["large"]);
  const events = await told({ models: ["small", "large"] }, ["none"]);
  expect(results(events)).toEqual(["success", "success"]);
  expect(errors(events)).toEqual(["model_unknown"]);
  expect(models(events)).toEqual(["small"]);
});

it("the model that it was started with stays, and is still needed", async () => {
  const kept = await told({ models: ["small", "large"] }, ["none"], { model: "large" });
  expect(errors(kept)).toEqual(["model_unknown"]);
  expect(models(kept)).toEqual(["small", "large"]);
  expect(results(kept)).toEqual(["success", "success"]);
  const missing = await told({}, ["none"], { model: "large" });
  expect(results(missing)).toEqual(["error", "error"]);
});
