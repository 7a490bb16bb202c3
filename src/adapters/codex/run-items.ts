// Items as they start and end, and the model's own calls beside them: together they tell each call once, with what came
// of it. An item knows what a command printed; only the model's own call knows what was asked for, and calls that fail
// before they do anything have no item at all (0.166.0: a missing image, an unknown tool, a patch that does not fit).
import type { Output } from "../driver.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { isScript, itemCall, named, rawCall, rawResult, STILL_RUNNING } from "./run-calls.ts";
import { isFailed, itemResult, lastResult, type Result } from "./run-results.ts";
import { keep, kept, leave, type OpenCall, type RunState, type Told, tell } from "./run-state.ts";
import { noteAgent } from "./run-threads.ts";

/** Where something happens: the thread, and the call that it works for. */
export interface Place {
  thread: string;
  parent: string;
}

export function within<T extends object>(event: T, { parent }: Pick<Place, "parent">) {
  return { ...event, ...(parent !== "" && { parent_tool_use_id: parent }) };
}

/** What is known of these only when they are over. */
const LATE: ReadonlySet<unknown> = new Set(["webSearch", "imageGeneration"]);

export function itemStarted(state: RunState, item: JsonObject, place: Place): Output[] {
  const call = LATE.has(item.type) ? undefined : itemCall(item, state.cwd);
  if (!call) return [];
  noteAgent(state, call.id, item);
  const known = kept(state.open, call.id);
  const open = known ?? opened(state, call, place, false);
  const [process, server] = [word(item.processId), word(item.server)];
  if (process !== undefined) open.process = process;
  if (server !== undefined) open.server = server;
  return known ? [] : [useOf(open)];
}

export function itemCompleted(state: RunState, item: JsonObject, place: Place): Output[] {
  const id = word(item.id) ?? "";
  switch (item.type) {
    case "agentMessage":
    case "plan":
      return whole(state, "text", id, text(item.text) ?? "", place);
    case "reasoning":
      return whole(state, "thinking", id, thoughtOf(item), place);
    case "contextCompaction":
      return place.parent === "" ? [tell({ type: "system", subtype: "compact_boundary" })] : [];
    default:
      return callCompleted(state, item, place);
  }
}

function callCompleted(state: RunState, item: JsonObject, place: Place): Output[] {
  const call = itemCall(item, state.cwd);
  if (!call)
    return SILENT.has(item.type) ? [] : [tell(within({ type: "raw", text: JSON.stringify(item) }, place))];
  noteAgent(state, call.id, item);
  if (kept(state.left, call.id)) {
    delete state.left[call.id];
    return [];
  }
  const known = kept(state.open, call.id);
  const open = known ?? opened(state, call, place, false);
  // The model will be told more of it, and so will we.
  const result = open.isRaw ? itemResult(item) : lastResult(item);
  if (isFailed(item)) open.isFailed = true;
  return [...(known ? [] : [useOf(open)]), ...(result ? closed(state, open, result) : [])];
}

/** Items that are told in another way, or that say nothing of what the agent does. */
const SILENT: ReadonlySet<unknown> = new Set([
  "userMessage",
  "hookPrompt",
  "functionCallOutput",
  "subAgentActivity",
  "enteredReviewMode",
  "exitedReviewMode",
]);

/** A message that came in pieces is not told again. */
function whole(state: RunState, type: "text" | "thinking", id: string, said: string, place: Place): Output[] {
  if (kept(state.streamed, id)) {
    delete state.streamed[id];
    return [];
  }
  return said === "" ? [] : [tell(within({ type, text: said, message: id }, place))];
}

/** What the model thought in its own words is rarely told; mostly there is only a summary. */
function thoughtOf({ summary, content }: JsonObject): string {
  const [own, summed] = [content, summary].map((list) => (Array.isArray(list) ? list.map(String) : []));
  return [...(own ?? []), ...(summed ?? [])].join("\n\n");
}

export function rawItem(state: RunState, item: JsonObject, place: Place): Output[] {
  const call = rawCall(item);
  if (call) return rawCalled(state, call, place);
  const result = rawResult(item);
  if (!result) return [];
  const script = kept(state.scripts, result.id);
  if (script) return scriptOver(state, script, result, place);
  const open = kept(state.open, result.id);
  if (!open) return [];
  leave(state, open);
  return closed(state, open, { ...result, is_error: result.is_error || open.isFailed === true });
}

function rawCalled(state: RunState, call: Told, place: Place): Output[] {
  state.isRaw = true;
  if (isScript(call)) {
    keep(state.scripts, call.id, { ...call, thread: place.thread, isShown: false });
    return [];
  }
  return [useOf(opened(state, call, place, true))];
}

/** A script is told where what it did was not, or where it failed. */
function scriptOver(
  state: RunState,
  script: Told & { isShown: boolean },
  result: Result & { id: string },
  place: Place,
) {
  delete state.scripts[result.id];
  if (script.isShown && (!result.is_error || state.isInterrupted)) return [];
  const { id, name, input, call } = script;
  const open: OpenCall = { id, name, input, call, ...place, isRaw: true };
  return [useOf(open), ...closed(state, open, result)];
}

function opened(state: RunState, call: Told, place: Place, isRaw: boolean): OpenCall {
  const open: OpenCall = { ...call, ...place, isRaw };
  keep(state.open, call.id, open);
  if (!isRaw)
    for (const script of Object.values(state.scripts))
      if (script.thread === place.thread) script.isShown = true;
  return open;
}

function useOf({ id, name, input, call, parent }: OpenCall): Output {
  return tell(within({ type: "tool_use", id, name, input, call }, { parent }));
}

function closed(state: RunState, { id, parent }: OpenCall, { content, is_error }: Result): Output[] {
  delete state.open[id];
  return [tell(within({ type: "tool_result", tool_use_id: id, content, is_error }, { parent }))];
}

const MOST_OUTPUT = 2000;

/** Kept only as long as the command may have to be told without its end. */
export function printed(state: RunState, { itemId, delta }: JsonObject): Output[] {
  const open = kept(state.open, word(itemId) ?? "");
  if (open && !open.isRaw) open.output = ((open.output ?? "") + (text(delta) ?? "")).slice(-MOST_OUTPUT);
  return [];
}

/**
 * The model has been told of every call of its response by now. A command without an end goes on in the background, and
 * nothing else may wait for it.
 */
export function leftRunning(state: RunState, thread: string): Output[] {
  const running = Object.values(state.open).filter(
    (open) => open.thread === thread && open.process !== undefined,
  );
  return running.flatMap((open) => {
    leave(state, open);
    return closed(state, open, { content: `${open.output ?? ""}${STILL_RUNNING}`, is_error: false });
  });
}

/** Where the model's own calls are not told, a list of things to do is known only as it stands. */
export function planned(state: RunState, params: JsonObject, place: Place): Output[] {
  if (state.isRaw) return [];
  const plan = objects(params.plan).map(({ step, status }) => ({
    step,
    status: status === "inProgress" ? "in_progress" : status,
  }));
  const explanation = word(params.explanation);
  const input = { plan, ...(explanation !== undefined && { explanation }) };
  const call = named(`plan-${++state.calls}`, "update_plan", undefined, input);
  const open = { ...call, ...place, isRaw: false };
  return [useOf(open), ...closed(state, open, { content: "", is_error: false })];
}

export function itemOf(params: JsonObject): JsonObject {
  return isObject(params.item) ? params.item : {};
}
