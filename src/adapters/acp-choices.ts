// Modes and models of a session over the Agent Client Protocol: options of its configuration in newer agents, methods of
// their own in older ones (`session/set_model` was never more than a draft; Gemini CLI 0.61.0 has it).
import { type AcpState, type Change, type Choice, MOST } from "./acp-state.ts";
import type { Output } from "./driver.ts";
import { filled, isObject, type Json, objects } from "./json.ts";
import { request } from "./rpc.ts";

export function modesIn(result: Json): Choice | undefined {
  const option = optionIn(result.configOptions, "mode");
  if (option) return option;
  const { modes } = result;
  if (!isObject(modes)) return undefined;
  return { current: filled(modes.currentModeId) ?? "", all: ids(modes.availableModes, "id") };
}

export function modelsIn(result: Json): Choice | undefined {
  const option = optionIn(result.configOptions, "model");
  if (option) return option;
  const { models } = result;
  if (!isObject(models)) return undefined;
  return { current: filled(models.currentModelId) ?? "", all: ids(models.availableModels, "modelId") };
}

export function chosen(state: AcpState, choice: Choice, change: Change): Output {
  const { rpc, session: sessionId } = state;
  const { what, value } = change;
  state.changes[rpc.next] = change;
  if (choice.option !== undefined)
    return request(rpc, "session/set_config_option", { sessionId, configId: choice.option, value });
  return what === "mode"
    ? request(rpc, "session/set_mode", { sessionId, modeId: value })
    : request(rpc, "session/set_model", { sessionId, modelId: value });
}

/** What this answer is about. */
export function changeOf(state: AcpState, id: number): Change | undefined {
  const change = state.changes[id];
  delete state.changes[id];
  return change;
}

/** The whole configuration is told again whenever something of it changes. */
export function configured(state: AcpState, configOptions: unknown): void {
  const [mode, model] = [optionIn(configOptions, "mode"), optionIn(configOptions, "model")];
  if (mode) state.modes = mode;
  if (model) state.models = model;
}

/** What was asked for is what it has, as far as the agent does not say otherwise. */
export function nowIs(choice: Choice | undefined, value: string): void {
  if (choice && choice.option === undefined) choice.current = value;
}

function optionIn(configOptions: unknown, category: string): Choice | undefined {
  const option = objects(configOptions).find((one) => one.category === category && one.type === "select");
  const id = filled(option?.id);
  if (!option || id === undefined) return undefined;
  const groups = objects(option.options).flatMap((one) =>
    Array.isArray(one.options) ? objects(one.options) : [one],
  );
  return { option: id, current: filled(option.currentValue) ?? "", all: ids(groups, "value") };
}

function ids(list: unknown, name: string): string[] {
  return objects(list)
    .flatMap((one) => filled(one[name]) ?? [])
    .slice(0, MOST);
}
