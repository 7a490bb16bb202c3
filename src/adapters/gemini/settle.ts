// A message of the CLI's own in the form that is sent once however often it is resumed: calls among the pieces, and
// their results in a message behind it. The CLI writes it so itself when it resumes a session, but keeps the results
// with the calls as well, and from then on sends both (0.61.0).
import { filled, type Json, text } from "../json.ts";
import { answersIn, detailsOf } from "./entries.ts";
import { callsIn, type Message, piecesOf, SHOWN, toolCallsOf } from "./native.ts";

/** What the CLI takes for nothing to show. */
export const UNSEEN = [{ text: " " }];

/** The message as it is, unless all its calls have a result beside them. Nothing of it gets lost. */
export function settled(message: Message): Json[] {
  const pieces = piecesOf(message.content).filter((piece) => piece.text !== "");
  const calls = toolCallsOf(message);
  const answers = calls.flatMap(answerTo);
  if (message.type !== "gemini" || calls.length === 0 || callsIn(pieces).length > 0) return [message];
  if (answers.length < calls.length) return [message];
  const inside = calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: args ?? {} } }));
  const shown = pieces.length > 0 ? pieces : UNSEEN;
  return [
    {
      ...message,
      content: [...pieces, ...inside],
      displayContent: message.displayContent ?? shown,
      toolCalls: calls.map(({ result: _, ...call }) => ({ ...call, id: `${SHOWN}${String(call.id)}` })),
    },
    {
      id: `${message.id}_response`,
      timestamp: message.timestamp,
      type: "user",
      content: answers.flat(),
      displayContent: UNSEEN,
      ...outcomesOf(calls),
    },
  ];
}

/** What the CLI keeps of a result besides its words, in a field of ours: a message of results has none for it. */
export function outcomesOf(calls: readonly Json[]): Json {
  const outcomes = calls.flatMap((call): Json[] => {
    const { id, status, resultDisplay } = call;
    const isPlain = status === undefined || status === "success";
    const isEdit = detailsOf(call) !== undefined;
    return isPlain && !isEdit ? [] : [{ id, status, ...(isEdit && { resultDisplay }) }];
  });
  return outcomes.length === 0 ? {} : { outcomes };
}

/** The pieces of a call's result, in a list of their own; none where they cannot be told from others. */
function answerTo({ id, name, result, status }: Json): Json[][] {
  if (filled(id) === undefined || filled(name) === undefined) return [];
  const said = text(result);
  if (said !== undefined) {
    const response = status === "error" ? { error: said } : { output: said };
    return [[{ functionResponse: { id, name, response } }]];
  }
  const found = answersIn(piecesOf(result)).find(({ response }) => response.id === id);
  return found ? [[{ functionResponse: found.response }, ...found.beside]] : [];
}
