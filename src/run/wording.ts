// How the protocol says what a driver said: results by kind, notices short, questions with one vocabulary of tools.
import { isDeepStrictEqual } from "node:util";
import type { DriverEvent, Said } from "../adapters/driver.ts";
import { visibleSequences } from "../session/escapes.ts";
import type { Bare, EventOf } from "../session/events.ts";
import type { Ask } from "./approvals.ts";
import type { Use } from "./calls.ts";
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

/** A call in our words and, where they differ, in the agent's; `keep` puts what a line cannot hold as it is somewhere. */
export function callWords(
  { name, input, call }: Pick<Ask, "name" | "input" | "call">,
  keep: (input: unknown, which: string) => string | undefined,
) {
  const said = protocolCall(name, call);
  const isSame = said.name === name && isDeepStrictEqual(said.input, input);
  return {
    name: said.name,
    ...kept(said.input, (whole) => keep(whole, "")),
    ...(!isSame && { native: { name, ...kept(input ?? null, (whole) => keep(whole, " native")) } }),
  };
}

function kept<T>(given: T, keep: (input: T) => string | undefined): { input: T; input_path?: string } {
  const { input, isExact } = fittingInput(given);
  const path = isExact ? undefined : keep(given);
  return { input, ...(path !== undefined && { input_path: path }) };
}

const MOST_ALWAYS = 20;
const LONGEST_ALWAYS = 200;

function alwaysWords(list: readonly string[]): string[] {
  const words = list.slice(0, MOST_ALWAYS).map((one) => {
    const { text, isCut } = beginning(visibleSequences(one), LONGEST_ALWAYS);
    return isCut ? `${text} …` : text;
  });
  return list.length > MOST_ALWAYS ? [...words, `and ${list.length - MOST_ALWAYS} more`] : words;
}

export function askedEvent(event: Ask, timeoutMs: number, keep?: ProtocolOptions["keepInput"]): Bare {
  const { id, tool_use_id, reason, questions, always = [], parent_tool_use_id } = event;
  return {
    type: "approval_request",
    id,
    ...callWords(event, (input, which) => keep?.(`${id} asked${which}`, input)),
    timeout_ms: timeoutMs,
    ...(tool_use_id !== undefined && { tool_use_id }),
    ...(reason !== undefined && { reason: sentence(visibleSequences(reason)) }),
    ...(always.length > 0 && { always: alwaysWords(always) }),
    ...(questions && { questions: shownQuestions(questions) }),
    ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
  };
}

/** What stands for the result of a call that never came. */
export function missingResult({ id, parent }: Use): Extract<DriverEvent, { type: "tool_result" }> {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: "[no result: the agent went on before it came]",
    is_error: true,
    ...(parent !== "" && { parent_tool_use_id: parent }),
  };
}
