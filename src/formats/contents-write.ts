// Writes a session as a request to Google's generateContent: `{model?, systemInstruction?, contents}`.
import type { Part } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { vendorOf } from "../session/vendor.ts";
import type { Json } from "./check.ts";
import { UNSIGNED } from "./contents-read.ts";
import type { WriteOptions } from "./format.ts";
import { argumentObject, type Outgoing } from "./outgoing.ts";
import { inlineOf, linkOf, type Media, mention, partsOf, textOf } from "./parts.ts";
import { type Answered, type Dialect, systemText, writeRequest } from "./request.ts";

export function writeContents(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return writeRequest(stream, options, dialect);
}

const dialect: Dialect = {
  id: "gemini-contents",
  accepts: {
    id: /[^\x21-\x7e]/g,
    name: /[^a-zA-Z0-9_.:-]/g,
    longestId: 200,
    longestName: 64,
    nameStart: /^[a-zA-Z_]/,
  },
  isOwn: (model) => vendorOf(model) === "google",
  list: "contents",
  opening: (system, model) => ({
    ...(model !== undefined && { model }),
    ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join("\n\n") }] } }),
  }),
  before: { role: "user", parts: [{ text: "(the conversation goes on)" }] },
  user: (entry, out) =>
    content(
      "user",
      partsOf(entry).flatMap((part) => partFor(part, entry.id, out)),
    ),
  system(entry, out) {
    const text = systemText(entry, out);
    if (text === "") return undefined;
    out.lost("role_changed", entry.id, "instructions in mid-conversation became a user's message");
    return content("user", [{ text }]);
  },
  reply({ said }, calls, out, keepsThinking) {
    const parts = said.flatMap((entry) =>
      partsOf(entry).flatMap((part) =>
        part.type === "thinking" ? thought(part, entry.id, out, keepsThinking) : partFor(part, entry.id, out),
      ),
    );
    const uses = calls.map((call, at) => use(call, at === 0, out, keepsThinking));
    const results = calls.map((call) => answer(call, out));
    return [content("model", [...parts, ...uses]) ?? [], content("user", results) ?? []].flat();
  },
};

function content(role: string, parts: Json[]): Json | undefined {
  return parts.length === 0 ? undefined : { role, parts };
}

function partFor(part: Part, entry: string, out: Outgoing): Json[] {
  if (part.type === "image" || part.type === "document") {
    const bytes = bytesOf(part);
    if (bytes) return [bytes];
    out.media(part, entry, mention(part));
    return [{ text: mention(part) }];
  }
  if (part.type !== "text") out.lost("part_converted", entry, `${part.type} became text`);
  const text = textOf(part) ?? "";
  return text === "" ? [] : [{ text }];
}

function bytesOf(part: Media): Json | undefined {
  const inline = inlineOf(part);
  const display = part.name === undefined ? {} : { displayName: part.name };
  if (inline) return { inlineData: { mimeType: inline.mimeType, data: inline.data, ...display } };
  const url = linkOf(part);
  if (url === undefined) return undefined;
  return { fileData: { fileUri: url, ...(part.mimeType !== undefined && { mimeType: part.mimeType }) } };
}

function thought(
  part: Extract<Part, { type: "thinking" }>,
  entry: string,
  out: Outgoing,
  keepsThinking: boolean,
): Json[] {
  if (keepsThinking && part.text !== "")
    return [
      {
        text: part.text,
        thought: true,
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      },
    ];
  out.lost("thinking_dropped", entry, "it is bound to the model that wrote it");
  return [];
}

/** Models from the third generation on refuse a step whose first call is not signed. */
function use(answered: Answered, isFirst: boolean, out: Outgoing, keepsThinking: boolean): Json {
  const { call, id, name } = answered;
  const own = keepsThinking ? call.signature : undefined;
  if (call.signature !== own) out.lost("thinking_dropped", call.id, "the signature of the call");
  const signature = own ?? (isFirst ? UNSIGNED : undefined);
  return {
    functionCall: { id, name, args: argumentObject(call, out) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

function answer({ id, name, result }: Answered, out: Outgoing): Json {
  const media: Json[] = [];
  const texts: string[] = [];
  for (const part of partsOf(result)) {
    const bytes = part.type === "image" || part.type === "document" ? bytesOf(part) : undefined;
    if (bytes && "inlineData" in bytes) media.push(bytes);
    else
      texts.push(...partFor(part, result.id, out).map(({ text }) => (typeof text === "string" ? text : "")));
  }
  const text = texts.join("\n");
  return {
    functionResponse: {
      id,
      name,
      response: result.success ? { output: text } : { error: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}
