// Calls of the Agent Client Protocol while they are under way: agents tell them piece by piece, some begin with a
// request for permission, some never say that they were denied.
import { contentText, exitCodeOf, outputText } from "./acp-content.ts";
import { type AcpCall, type AcpOptions, type AcpState, keep, type NativeTool, say } from "./acp-state.ts";
import { isComplete, toolOf } from "./acp-tools.ts";
import type { Output } from "./driver.ts";
import { filled, isObject, type Json, objects } from "./json.ts";

/** What an update of a call says; the first one makes it. */
export function callUpdated(state: AcpState, options: AcpOptions, update: Json): Output[] {
  const id = filled(update.toolCallId);
  if (id === undefined) return [];
  const outputs = leaveDenied(state, id);
  const isOver = update.status === "completed" || update.status === "failed";
  if (isOver && isStranger(state, id, update)) return [...outputs, endOfStranger(id, update)];
  const call = merged(state, id, update);
  if (state.turn) state.turn.hasCalls = true;
  // Claude Code's adapter never says that a call runs, but tells arguments only once they are whole (its issue 122).
  const isRunning = update.status === "in_progress" || call.input !== undefined;
  if (isOver || (isRunning && isComplete(call))) outputs.push(...told(state, options, call));
  if (isOver) outputs.push(...ended(state, options, call, update));
  return outputs;
}

/** The end of a call that this turn does not know, and of which only that is told: one of a turn before. */
function isStranger(state: AcpState, id: string, { title, kind, rawInput }: Json): boolean {
  return !callById(state, id) && !isSaid(title) && !isSaid(kind) && !isSaid(rawInput);
}

function endOfStranger(id: string, update: Json): Output {
  const content = contentText(objects(update.content)) || outputText(update.rawOutput);
  return say({ type: "tool_result", tool_use_id: id, content, is_error: update.status === "failed" });
}

/** The call that the agent wants to be allowed. */
export function callAsked(state: AcpState, options: AcpOptions, update: Json) {
  const id = filled(update.toolCallId) ?? `call-${++state.counted}`;
  const outputs = leaveDenied(state, id);
  const call = merged(state, id, { ...update, toolCallId: id });
  if (state.turn) state.turn.hasCalls = true;
  return { call, outputs: [...outputs, ...told(state, options, call)] };
}

export function callById(state: AcpState, id: string | undefined): AcpCall | undefined {
  return id === undefined ? undefined : state.calls.find((call) => call.id === id);
}

export function nativeTool(options: AcpOptions, call: AcpCall): NativeTool {
  return options.tool?.(call) ?? toolOf(call);
}

/** Once the agent goes on with something else, nothing comes of what was denied: Gemini CLI 0.61.0 says no more of it. */
export function leaveDenied(state: AcpState, except?: string): Output[] {
  const denied = state.calls.filter((call) => call.denied !== undefined && call.id !== except);
  if (denied.length > 0) state.calls = state.calls.filter((call) => !denied.includes(call));
  return denied.map(({ id, denied: content = "" }) =>
    say({ type: "tool_result", tool_use_id: id, content, is_error: true }),
  );
}

function merged(state: AcpState, id: string, update: Json): AcpCall {
  let call = callById(state, id);
  if (!call) {
    call = {
      id,
      name: "",
      title: "",
      kind: "",
      input: undefined,
      content: [],
      isOutput: false,
      locations: [],
      isTold: false,
    };
    keep(state.calls, call);
  }
  call.name = filled(update.name) ?? namedIn(update._meta) ?? call.name;
  call.title = filled(update.title) ?? call.title;
  call.kind = filled(update.kind) ?? call.kind;
  // OpenCode's request for permission said `{}` of a call whose arguments were known (its issue 7370).
  if (isSaid(update.rawInput)) call.input = update.rawInput;
  if (Array.isArray(update.locations) && update.locations.length > 0)
    call.locations = objects(update.locations);
  if (Array.isArray(update.content)) {
    call.content = objects(update.content);
    call.isOutput = call.isTold;
  }
  return call;
}

/** Where the adapter of Claude Code puts the name that the protocol had no field for (claude-code-acp 0.16). */
function namedIn(meta: unknown): string | undefined {
  const own = isObject(meta) ? meta.claudeCode : undefined;
  return isObject(own) ? filled(own.toolName) : undefined;
}

function isSaid(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

function told(state: AcpState, options: AcpOptions, call: AcpCall): Output[] {
  if (call.isTold) return [];
  call.isTold = true;
  const tool = nativeTool(options, call);
  // The plan that follows is the same list.
  if (tool.call.tool === "todo") state.todo = JSON.stringify(tool.call.input.items ?? []);
  return [say({ type: "tool_use", id: call.id, ...tool })];
}

function ended(state: AcpState, options: AcpOptions, call: AcpCall, update: Json): Output[] {
  state.calls = state.calls.filter((one) => one !== call);
  const isNew = call.isOutput || Array.isArray(update.content);
  const text = (isNew ? contentText(call.content) : "") || outputText(update.rawOutput);
  const exitCode = exitCodeOf(update.rawOutput);
  const isFailed = update.status === "failed" || (exitCode !== undefined && exitCode !== 0);
  return [
    say({
      type: "tool_result",
      tool_use_id: call.id,
      content: text || (call.denied ?? ""),
      is_error: isFailed || call.denied !== undefined || options.isFailed?.(call, text) === true,
    }),
  ];
}
