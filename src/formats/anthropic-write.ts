// Writes a session as a request to Anthropic's Messages API: `{model?, system?, messages}`.
import { isPdf } from "../session/image.ts";
import type { Part, ToolResult } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { vendorOf } from "../session/vendor.ts";
import type { Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import { argumentObject, type Outgoing } from "./outgoing.ts";
import { inlineOf, isCommonImage, linkOf, type Media, mention, partsOf, textOf } from "./parts.ts";
import { type Answered, type Dialect, systemText, writeRequest } from "./request.ts";

const LARGEST_IMAGE = 5 * 1024 * 1024;

export function writeAnthropic(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return writeRequest(stream, options, dialect);
}

const dialect: Dialect = {
  id: "anthropic",
  accepts: { id: /[^a-zA-Z0-9_-]/g, name: /[^a-zA-Z0-9_-]/g, longestId: 200, longestName: 128 },
  isOwn: (model) => vendorOf(model) === "anthropic",
  list: "messages",
  opening: (system, model) => ({
    ...(model !== undefined && { model }),
    ...(system.length > 0 && { system: system.join("\n\n") }),
  }),
  before: { role: "user", content: "(the conversation goes on)" },
  user: (entry, out) => message("user", blocksOf(partsOf(entry), entry.id, out)),
  system(entry, out) {
    const text = systemText(entry, out);
    if (text === "") return undefined;
    out.lost("role_changed", entry.id, "instructions in mid-conversation became a user's message");
    return message("user", [{ type: "text", text }]);
  },
  reply({ said }, calls, out, keepsThinking) {
    const blocks = said.flatMap((entry) => replyBlocks(partsOf(entry), entry.id, out, keepsThinking));
    const uses = calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: argumentObject(call.call, out),
    }));
    const results = calls.map((call) => resultBlock(call, out));
    return [message("assistant", [...blocks, ...uses]) ?? [], message("user", results) ?? []].flat();
  },
};

function message(role: string, content: Json[]): Json | undefined {
  const [only, ...others] = content;
  if (!only) return undefined;
  const isText = others.length === 0 && only.type === "text" && Object.keys(only).length === 2;
  return { role, content: isText ? only.text : content };
}

function replyBlocks(parts: readonly Part[], entry: string, out: Outgoing, keepsThinking: boolean): Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type !== "thinking") {
      if (part.type !== "image" && part.type !== "document") return blocksOf([part], entry, out);
      out.media(part, entry, "a reply can only hold text");
      return textBlock(mention(part));
    }
    if (keepsThinking && part.signature !== undefined)
      return part.hidden
        ? [{ type: "redacted_thinking", data: part.signature }]
        : [{ type: "thinking", thinking: part.text, signature: part.signature }];
    out.lost("thinking_dropped", entry, "the API takes only what its own model has signed");
    return [];
  });
}

function blocksOf(parts: readonly Part[], entry: string, out: Outgoing): Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type === "image" || part.type === "document") {
      const source = sourceOf(part);
      if (source) return [{ type: part.type, source, ...(part.name !== undefined && titled(part)) }];
      out.media(part, entry, mention(part));
      return textBlock(mention(part));
    }
    if (part.type !== "text") out.lost("part_converted", entry, `${part.type} became text`);
    return textBlock(textOf(part) ?? "");
  });
}

function titled(part: Media): Json {
  return part.type === "document" ? { title: part.name } : {};
}

/** The API refuses text that is only white space. */
function textBlock(text: string): Json[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function sourceOf(part: Media): Json | undefined {
  const inline = inlineOf(part);
  const url = linkOf(part);
  if (!inline) return url === undefined ? undefined : { type: "url", url };
  const source = { type: "base64", media_type: inline.mimeType, data: inline.data };
  if (part.type === "image")
    return isCommonImage(inline) && (inline.data.length * 3) / 4 <= LARGEST_IMAGE ? source : undefined;
  if (inline.mimeType === "application/pdf") return isPdf(inline.data) ? source : undefined;
  if (inline.mimeType !== "text/plain") return undefined;
  return {
    type: "text",
    media_type: "text/plain",
    data: Buffer.from(inline.data, "base64").toString("utf8"),
  };
}

function resultBlock({ id, result }: Answered, out: Outgoing): Json {
  const blocks = blocksOf(partsOf(result), result.id, out);
  // A failed call may only answer with text.
  const content = result.success ? blocks : blocks.filter(({ type }) => type === "text");
  if (!result.success) for (const part of mediaIn(result)) out.media(part, result.id, "beside an error");
  const isText = content.length === 1 && content[0]?.type === "text";
  return {
    type: "tool_result",
    tool_use_id: id,
    content: isText ? content[0]?.text : content,
    ...(!result.success && { is_error: true }),
  };
}

function mediaIn({ parts = [] }: ToolResult): Media[] {
  return parts.filter((part) => part.type === "image" || part.type === "document");
}
