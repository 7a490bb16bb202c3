// A message of the CLI's own in which something was changed or taken out.
import type {
  AssistantEntry,
  Entry,
  SystemEntry,
  ToolCall,
  ToolResult,
  UserEntry,
} from "../../session/session.ts";
import type { Target } from "../adapter.ts";
import { isInstructions } from "../instructions.ts";
import { filled, type Json } from "../json.ts";
import type { Recorded } from "./cursor.ts";
import { modelMessages, type NativePair, switchMessage, userMessage } from "./messages.ts";
import { type Message, piecesOf, responseIn, toolCallsOf } from "./native.ts";
import { outcomesOf } from "./settle.ts";
import { translate } from "./tools.ts";

/** A changed message takes the form of one that Baton writes; its results follow it. */
export function changed(recorded: Recorded, group: readonly Entry[], target: Target): Json[] {
  const { message } = recorded;
  const [first] = group;
  if (first?.type === "switch") return [{ ...message, ...switchMessage(first, message.id).message }];
  const user = group.find(isAsked);
  if (message.type !== "gemini") {
    const made = user && userMessage(user, message.id);
    const results = group.filter((entry): entry is ToolResult => entry.type === "tool_result");
    const kept = results.length > 0 ? [{ ...message, content: resultsOf(recorded, results) }] : [];
    return made ? [{ ...unsaid(message), ...made.message }] : kept;
  }
  const said = group.find((entry): entry is AssistantEntry => entry.type === "assistant");
  const calls = group.filter((entry): entry is ToolCall => entry.type === "tool_call");
  const pairs = calls.flatMap((call) => pairsOf(call, group, target));
  const timestamp = typeof message.timestamp === "string" ? message.timestamp : target.now.toISOString();
  const ids = { message: message.id, results: `${message.id}_response` };
  const [own, results] = modelMessages(ids, said, pairs, { timestamp });
  const kept = toolCallsOf(message).filter(
    ({ id, result }) => result && calls.some((call) => call.id === id),
  );
  return [
    ...(own ? [{ ...unsaid(message), ...own.message }] : []),
    ...(results ? [{ ...results.message, ...outcomesOf(kept) }] : []),
  ];
}

function isAsked(entry: Entry): entry is UserEntry | SystemEntry {
  return entry.type === "user" || isInstructions(entry);
}

/** A message without what repeats its words and calls: neither may outlive the ones that were changed. */
function unsaid({ toolCalls: _, displayContent: __, ...rest }: Message): Json {
  return rest;
}

function pairsOf(call: ToolCall, group: readonly Entry[], target: Target): NativePair[] {
  const result = group.find((one): one is ToolResult => one.type === "tool_result" && one.callId === call.id);
  return translate(call, result, [target.cwd]).pairs.map((pair, at) => ({
    ...pair,
    input: pair.input as Json,
    id: at === 0 ? call.id : `${call.id}-${at + 1}`,
  }));
}

/** Results in a message of their own, those that were changed with what they say now. */
function resultsOf({ message, entries }: Recorded, results: readonly ToolResult[]): Json[] {
  const pieces = piecesOf(message.content);
  const named = pieces.flatMap((piece) => filled(responseIn(piece)?.id) ?? []);
  // Early versions gave no ids: what has none stands in the order of the entries.
  const nameless = entries.filter((entry) => !named.some((id) => entry.startsWith(`${id}-result`)));
  let isGone = false;
  return pieces.flatMap((piece) => {
    const response = responseIn(piece);
    // Bytes beside a result go with it.
    if (!response) return isGone && typeof piece.text !== "string" ? [] : [piece];
    const own = filled(response.id);
    const entry = own === undefined ? nameless.shift() : undefined;
    const result = results.find(({ id, callId }) => (own === undefined ? id === entry : callId === own));
    isGone = result === undefined;
    if (!result) return [];
    const told = result.success ? { output: result.output } : { error: result.output };
    return [{ ...piece, functionResponse: { ...response, response: told } }];
  });
}
