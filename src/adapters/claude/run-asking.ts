// What the CLI asks of us while it runs, and what is answered. In the modes in which every change has to be asked for, a
// hook of ours makes the CLI ask, whatever the user's own rules allow; what they deny stays denied.
import type { PermissionMode } from "../../session/events.ts";
import type { Question } from "../../session/tools.ts";
import type { Decision, Output } from "../driver.ts";
import { objects } from "../json.ts";
import { sameCall, sameCommand } from "../same-call.ts";
import { filled, isObject, type Json } from "./native.ts";
import { type Asked, notice, remember, type State, said, sent, take } from "./run-state.ts";
import { universalCall } from "./tools.ts";

export function answerControl(state: State, { request_id, request }: Json): Output[] {
  const id = filled(request_id);
  if (id === undefined || !isObject(request)) return [];
  switch (request.subtype) {
    case "can_use_tool":
      return asked(state, id, request);
    case "hook_callback":
      return [answer(id, hookAnswer(state.mode, isObject(request.input) ? request.input : {}))];
    case "elicitation":
      // A form of an MCP server's, which nobody here can show.
      return [answer(id, { action: "decline" }), ...notice(filled(request.message) ?? "")];
    default:
      return [refusal(id, String(request.subtype))];
  }
}

function asked(state: State, id: string, request: Json): Output[] {
  const name = filled(request.tool_name) ?? "unknown";
  const input = isObject(request.input) ? request.input : {};
  if (state.mode !== "deny" && state.allowed.includes(keyOf(name, input)))
    return [answer(id, { behavior: "allow", updatedInput: input })];
  const isHook = request.decision_reason_type === "hook";
  const ask = { id, name, input, suggestions: objects(request.permission_suggestions), isHook };
  remember(state.asks, ask);
  // Our own hook asks again, whatever the CLI's rules allow.
  const rules = isHook ? [] : rulesOf(ask).flatMap(ruleWords);
  const file = fileOf(name, input);
  const always = rules.length === 0 && file !== undefined ? [`${name} of ${file}`] : rules;
  const call = universalCall(name, input);
  const [tool, reason] = [filled(request.tool_use_id), filled(request.decision_reason)];
  const parent = state.tasks.find((task) => task.id === request.agent_id)?.call;
  return [
    said({
      type: "ask",
      id,
      name,
      input,
      call,
      ...(tool !== undefined && { tool_use_id: tool }),
      ...(reason !== undefined && reason !== REASON && { reason }),
      ...(always.length > 0 && { always }),
      ...(call.tool === "ask" && { questions: call.input.questions as Question[] }),
      ...(parent !== undefined && { parent_tool_use_id: parent }),
    }),
  ];
}

/** The CLI does not wait for it any more. */
export function withdraw(state: State, { request_id }: Json): Output[] {
  const ask = take(state.asks, ({ id }) => id === request_id);
  return ask ? [said({ type: "unask", id: ask.id })] : [];
}

export function decide(state: State, id: string, decision: Decision): Output[] {
  const ask = take(state.asks, (one) => one.id === id);
  if (!ask) return [];
  if (!decision.allow) return [answer(id, { behavior: "deny", message: decision.message ?? "Denied." })];
  const input = decision.input ?? ask.input;
  const isForSession = decision.always && ask.name !== QUESTIONS;
  // What the CLI suggests is for its own arguments.
  const rules = isForSession && !decision.input ? rulesOf(ask) : [];
  // Rules do not keep our own hook from asking again.
  if (isForSession && (rules.length === 0 || ask.isHook)) remember(state.allowed, keyOf(ask.name, input));
  return [
    answer(id, {
      behavior: "allow",
      updatedInput: { ...input, ...answersOf(decision) },
      ...(rules.length > 0 && { updatedPermissions: rules }),
    }),
  ];
}

/** What the CLI itself suggests to allow, for this session only: its own default is the project's settings. */
function rulesOf({ suggestions }: Asked): Json[] {
  const rules = suggestions.filter(({ type, behavior }) => type === "addRules" && behavior === "allow");
  const isForSession = ({ type, destination }: Json) =>
    (type === "setMode" || type === "addDirectories") && destination === "session";
  const chosen = rules.length > 0 ? rules : suggestions.filter(isForSession);
  return chosen.map((rule) => ({ ...rule, destination: "session" }));
}

/** As the CLI writes them in its settings. */
function ruleWords({ type, rules, mode, directories }: Json): string[] {
  if (type === "setMode") return [`permission mode ${mode}`];
  if (type === "addDirectories") return [`the folder ${[directories].flat().join(", ")}`];
  return objects(rules).map(({ toolName, ruleContent }) =>
    filled(ruleContent) === undefined ? String(toolName) : `${toolName}(${ruleContent})`,
  );
}

/** Measured: by the question's words; of several choices the CLI makes one text either way. */
function answersOf({ answers }: Decision): Json {
  if (!answers) return {};
  const words = Object.entries(answers).map(([question, chosen]) => [
    question,
    typeof chosen === "string" ? chosen : chosen.join(", "),
  ]);
  return { answers: Object.fromEntries(words) };
}

const EDITING: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"]);

function fileOf(name: string, input: Json): string | undefined {
  return EDITING.has(name) ? filled(input.file_path ?? input.notebook_path) : undefined;
}

/** What counts as the same when it was allowed for the session: this tool on this file, or else this very call. */
function keyOf(name: string, input: Json): string {
  const file = fileOf(name, input);
  if (file !== undefined) return sameCall(name, { file });
  return name === "Bash" ? sameCommand(name, input) : sameCall(name, input);
}

/** Allowed for the session they would be answered without an answer. */
const QUESTIONS = "AskUserQuestion";

const REASON = "Changes are asked for in this run.";

/** Tools that change nothing by themselves; those of a subagent are asked for one by one. */
const LOOKING: ReadonlySet<unknown> = new Set([
  "Agent",
  "AskUserQuestion",
  "BashOutput",
  "CronList",
  "EnterPlanMode",
  "ExitPlanMode",
  "Glob",
  "Grep",
  "LS",
  "ListAgents",
  "ListMcpResourcesTool",
  "NotebookRead",
  "Read",
  "ReadMcpResourceTool",
  "ReportFindings",
  "StructuredOutput",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskUpdate",
  "TodoRead",
  "TodoWrite",
  "ToolSearch",
  "WebSearch",
]);

/** No answer leaves it to the CLI and the user's rules. */
function hookAnswer(mode: PermissionMode, { tool_name }: Json): Json {
  const isAsked = (mode === "interactive" || mode === "deny") && !LOOKING.has(tool_name);
  if (!isAsked) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: REASON,
    },
  };
}

function answer(id: string, response: Json): Output {
  return sent({ type: "control_response", response: { subtype: "success", request_id: id, response } });
}

function refusal(id: string, what: string): Output {
  const error = `Nobody here can do that: ${what}`;
  return sent({ type: "control_response", response: { subtype: "error", request_id: id, error } });
}
