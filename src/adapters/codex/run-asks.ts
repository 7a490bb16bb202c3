// What Codex asks of its user: each kind of request, and the answer that each wants. None is left without one.
import { isDeepStrictEqual } from "node:util";
import { distinct } from "../../session/distinct.ts";
import type { Question } from "../../session/tools.ts";
import { agrees } from "../answers.ts";
import type { Decision, DriverEvent, Output } from "../driver.ts";
import { questionsOf, type UniversalCall } from "../reading.ts";
import { type RpcMessage, refuse, reply } from "../rpc.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { commandCall, named } from "./run-calls.ts";
import { contentOf, fieldQuestions } from "./run-form.ts";
import { type Asked, keep, kept, type RunState, type Told, tell } from "./run-state.ts";
import { parentOf } from "./run-threads.ts";

type Request = Extract<RpcMessage, { type: "request" }>;
type Ask = Omit<Extract<DriverEvent, { type: "ask" }>, "type" | "id">;
type Asking = [Ask, Omit<Asked, "request">];

export function asked(state: RunState, { id, method, params }: Request): Output[] {
  const asking = askingOf(state, method, params);
  if (!asking) return [unasked(state, id, method)];
  const [ask, rest] = asking;
  if (!state.isTurn) return answeredAlone(state, { request: id, ...rest }, ask);
  const name = nameOf(id);
  keep(state.asks, name, { request: id, ...rest });
  const parent = parentOf(state, params);
  return [tell({ type: "ask", id: name, ...ask, ...(parent && { parent_tool_use_id: parent }) })];
}

/** A subagent may go on between two turns of the session, where nobody is asked anything. */
function answeredAlone({ rpc, mode }: RunState, ask: Asked, { name }: Ask): Output[] {
  const allow = mode === "auto" && ask.kind !== "questions" && ask.kind !== "form" && ask.kind !== "link";
  const message = `A subagent wanted ${name} while no turn was under way, and was refused.`;
  const answer = reply(rpc, ask.request, answerTo(ask, { allow }));
  return allow ? [answer] : [answer, tell({ type: "system", subtype: "notice", message })];
}

/** A request has a number, or a text. */
function nameOf(id: unknown): string {
  return typeof id === "string" ? id : JSON.stringify(id ?? null);
}

function askingOf(state: RunState, method: string, params: JsonObject): Asking | undefined {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return [commandAsk(state, params), { kind: "decision" }];
    case "item/fileChange/requestApproval":
      return [changeAsk(state, params), { kind: "decision" }];
    case "item/permissions/requestApproval": {
      const wanted = isObject(params.permissions) ? params.permissions : {};
      const input = { permissions: wanted };
      return [
        askFor(params, named("", "request_permissions", undefined, input)),
        { kind: "permissions", wanted },
      ];
    }
    case "item/tool/requestUserInput":
      return questionsAsk(params);
    case "mcpServer/elicitation/request":
      return elicitation(state, params);
    default:
      return undefined;
  }
}

/** What nobody here can do: tools of the client's own, its clock, its tokens. */
function unasked({ rpc }: RunState, id: unknown, method: string): Output {
  if (method !== "item/tool/call") return refuse(rpc, id, method);
  const contentItems = [{ type: "inputText", text: "There is no such tool here." }];
  return reply(rpc, id, { contentItems, success: false });
}

function askFor(params: JsonObject, { name, input, call }: Omit<Told, "id">): Ask {
  const [item, reason] = [word(params.itemId), word(params.reason)];
  return {
    name,
    input,
    call,
    ...(item !== undefined && { tool_use_id: item }),
    ...(reason !== undefined && { reason }),
  };
}

function commandAsk({ cwd, open }: RunState, params: JsonObject): Ask {
  const { networkApprovalContext: network, additionalPermissions: wider } = params;
  if (isObject(network) && word(params.command) === undefined)
    return {
      ...askFor(params, named("", "network_access", undefined, network)),
      always: [`the host ${text(network.host) ?? ""}`],
    };
  const { input } = kept(open, word(params.itemId) ?? "") ?? {};
  const { cmd: _, command: __, workdir: ___, justification: ____, ...given } = isObject(input) ? input : {};
  const more = {
    ...given,
    ...(isObject(network) && { network }),
    ...(isObject(wider) && { additional_permissions: wider }),
  };
  return askFor(params, withMore(commandCall("", params, cwd), more));
}

/** The request only names the patch, which was told before. */
function changeAsk({ open }: RunState, params: JsonObject): Ask {
  const known = kept(open, word(params.itemId) ?? "");
  const root = word(params.grantRoot);
  if (known)
    return {
      ...askFor(params, withMore(known, root === undefined ? {} : { grant_root: root })),
      // It remembers files, whatever is changed in them.
      always: [root === undefined ? "any change of the same files" : `any change in ${root}`],
    };
  const path = root ?? "";
  return askFor(params, { name: "apply_patch", input: { path }, call: { tool: "edit", input: { path } } });
}

/** What is granted beside what the call does. */
function withMore({ name, input, call }: Omit<Told, "id">, more: JsonObject): Omit<Told, "id"> {
  const words = { ...call, input: { ...more, ...call.input } } as UniversalCall;
  return { name, input: isObject(input) ? { ...more, ...input } : input, call: words };
}

function questionsAsk(params: JsonObject): Asking | undefined {
  const list = objects(params.questions).map((one) => ({
    id: text(one.id) ?? "",
    question: { question: text(one.question) ?? "", header: text(one.header), options: one.options },
  }));
  const questions = questionsOf(list.map(({ question }) => question));
  if (!questions) return undefined;
  const ask = askFor(params, named("", "request_user_input", undefined, { questions: params.questions }));
  const words = distinct(questions.map(({ question }) => question));
  const byId = Object.fromEntries(list.map(({ id }, at) => [id, words[at] ?? ""]));
  return [
    { ...ask, questions: questions.map((one, at) => ({ ...plainQuestion(one), question: words[at] ?? "" })) },
    { kind: "questions", questions: byId },
  ];
}

function plainQuestion({ question, header, options }: Question): Question {
  const choices = objects(options).flatMap((option) => {
    const [label, description] = [text(option.label), word(option.description)];
    return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
  });
  return {
    question,
    ...(word(header) !== undefined && { header: String(header) }),
    ...(choices.length > 0 && { options: choices }),
  };
}

/** A server wants something of the user; Codex asks in the same way whether one of its tools may be called. */
function elicitation(state: RunState, params: JsonObject): Asking {
  const { _meta: meta, serverName, message, requestedSchema, url } = params;
  const server = text(serverName) ?? "";
  const reason = text(message) ?? "";
  if (isObject(meta) && meta.codex_approval_kind === "mcp_tool_call") {
    const ask = toolAsk(state, server, meta, reason);
    return [
      // It remembers a tool without its arguments.
      { ...ask, reason, always: [ask.name] },
      { kind: "tool", ...(ask.tool_use_id && { call: ask.tool_use_id }) },
    ];
  }
  const told = named("", "elicitation", `mcp__${server}`, { message, ...(url !== undefined && { url }) });
  const ask = { name: told.name, input: told.input, call: told.call, reason };
  if (params.mode === "url") {
    const question = [reason, text(url) ?? ""].join("\n").trim();
    return [
      { ...ask, questions: [{ question, options: [{ label: "Done" }, { label: "No" }] }] },
      { kind: "link" },
    ];
  }
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const wanted = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const questions = fieldQuestions(wanted, reason);
  return [
    { ...ask, questions },
    { kind: "form", wanted, required },
  ];
}

/** It says which tool and with what, not which call: one that is open and the same, and not waited for already. */
function toolAsk({ open, asks }: RunState, server: string, meta: JsonObject, message: string): Ask {
  const tool = /tool "([^"]+)"/.exec(message)?.[1];
  const { name, input, call } = named("", tool ?? "", `mcp__${server}`, meta.tool_params);
  const taken = new Set(Object.values(asks).map((one) => one.call));
  const calls = Object.values(open).filter((one) => one.server === server && !taken.has(one.id));
  const [first, ...others] = calls;
  // Where it does not say so much, the only one it can be.
  const same =
    tool === undefined && others.length === 0
      ? first
      : calls.find((one) => one.name === name && isDeepStrictEqual(one.input, input));
  const words = tool === undefined && same ? same : { name, input, call };
  return {
    name: words.name,
    input: words.input,
    call: words.call,
    ...(same && { tool_use_id: same.id }),
  };
}

export function decided(state: RunState, id: string, decision: Decision): Output[] {
  const ask = kept(state.asks, id);
  if (!ask) return [];
  delete state.asks[id];
  return [reply(state.rpc, ask.request, answerTo(ask, decision))];
}

/** It was answered, or the turn that wanted it is over. */
export function withdrawn(state: RunState, params: JsonObject): Output[] {
  const id = nameOf(params.requestId);
  if (!kept(state.asks, id)) return [];
  delete state.asks[id];
  return [tell({ type: "unask", id })];
}

function answerTo(asked: Asked, { allow, always, answers = {} }: Decision) {
  const { kind, wanted = {}, required = [], questions = {} } = asked;
  switch (kind) {
    case "decision":
      return { decision: allow ? (always ? "acceptForSession" : "accept") : "decline" };
    case "permissions": {
      // Nothing granted is how it is denied.
      const granted = Object.entries(wanted).filter(([, value]) => allow && value !== null);
      return { permissions: Object.fromEntries(granted), scope: allow && always ? "session" : "turn" };
    }
    case "questions":
      return { answers: allow ? answersOf(questions, answers) : {} };
    case "tool":
      return { ...action(allow, {}), _meta: allow && always ? { persist: "session" } : null };
    case "form": {
      const isFilled = Object.keys(wanted).length > 0 || agrees(answers);
      if (!isFilled) return action(false, null);
      const content = contentOf(wanted, required, answers);
      return allow && !content ? { ...action(false, null), action: "cancel" } : action(allow, content);
    }
    case "link":
      return action(allow && agrees(answers), null);
  }
}

function action(allow: boolean, content: unknown) {
  return { action: allow ? "accept" : "decline", content: allow ? content : null, _meta: null };
}

type Answers = NonNullable<Decision["answers"]>;

function answersOf(questions: Record<string, string>, answers: Answers): JsonObject {
  const given = Object.entries(questions).flatMap(([id, question]) => {
    const answer = kept(answers, question) ?? kept(answers, id);
    return answer === undefined ? [] : [[id, { answers: [answer].flat() }] as const];
  });
  return Object.fromEntries(given);
}
