// How the protocol says what a driver said: results by kind, notices short, questions with one vocabulary of tools.
import type { DriverEvent, Said } from "../adapters/driver.ts";
import { visibleSequences } from "../session/escapes.ts";
import type { Bare, EventOf } from "../session/events.ts";
import type { Ask } from "./approvals.ts";
import { type Who, withHint } from "./failures.ts";
import { beginning, fittingInput, sentence } from "./fit.ts";
import type { ProtocolOptions } from "./protocol.ts";
import { shownQuestions } from "./questions.ts";
import { protocolCall } from "./tool-names.ts";
import type { Turn } from "./turn.ts";

export type Ending = Omit<Extract<Said, { type: "result" }>, "type">;

export const REASONS = {
  user: "denied by the user",
  mode: "denied by the permission mode",
  timeout: "nobody answered in time",
};

export function subtypeOf(
  turn: Turn,
  { interrupted, refused, is_error }: Ending,
): EventOf<"result">["subtype"] {
  if (interrupted || turn.isInterrupted) return "interrupted";
  if (refused) return "refusal";
  return (is_error ?? turn.error !== undefined) ? "error" : "success";
}

export function systemEvent(event: Extract<DriverEvent, { type: "system" }>, who: Who): Bare {
  switch (event.subtype) {
    case "error": {
      const { type, subtype, ...failure } = event;
      return { type, subtype, ...withHint(failure, who) };
    }
    case "notice":
      return { ...event, message: sentence(event.message) };
    case "compact_boundary":
      return { ...event, ...(event.summary !== undefined && { summary: beginning(event.summary).text }) };
  }
}

export function askedEvent(event: Ask, timeoutMs: number, keep?: ProtocolOptions["keepInput"]): Bare {
  const { id, tool_use_id, name, call, reason, questions, parent_tool_use_id } = event;
  const said = protocolCall(name, call);
  const { input, isExact } = fittingInput(said.input);
  const path = isExact ? undefined : keep?.(`${id} asked`, said.input);
  return {
    type: "approval_request",
    id,
    name: said.name,
    input,
    ...(path !== undefined && { input_path: path }),
    timeout_ms: timeoutMs,
    ...(tool_use_id !== undefined && { tool_use_id }),
    ...(reason !== undefined && { reason: sentence(visibleSequences(reason)) }),
    ...(questions && { questions: shownQuestions(questions) }),
    ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
  };
}
