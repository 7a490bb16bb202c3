// What OpenCode asks: permissions and questions. A request may come before the arguments of its call; a refusal takes
// all other requests of its session along, so it waits until those are decided.
import { distinct } from "../../session/distinct.ts";
import type { Decision, Output } from "../driver.ts";
import { questionsOf } from "../reading.ts";
import { type JsonObject, objectOf, text, word } from "./native.ts";
import { verdictOf } from "./run-rules.ts";
import { type Asked, ask, find, keep, type State, said } from "./run-state.ts";
import { universalCall } from "./tools.ts";

export function permissionAsked(state: State, properties: JsonObject): Output[] {
  const [id, session] = [word(properties.id), word(properties.sessionID)];
  if (id === undefined || session === undefined) return [];
  const permission = word(properties.permission) ?? "unknown";
  const { patterns } = properties;
  const list = (Array.isArray(patterns) ? patterns : []).flatMap((one) => text(one) ?? []);
  const metadata = objectOf(properties.metadata);
  const { always } = properties;
  const asked: Asked = {
    ...newAsked(session, properties),
    rules: (Array.isArray(always) ? always : []).flatMap((pattern) =>
      text(pattern) === undefined ? [] : [{ permission, pattern: String(pattern), action: "allow" as const }],
    ),
    name: word(metadata.tool) ?? permission,
    input: metadata.input ?? metadata,
    reason: [permission, list.join(", ")].filter(Boolean).join(": "),
  };
  keep(state.asks, id, asked);
  switch (verdictOf(state, { session, permission, patterns: list })) {
    case "allow":
      return [allowed(state, id, asked)];
    case "deny":
      return refused(state, asked, RULED);
    case "ask":
      return told(state, id, asked);
  }
}

const RULED = "The user has specified a rule which prevents you from using this specific tool call.";
const REFUSED = "The user does not allow it.";

export function questionAsked(state: State, properties: JsonObject): Output[] {
  const [id, session] = [word(properties.id), word(properties.sessionID)];
  const given = questionsOf(properties.questions);
  if (id === undefined || session === undefined || !given) return [];
  const words = distinct(given.map(({ question }) => question));
  const questions = given.map((one, at) => ({ ...one, question: words[at] ?? one.question }));
  const asked = { ...newAsked(session, properties), name: "question", questions };
  return told(state, id, keep(state.asks, id, { ...asked, input: { questions: properties.questions } }));
}

function newAsked(session: string, { tool }: JsonObject): Asked {
  const call = word(objectOf(tool).callID) ?? null;
  const nothing = { input: {}, reason: null, questions: null, message: null } as const;
  return { ...nothing, rules: [], session, call, name: "", isTold: false, answer: "none" };
}

/** Not before its call: that has the whole arguments, of which the request tells a part. */
function told(state: State, id: string, asked: Asked): Output[] {
  const { call, reason, questions, rules } = asked;
  const known = find(state.calls, call);
  if (call !== null && !known) return [];
  asked.isTold = true;
  const [name, input] = questions || !known ? [asked.name, asked.input] : [known.name, known.input];
  const parent = find(state.subagents, asked.session)?.call;
  return [
    said({
      type: "ask",
      id,
      name,
      input,
      call: universalCall(name, objectOf(input), true),
      ...(call !== null && { tool_use_id: call }),
      ...(reason !== null && { reason }),
      ...(rules.length > 0 && {
        always: rules.map(({ permission, pattern }) => `${permission}: ${pattern}`),
      }),
      ...(questions && { questions }),
      ...(parent && { parent_tool_use_id: parent }),
    }),
  ];
}

/** What waited for the arguments of this call. */
export function askedOf(state: State, call: string): Output[] {
  return Object.entries(state.asks).flatMap(([id, asked]) =>
    asked.call === call && asked.answer === "none" && !asked.isTold ? told(state, id, asked) : [],
  );
}

export function decided(state: State, id: string, decision: Decision): Output[] {
  const asked = find(state.asks, id);
  if (asked?.answer !== "none") return [];
  if (asked.questions) return [answered(state, id, asked, decision)];
  if (!decision.allow) return refused(state, asked, decision.message || REFUSED);
  if (decision.always) state.allowed.push(...asked.rules);
  return [allowed(state, id, asked)];
}

/** Never for the rest of the session: OpenCode would not ask again in a mode in which nothing is to be changed. */
function allowed(state: State, id: string, asked: Asked): Output {
  asked.answer = "sent";
  return replied(state, id, `/permission/${encodeURIComponent(id)}/reply`, { reply: "once" });
}

function answered(state: State, id: string, asked: Asked, { allow, answers = {} }: Decision): Output {
  asked.answer = "sent";
  const path = `/question/${encodeURIComponent(id)}`;
  if (!allow) return replied(state, id, `${path}/reject`);
  const chosen = (asked.questions ?? []).map(({ question, header }) => {
    const answer = find({ ...answers }, question) ?? find({ ...answers }, text(header)) ?? [];
    return typeof answer === "string" ? [answer] : [...answer];
  });
  return replied(state, id, `${path}/reply`, { answers: chosen });
}

function replied(state: State, ask_: string, path: string, body?: unknown): Output {
  const sent = { method: "POST", path, ...(body !== undefined && { body }) } as const;
  return ask(state, { purpose: "reply", ask: ask_ }, sent);
}

function refused(state: State, asked: Asked, message: string): Output[] {
  asked.answer = "refused";
  asked.message = message;
  return refusals(state, asked.session);
}

/** One refusal ends all requests of the session (1.18.33): those that are allowed, or may yet be, go first. */
function refusals(state: State, session: string): Output[] {
  const open = Object.entries(state.asks).filter(
    ([, asked]) => asked.session === session && asked.questions === null,
  );
  if (!open.every(([, { answer }]) => answer === "refused")) return [];
  return open.map(([id, asked]) => {
    asked.answer = "sent";
    const path = `/permission/${encodeURIComponent(id)}/reply`;
    return replied(state, id, path, { reply: "reject", message: asked.message ?? REFUSED });
  });
}

/** It is over, by our answer or by somebody else's. */
export function settled(state: State, id: string | undefined): Output[] {
  const asked = find(state.asks, id);
  if (!asked || id === undefined) return [];
  delete state.asks[id];
  const isTheirs = asked.answer === "none" && asked.isTold;
  return [...(isTheirs ? [said({ type: "unask", id })] : []), ...refusals(state, asked.session)];
}
