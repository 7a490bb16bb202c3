// Which records' long texts the reader only hands on, so that they can stay in their file while a session is
// carried (storage/reference.ts): what tools answered, and what is shown of it.
import { isReferenced } from "../../storage/reference.ts";
import { isObject, type Json } from "../json.ts";
import { piecesOf, recordOf, responseIn, toolCallsOf } from "./native.ts";

export function passes(value: unknown): boolean {
  const record = recordOf(value);
  if (record?.type !== "message") return false;
  const { content, toolCalls: _, displayContent: __, ...others } = record.message;
  return (
    isShort(others) &&
    piecesOf(content).every((piece) => (responseIn(piece) ? isTextAnswer(piece) : isShort(piece))) &&
    toolCallsOf(record.message).every(isPassingCall)
  );
}

/** Of the display, the reader takes the difference that an edit made. */
function isPassingCall({ result, resultDisplay, ...others }: Json): boolean {
  const isEdit = isObject(resultDisplay) && resultDisplay.fileDiff !== undefined;
  const isPlain = typeof result === "string" || piecesOf(result).every(isTextAnswer);
  return isShort(others) && isPlain && !(isEdit && !isShort(resultDisplay));
}

/** An answer in words; one in a shape of its own is taken apart. */
function isTextAnswer(piece: Json): boolean {
  const { response, ...others } = responseIn(piece) ?? {};
  if (!isObject(response) || !isShort(others)) return isShort(piece);
  const { output, error, ...rest } = response;
  return isShort(rest) && [output, error].every((one) => one === undefined || typeof one === "string");
}

/** Nothing in it stays in the file. */
function isShort(value: unknown): boolean {
  if (typeof value === "string") return !isReferenced(value);
  if (Array.isArray(value)) return value.every(isShort);
  return !isObject(value) || Object.values(value).every(isShort);
}
