// Writes a session as a request to one of OpenAI's APIs: Chat Completions (`{model?, messages}`, the instructions
// as first message) or Responses (`{model?, instructions?, input}`).
import type { Part, SystemEntry } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { vendorOf } from "../session/vendor.ts";
import type { Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import { argumentsOf, argumentText, type Outgoing } from "./outgoing.ts";
import {
  type Inline,
  inlineOf,
  isCommonImage,
  linkOf,
  type Media,
  mention,
  partsOf,
  textOf,
} from "./parts.ts";
import { type Answered, type Dialect, reportFailure, systemText, writeRequest } from "./request.ts";

export function writeChat(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return writeRequest(stream, options, chat);
}

export function writeResponses(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return writeRequest(stream, options, responses);
}

const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const NOT_IN_IDS = /[^\x21-\x7e]/g;

/** How the two APIs call the same things. */
interface Names {
  text: string;
  image(url: string): Json;
  file(data: string, name: string): Json;
}

const chatNames: Names = {
  text: "text",
  image: (url) => ({ type: "image_url", image_url: { url } }),
  file: (data, filename) => ({ type: "file", file: { filename, file_data: data } }),
};

const inputNames: Names = {
  text: "input_text",
  image: (url) => ({ type: "input_image", image_url: url }),
  file: (data, filename) => ({ type: "input_file", filename, file_data: data }),
};

const chat: Dialect = {
  id: "openai-chat",
  accepts: { id: NOT_IN_IDS, name: NOT_IN_NAMES, longestId: 40, longestName: 64 },
  isOwn: (model) => vendorOf(model) === "openai",
  list: "messages",
  opening: (_, model) => (model === undefined ? {} : { model }),
  instructions: (system) => [{ role: "system", content: system.join("\n\n") }],
  user: (entry, out) => message("user", contentOf(partsOf(entry), entry.id, out, chatNames)),
  system: (entry, out) => developer(entry, out),
  reply({ said }, calls, out) {
    const texts = said.flatMap((entry) => replyTexts(partsOf(entry), entry.id, out));
    if (texts.length === 0 && calls.length === 0) return [];
    const content = texts.length === 0 ? null : texts.join("\n");
    const tool_calls = calls.map(chatCall);
    return [
      { role: "assistant", content, ...(calls.length > 0 && { tool_calls }) },
      ...calls.map((call) => chatResult(call, out)),
    ];
  },
};

const responses: Dialect = {
  id: "openai-responses",
  accepts: { id: NOT_IN_IDS, name: NOT_IN_NAMES, longestId: 64, longestName: 128 },
  isOwn: (model) => vendorOf(model) === "openai",
  list: "input",
  opening: (system, model) => ({
    ...(model !== undefined && { model }),
    ...(system.length > 0 && { instructions: system.join("\n\n") }),
  }),
  user(entry, out) {
    const found = message("user", contentOf(partsOf(entry), entry.id, out, inputNames));
    return found && { type: "message", ...found };
  },
  system(entry, out) {
    const found = developer(entry, out);
    return found && { type: "message", ...found };
  },
  reply({ said }, calls, out, keepsThinking) {
    const items = said.flatMap((entry) => replyItems(partsOf(entry), entry.id, out, keepsThinking));
    return [...items, ...calls.map(callItem), ...calls.map((call) => outputItem(call, out))];
  },
};

function message(role: string, content: Json[]): Json | undefined {
  const [only, ...others] = content;
  if (!only) return undefined;
  const isText = others.length === 0 && typeof only.text === "string";
  return { role, content: isText ? only.text : content };
}

function developer(entry: SystemEntry, out: Outgoing): Json | undefined {
  const content = systemText(entry, out);
  return content === "" ? undefined : { role: "developer", content };
}

function contentOf(parts: readonly Part[], entry: string, out: Outgoing, names: Names): Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type === "image" || part.type === "document") {
      const found = mediaOf(part, names);
      if (found) return [found];
      out.media(part, entry, mention(part));
      return [{ type: names.text, text: mention(part) }];
    }
    const text = plainText(part, entry, out);
    return text === "" ? [] : [{ type: names.text, text }];
  });
}

function plainText(part: Part, entry: string, out: Outgoing): string {
  if (part.type === "thinking") out.lost("thinking_dropped", entry, "the API has no place for it");
  else if (part.type !== "text") out.lost("part_converted", entry, `${part.type} became text`);
  return textOf(part) ?? "";
}

function mediaOf(part: Media, names: Names): Json | undefined {
  const inline = inlineOf(part);
  if (part.type === "document") return inline && names.file(urlOf(inline), part.name ?? "document.pdf");
  if (inline) return isCommonImage(inline) ? names.image(urlOf(inline)) : undefined;
  const url = linkOf(part);
  return url === undefined ? undefined : names.image(url);
}

function urlOf({ mimeType, data }: Inline): string {
  return `data:${mimeType};base64,${data}`;
}

/** What a reply says; it can only hold text. */
function replyTexts(parts: readonly Part[], entry: string, out: Outgoing): string[] {
  return parts.flatMap((part) => {
    if (part.type === "image" || part.type === "document") {
      out.media(part, entry, "a reply can only hold text");
      return [mention(part)];
    }
    const text = plainText(part, entry, out);
    return text === "" ? [] : [text];
  });
}

function chatCall({ call, id, name }: Answered): Json {
  const value = argumentsOf(call);
  if (typeof value === "string") return { id, type: "custom", custom: { name, input: value } };
  return { id, type: "function", function: { name, arguments: argumentText(call, value) } };
}

function chatResult(call: Answered, out: Outgoing): Json {
  reportFailure(call, out);
  const { result } = call;
  const texts = partsOf(result).map((part) => {
    if (part.type !== "image" && part.type !== "document") return plainText(part, result.id, out);
    out.media(part, result.id, "a result can only hold text");
    return mention(part);
  });
  return { role: "tool", tool_call_id: call.id, content: texts.join("\n") };
}

function replyItems(parts: readonly Part[], entry: string, out: Outgoing, keepsThinking: boolean): Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type === "thinking" && keepsThinking && part.signature !== undefined) {
      const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
      return [{ type: "reasoning", summary, encrypted_content: part.signature }];
    }
    return replyTexts([part], entry, out).map((text) => ({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text, annotations: [] }],
    }));
  });
}

function callItem({ call, id, name }: Answered): Json {
  const value = argumentsOf(call);
  if (typeof value === "string") return { type: "custom_tool_call", call_id: id, name, input: value };
  return { type: "function_call", call_id: id, name, arguments: argumentText(call, value) };
}

function outputItem(call: Answered, out: Outgoing): Json {
  reportFailure(call, out);
  const { result } = call;
  const isCustom = typeof argumentsOf(call.call) === "string";
  const content = contentOf(partsOf(result), result.id, out, inputNames);
  const isText = content.every(({ type }) => type === inputNames.text) && content.length <= 1;
  return {
    type: isCustom ? "custom_tool_call_output" : "function_call_output",
    call_id: call.id,
    output: isText ? (content[0]?.text ?? "") : content,
  };
}
