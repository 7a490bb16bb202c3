// The calls of OpenAI's Responses API whose tools are its own, and what all calls gave. Some run at the caller, whose
// answer is an item of its own; those that run at the API hold it themselves, or nobody recorded it.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import { fileOf, imageOf } from "./chat-read.ts";
import { isObject, type Json } from "./check.ts";
import { asWritten, filled, parsedArguments, type Timeline, text } from "./incoming.ts";

/** A call of the API's own tools, named by its type without the ending. */
export function addOwnCall(timeline: Timeline, item: Json, place: string, turn: string): void {
  const { type, id, call_id, status: _, output, outputs, result, results, error, ...given } = item;
  const own = filled(call_id) ?? filled(id) ?? place;
  const found = [output, outputs, result, results, error].find((one) => one !== undefined && one !== null);
  const isHosted = call_id === undefined && found === undefined;
  const hosted = isHosted ? { hosted: true } : {};
  if (type === "mcp_call") {
    const { name, server_label, arguments: written } = given;
    const server = filled(server_label);
    const tool = server === undefined ? text(name) : `mcp__${server}__${text(name)}`;
    timeline.call(own, turn, tool, parsedArguments(written), { ...hosted, ...asWritten(written) });
  } else timeline.call(own, turn, text(type).slice(0, -"_call".length), inputOf(given), hosted);
  if (found === undefined) return;
  const isFailed = error !== undefined && error !== null;
  const parts = type === "image_generation_call" ? [pictureOf(found)] : partsOfOutput(found, timeline, place);
  timeline.result(`${place}.result`, own, parts, !isFailed);
}

/** What is to be done, where that is all there is to say. */
function inputOf(given: Json): Json {
  const [only] = Object.keys(given).length === 1 ? [given.action ?? given.operation] : [];
  return isObject(only) ? only : given;
}

function pictureOf(found: unknown): Part {
  return { type: "image", mimeType: "image/png", data: text(found) };
}

/** The answer to a call; earlier versions of the API name the call by `id`. */
export function addOutput(timeline: Timeline, item: Json, place: string): void {
  const codes = exitCodes(item.output);
  const isDone = item.status !== "failed" && codes.every((code) => code === 0);
  const [exitCode] = codes.filter((code) => typeof code === "number" && code !== 0);
  const more = exitCode === undefined ? {} : { details: { exitCode } };
  const parts = partsOfOutput(item.output ?? "", timeline, place);
  timeline.result(place, filled(item.call_id) ?? text(item.id), parts, isDone, more);
}

/** How each command of a shell ended: a code, or a word such as `timeout`. */
function exitCodes(output: unknown): unknown[] {
  const outcomes = Array.isArray(output) ? output.filter(isObject).map(({ outcome }) => outcome) : [];
  return outcomes.filter(isObject).map(({ type, exit_code }) => exit_code ?? type);
}

function partsOfOutput(output: unknown, timeline: Timeline, entry: string): Part[] {
  if (typeof output === "string") return output === "" ? [] : [{ type: "text", text: output }];
  const list = Array.isArray(output) ? output : [output];
  return list.flatMap((one): Part[] => {
    if (!isObject(one)) return [{ type: "text", text: typeof one === "string" ? one : JSON.stringify(one) }];
    if (typeof one.stdout !== "string" && typeof one.stderr !== "string")
      return [partOf(one, timeline, entry)];
    return [one.stdout, one.stderr].map(text).flatMap((said) => (said ? [{ type: "text", text: said }] : []));
  });
}

export function partOf(part: Json, timeline: Timeline, entry: string): Part {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: text(part.text) };
    case "logs":
      return { type: "text", text: text(part.logs) };
    case "refusal":
      return { type: "text", text: text(part.refusal) };
    case "image":
      return imageOf(part.url);
    case "input_image":
    case "computer_screenshot":
      return imageOf(part.image_url);
    case "input_file":
      return fileOf(part);
    default:
      timeline.losses.push(loss("part_converted", { entry }, `a part of type ${String(part.type)}`));
      return { type: "text", text: filled(part.text) ?? JSON.stringify(part) };
  }
}
