// Generates conversations as any agent could have had them, and says what is in one, whatever format it went through.

import type { Entry, Part, Session } from "../../src/session/session.ts";
import { fc } from "../property.ts";
import { session } from "../session/build.ts";

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const PDF = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");

const at = "2026-01-02T03:04:05.000Z";
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((text) => `${text.toWellFormed()}.`);

const media: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { type: "image", mimeType: "image/png", data: PNG },
  { type: "document", mimeType: "application/pdf", data: PDF, name: "paper.pdf" },
);

const input = fc.dictionary(fc.constantFrom("command", "path", "pattern", "später"), words, { maxKeys: 3 });

interface Said {
  prompt: string;
  media: Part[];
  thinking: string | undefined;
  reply: string;
  calls: { name: string; input: Record<string, string>; output: string; success: boolean; image: boolean }[];
}

const turn: fc.Arbitrary<Said> = fc.record({
  prompt: words,
  media: fc.array(media, { maxLength: 2 }),
  thinking: fc.option(words, { nil: undefined }),
  reply: words,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("Bash", "read_file", "mcp__server__do", "shell"),
      input,
      output: words,
      success: fc.boolean(),
      image: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

/** With a system prompt, thinking, parallel and failing calls, images and documents. */
export const conversation: fc.Arbitrary<Session> = fc
  .tuple(fc.option(words, { nil: undefined }), fc.array(turn, { minLength: 1, maxLength: 4 }))
  .map(([system, turns]) =>
    session([
      ...(system === undefined ? [] : [{ id: "s", timestamp: at, type: "system" as const, content: system }]),
      ...turns.flatMap((said, index) => entriesOf(said, `t${index}`)),
    ]),
  );

function entriesOf(said: Said, id: string): Entry[] {
  const calls = said.calls.map((call, index) => ({ ...call, id: `${id}-c${index}` }));
  return [
    {
      id: `${id}-u`,
      timestamp: at,
      type: "user",
      content: said.prompt,
      ...(said.media.length > 0 && { parts: [{ type: "text", text: said.prompt } as Part, ...said.media] }),
    },
    {
      id: `${id}-a`,
      timestamp: at,
      type: "assistant",
      turn: id,
      content: said.reply,
      ...(said.thinking !== undefined && { thinking: said.thinking }),
    },
    ...calls.map(
      (call): Entry => ({
        id: call.id,
        timestamp: at,
        type: "tool_call",
        turn: id,
        tool: "unknown",
        input: call.input,
        originalTool: call.name,
        originalInput: call.input,
      }),
    ),
    ...calls.map(
      ({ output, success, image, ...call }): Entry => ({
        id: `${call.id}-r`,
        timestamp: at,
        type: "tool_result",
        callId: call.id,
        success,
        output,
        ...(image && {
          parts: [
            { type: "text", text: output },
            { type: "image", mimeType: "image/png", data: PNG },
          ],
        }),
      }),
    ),
  ];
}

export interface Facts {
  texts: string[];
  thinking: string[];
  calls: { id: string; name: string; input: unknown }[];
  results: { callId: string; output: string }[];
  failed: string[];
  media: string[];
}

/** What is in a session, in order, however its pieces are grouped. */
export function factsOf(entries: readonly Entry[]): Facts {
  const found: Facts = { texts: [], thinking: [], calls: [], results: [], failed: [], media: [] };
  for (const entry of entries) {
    if (entry.type === "user" || entry.type === "assistant" || entry.type === "system")
      if (entry.content !== "") found.texts.push(`${entry.type}: ${entry.content}`);
    if (entry.type === "assistant" && entry.thinking !== undefined) found.thinking.push(entry.thinking);
    if (entry.type === "tool_call")
      found.calls.push({
        id: entry.id,
        name: entry.originalTool ?? entry.tool,
        input: entry.originalInput ?? entry.input,
      });
    if (entry.type === "tool_result") {
      found.results.push({ callId: entry.callId, output: entry.output });
      if (!entry.success) found.failed.push(entry.callId);
    }
    for (const part of entry.parts ?? [])
      if (part.type === "image" || part.type === "document")
        found.media.push(`${entry.type} ${part.mimeType} ${part.data}`);
  }
  return found;
}
