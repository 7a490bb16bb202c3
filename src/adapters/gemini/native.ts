// The shapes of Gemini CLI's own records, and guards for them. Records are untrusted: every field is checked
// where it is used, so all that is promised here is that an object is an object.
import { isObject, type Json, objects, text } from "../json.ts";

/** A message of the log. Only the id is certain. */
export type Message = Json & { id: string };

/** A line of the log, told apart in the order in which the CLI does it. */
export type LogRecord =
  | { type: "rewind"; to: string }
  | { type: "message"; message: Message }
  | { type: "set"; set: Json }
  | { type: "metadata"; metadata: Json };

export function recordOf(value: unknown): LogRecord | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.$rewindTo === "string") return { type: "rewind", to: value.$rewindTo };
  if (isMessage(value)) return { type: "message", message: value };
  if (isObject(value.$set)) return { type: "set", set: value.$set };
  if (typeof value.sessionId === "string") return { type: "metadata", metadata: value };
  return undefined;
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.id === "string";
}

/** The messages of a list with their places in it; the CLI passes over what has no id. */
export function membersOf(list: unknown): (readonly [place: number, message: Message])[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, place) => (isMessage(item) ? [[place, item] as const] : []));
}

/** A list of messages that a line holds, and whether it takes the place of all that came before. */
export function listIn(record: LogRecord): { list: unknown[]; replaces: boolean } | undefined {
  if (record.type === "set" && Array.isArray(record.set.messages))
    return { list: record.set.messages, replaces: true };
  if (record.type === "metadata" && Array.isArray(record.metadata.messages))
    return { list: record.metadata.messages, replaces: false };
  return undefined;
}

/** The pieces of a message: text, a call, a result, bytes. */
export function piecesOf(content: unknown): Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (isObject(content)) return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((piece: unknown): Json[] => {
    if (typeof piece === "string") return [{ text: piece }];
    return isObject(piece) ? [piece] : [];
  });
}

export const isThought = (piece: Json) => Boolean(piece.thought);
export const callIn = (piece: Json) => (isObject(piece.functionCall) ? piece.functionCall : undefined);
export const callsIn = (pieces: readonly Json[]): Json[] =>
  pieces.flatMap((piece): Json[] => (isObject(piece.functionCall) ? [piece.functionCall] : []));
export const responseIn = (piece: Json) =>
  isObject(piece.functionResponse) ? piece.functionResponse : undefined;

/**
 * How a message begins in the CLI's own reading, which decides whether it is sent: anything that is not plain
 * text stands there in brackets, and so does a text that says whether it is a thought.
 */
export function opening(content: unknown): string {
  return piecesOf(content)
    .map((piece) => {
      const isOther = OTHERS.some((field) => piece[field] !== undefined);
      return isOther ? "[…]" : (text(piece.text) ?? "");
    })
    .join("")
    .trim();
}

const OTHERS = [
  "videoMetadata",
  "thought",
  "codeExecutionResult",
  "executableCode",
  "fileData",
  "functionCall",
  "functionResponse",
  "inlineData",
];

/** Context that the CLI makes anew in every run; what is on record is never sent again. */
export function contextName(content: unknown): string | undefined {
  return /^<(session_context|hook_context)>/.exec(opening(content))?.[1];
}

/** The CLI leaves these out of the history: blank messages, and commands to itself. */
export function isLeftOut(content: unknown): boolean {
  return /^(?:$|[/?])/.test(opening(content));
}

/** What the CLI shows to its user and never sends. */
export const NOTES: ReadonlySet<unknown> = new Set(["info", "error", "warning"]);

export const toolCallsOf = (message: Json): Json[] => objects(message.toolCalls);

/** How the id of a call begins that Baton wrote for the CLI's own view only; what is sent stands in the message. */
export const SHOWN = "shown-";
