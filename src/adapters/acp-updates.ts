// What an agent tells while it works, `session/update`: words, thoughts, calls, its plan, what it costs. Words outside of
// a prompt are not told: they are what was there before, or nobody's answer.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { callUpdated, leaveDenied } from "./acp-calls.ts";
import { configured } from "./acp-choices.ts";
import { blockText } from "./acp-content.ts";
import { type AcpOptions, type AcpState, keep, say } from "./acp-state.ts";
import type { Output } from "./driver.ts";
import { count, filled, isObject, type Json, objects } from "./json.ts";
import { todosOf } from "./reading.ts";

/** Kinds of updates; `plan_update` and such are drafts, and nobody was told that we know them. */
type Kind = SessionUpdate["sessionUpdate"];

export function updated(state: AcpState, options: AcpOptions, params: Json): Output[] {
  state.isHeard = true;
  const { update, sessionId } = params;
  // Sessions that the agent has beside ours are its own business.
  if (!isObject(update) || (typeof sessionId === "string" && sessionId !== state.session)) return [];
  const kind = update.sessionUpdate as Kind;
  switch (kind) {
    case "config_option_update":
      return reconfigured(state, update);
    case "current_mode_update":
      if (state.modes) state.modes.current = filled(update.currentModeId) ?? state.modes.current;
      return [];
    case "usage_update":
      return costed(state, update);
    case "available_commands_update":
    case "session_info_update":
    case "user_message_chunk":
      return [];
    default:
      return state.phase === "ready" ? live(state, options, kind, update) : [];
  }
}

function live(state: AcpState, options: AcpOptions, kind: Kind, update: Json): Output[] {
  switch (kind) {
    case "notice":
      return noticed(update);
    case "compaction_update":
    case "compaction_summary_chunk":
      return compacted(state, kind, update);
    default:
      return state.turn ? during(state, options, kind, update) : [];
  }
}

function during(state: AcpState, options: AcpOptions, kind: Kind, update: Json): Output[] {
  switch (kind) {
    case "agent_message_chunk":
      return [...leaveDenied(state), ...spoken(state, options, update)];
    case "agent_thought_chunk":
      return [...leaveDenied(state), ...thought(options, update)];
    case "tool_call":
    case "tool_call_update":
      return callUpdated(state, options, update);
    case "plan":
      return [...leaveDenied(state), ...planned(state, update)];
    default:
      return [say({ type: "raw", text: JSON.stringify(update) })];
  }
}

function spoken(state: AcpState, options: AcpOptions, update: Json): Output[] {
  const chunk = blockText(update.content);
  const text = options.text ? options.text(chunk) : chunk;
  if (text === undefined || text === "") return [];
  if (state.turn) state.turn.hasText = true;
  return [say({ type: "text", text, ...messageOf(update) })];
}

function thought(options: AcpOptions, update: Json): Output[] {
  const chunk = blockText(update.content);
  const text = options.thought?.(chunk) ?? chunk;
  return text === "" ? [] : [say({ type: "thinking", text, ...messageOf(update) })];
}

function messageOf({ messageId }: Json): { message?: string } {
  const message = filled(messageId);
  return message === undefined ? {} : { message };
}

/** A plan is a todo list that no call tells of; where one does, it is not told again. */
function planned(state: AcpState, { entries }: Json): Output[] {
  const items = todosOf(objects(entries).map(({ content, status }) => ({ content, status })));
  const todo = JSON.stringify(items ?? []);
  if (!items || todo === state.todo) return [];
  state.todo = todo;
  const id = `plan-${++state.counted}`;
  return [
    say({ type: "tool_use", id, name: "plan", input: { entries }, call: { tool: "todo", input: { items } } }),
    say({ type: "tool_result", tool_use_id: id, content: "", is_error: false }),
  ];
}

function reconfigured(state: AcpState, { configOptions }: Json): Output[] {
  const before = state.models?.current;
  configured(state, configOptions);
  const model = state.models?.current;
  const isTold = state.phase === "ready" && model !== undefined && model !== "" && model !== before;
  return isTold ? [say({ type: "init", model })] : [];
}

/** What the session has cost so far, all turns together. */
function costed(state: AcpState, { cost }: Json): Output[] {
  const amount = isObject(cost) && cost.currency === "USD" ? count(cost.amount) : undefined;
  if (amount === undefined) return [];
  state.cost.now = amount;
  if (!state.turn) state.cost.before = amount;
  return [];
}

function noticed({ title, description, severity }: Json): Output[] {
  const message = [filled(title), filled(description)].filter((one) => one !== undefined).join(": ");
  if (message === "") return [];
  if (severity === "error") return [say({ type: "system", subtype: "error", code: "failed", message })];
  return [say({ type: "system", subtype: "notice", message })];
}

const LONGEST_SUMMARY = 16_000;

function compacted(state: AcpState, kind: Kind, update: Json): Output[] {
  const id = filled(update.compactionId) ?? "";
  let known = state.compactions.find((one) => one.id === id);
  if (!known) {
    known = { id, summary: "" };
    keep(state.compactions, known);
  }
  const blocks = kind === "compaction_summary_chunk" ? [update.content] : objects(update.summary);
  const text = blocks.map(blockText).join("");
  if (kind === "compaction_summary_chunk") known.summary = (known.summary + text).slice(0, LONGEST_SUMMARY);
  else if (Array.isArray(update.summary)) known.summary = text.slice(0, LONGEST_SUMMARY);
  const { status } = update;
  if (status !== "completed" && status !== "failed" && status !== "cancelled") return [];
  state.compactions = state.compactions.filter((one) => one.id !== id);
  if (status === "completed")
    return [
      say({
        type: "system",
        subtype: "compact_boundary",
        ...(known.summary !== "" && { summary: known.summary }),
      }),
    ];
  const error = filled(update.error);
  const message = `The conversation was not compacted${error === undefined ? "." : `: ${error}`}`;
  return [say({ type: "system", subtype: "notice", message })];
}
