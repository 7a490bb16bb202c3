// What an agent of the Agent Client Protocol asks its user: permission for a call, chosen by the kind of an option and
// never by its name, and forms, which become questions.
import type { PermissionMode } from "../session/events.ts";
import type { Question } from "../session/tools.ts";
import { callAsked, callById, nativeTool } from "./acp-calls.ts";
import { contentText } from "./acp-content.ts";
import { contentOf, fieldsOf } from "./acp-form.ts";
import { type AcpOptions, type AcpState, type Asked, keep, MOST, say } from "./acp-state.ts";
import type { Decision, Output } from "./driver.ts";
import { filled, isObject, type Json, objects } from "./json.ts";
import { refuse, reply } from "./rpc.ts";

export function askedOf(
  state: AcpState,
  options: AcpOptions,
  rpcId: unknown,
  method: string,
  params: Json,
): Output[] {
  switch (method) {
    case "session/request_permission":
      return permissionAsked(state, options, rpcId, params);
    case "elicitation/create":
      return formAsked(state, rpcId, params);
    default:
      // Files and terminals are the agent's own: nothing of the kind was offered to it.
      return [refuse(state.rpc, rpcId, method)];
  }
}

function permissionAsked(state: AcpState, options: AcpOptions, rpcId: unknown, params: Json): Output[] {
  if (!state.turn || state.isCancelled) return [reply(state.rpc, rpcId, CANCELLED)];
  const { call, outputs } = callAsked(state, options, isObject(params.toolCall) ? params.toolCall : {});
  const asked: Asked = {
    id: `ask-${++state.counted}`,
    rpcId,
    options: objects(params.options)
      .slice(0, MOST)
      .flatMap(({ optionId, kind, name }) => {
        const id = filled(optionId);
        return id === undefined ? [] : [{ id, kind: filled(kind) ?? "", name: filled(name) ?? "" }];
      }),
    call: call.id,
  };
  const word = options.remembered?.(call);
  if (word !== undefined && state.always.includes(word))
    return [...outputs, reply(state.rpc, rpcId, outcome(asked, options, ANY_ALLOWED))];
  if (word !== undefined) asked.word = word;
  keep(state.asks, asked);
  const always = chosen(asked, options, ANY_ALLOWED.toReversed());
  const reason = options.tool ? "" : contentText(call.content);
  return [
    ...outputs,
    say({
      type: "ask",
      id: asked.id,
      tool_use_id: call.id,
      ...nativeTool(options, call),
      ...(reason !== "" && { reason }),
      ...(always?.kind === ALWAYS && { always: [always.name || always.id] }),
    }),
  ];
}

function formAsked(state: AcpState, rpcId: unknown, params: Json): Output[] {
  if (!state.turn || state.isCancelled) return [reply(state.rpc, rpcId, { action: "cancel" })];
  const form = params.mode === "form" ? fieldsOf(params.requestedSchema, filled(params.message)) : undefined;
  // A page on the web is nothing that could be answered here.
  if (!form) return [reply(state.rpc, rpcId, { action: "decline" })];
  const asked: Asked = { id: `ask-${++state.counted}`, rpcId, options: [], form: form.fields };
  keep(state.asks, asked);
  const { questions } = form;
  const call = filled(params.toolCallId);
  const reason = filled(params.message);
  return [
    say({
      type: "ask",
      id: asked.id,
      ...(call !== undefined && { tool_use_id: call }),
      name: "elicitation",
      input: params.requestedSchema,
      call: { tool: "ask", input: { questions: questions satisfies Question[] } },
      questions,
      ...(reason !== undefined && { reason }),
    }),
  ];
}

export function decided(state: AcpState, options: AcpOptions, id: string, decision: Decision): Output[] {
  const asked = state.asks.find((one) => one.id === id);
  if (!asked) return [];
  state.asks = state.asks.filter((one) => one !== asked);
  if (asked.form) return [reply(state.rpc, asked.rpcId, formAnswer(asked.form, decision))];
  const call = callById(state, asked.call);
  if (!decision.allow && call) call.denied = decision.message ?? "The user denied it.";
  if (decision.allow && decision.always && asked.word !== undefined) keep(state.always, asked.word);
  const wanted = outcome(asked, options, decision.allow ? allowing(decision, state.mode) : REFUSED);
  if (!decision.allow || wanted !== CANCELLED || asked.options.length === 0)
    return [reply(state.rpc, asked.rpcId, wanted)];
  if (call) call.denied = ONLY_FOR_GOOD.message;
  return [reply(state.rpc, asked.rpcId, outcome(asked, options, REFUSED)), say(ONLY_FOR_GOOD)];
}

/** The agent takes a request back. */
export function withdrawn(state: AcpState, requestId: unknown): Output[] {
  const gone = state.asks.filter(({ rpcId }) => rpcId === requestId && requestId !== undefined);
  if (gone.length === 0) return [];
  state.asks = state.asks.filter((one) => !gone.includes(one));
  // A request that is taken back is answered all the same.
  return gone.flatMap(({ id, rpcId, form }) => [
    say({ type: "unask", id }),
    reply(state.rpc, rpcId, form ? { action: "cancel" } : CANCELLED),
  ]);
}

const CANCELLED = { outcome: { outcome: "cancelled" } };

const ONLY_FOR_GOOD = {
  type: "system",
  subtype: "notice",
  message: "The agent offers to allow this for good only, so it was not allowed: allow it for the session.",
} as const;

function outcome(asked: Asked, options: AcpOptions, kinds: readonly string[]): Json {
  const option = chosen(asked, options, kinds);
  return option ? { outcome: { outcome: "selected", optionId: option.id } } : CANCELLED;
}

function chosen({ options }: Asked, { preferred = [] }: AcpOptions, kinds: readonly string[]) {
  const ofKind = (kind: string) => {
    const all = options.filter((option) => option.kind === kind);
    return all.find(({ id }) => preferred.includes(id)) ?? all[0];
  };
  return kinds.map(ofKind).find((option) => option !== undefined);
}

const ALWAYS = "allow_always";
const ANY_ALLOWED = ["allow_once", ALWAYS];
const REFUSED = ["reject_once", "reject_always"];

/** What is allowed once is never allowed for good, unless everything is allowed in this run. */
function allowing({ always }: Decision, mode: PermissionMode): string[] {
  if (always) return ANY_ALLOWED.toReversed();
  return mode === "auto" ? ANY_ALLOWED : ["allow_once"];
}

function formAnswer(fields: NonNullable<Asked["form"]>, { allow, answers }: Decision): Json {
  const content = allow ? contentOf(fields, answers ?? {}) : undefined;
  return content ? { action: "accept", content } : { action: allow ? "cancel" : "decline" };
}
