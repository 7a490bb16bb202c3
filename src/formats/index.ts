// The table of file formats. Agents' own formats stand in the adapters' table; together they are what
// `convert` reads and writes. Readers load when they are used, because checking needs the schema library.

import { writeAnthropic } from "./anthropic-write.ts";
import { writeAtif } from "./atif-write.ts";
import { writeContents } from "./contents-write.ts";
import type { Format } from "./format.ts";
import { writeHtml } from "./html.ts";
import { isKind } from "./kinds.ts";
import { writeMarkdown } from "./markdown.ts";
import { writeChat, writeResponses } from "./openai-write.ts";
import { isUniversal, isUniversalJsonl } from "./recognise.ts";
import { writeUcf } from "./ucf-write.ts";
import { writeUniversal, writeUniversalJsonl } from "./universal-write.ts";

export type { Format } from "./format.ts";

export const formats: readonly Format[] = [
  {
    id: "universal",
    label: "Universal session (JSON)",
    extension: "json",
    takes: "all",
    recognise: isUniversal,
    read: async (path) => (await import("./universal-read.ts")).readUniversal(path),
    write: writeUniversal,
  },
  {
    id: "universal-jsonl",
    label: "Universal session (JSONL)",
    extension: "jsonl",
    takes: "all",
    recognise: isUniversalJsonl,
    read: async (path) => (await import("./universal-lines.ts")).readUniversalJsonl(path),
    write: writeUniversalJsonl,
  },
  {
    id: "ucf",
    label: "Unified Conversation Format 1.0",
    extension: "json",
    takes: "branch",
    isAnonymous: true,
    recognise: isKind("ucf"),
    read: async (path) => (await import("./ucf-read.ts")).readUcf(path),
    write: writeUcf,
  },
  {
    id: "anthropic",
    label: "Anthropic Messages",
    extension: "json",
    takes: "request",
    isAnonymous: true,
    recognise: isKind("anthropic"),
    read: async (path) => (await import("./anthropic-read.ts")).readAnthropic(path),
    write: writeAnthropic,
  },
  {
    id: "openai-chat",
    label: "OpenAI Chat Completions",
    extension: "json",
    takes: "request",
    isAnonymous: true,
    recognise: isKind("openai-chat"),
    read: async (path) => (await import("./chat-read.ts")).readChat(path),
    write: writeChat,
  },
  {
    id: "openai-responses",
    label: "OpenAI Responses",
    extension: "json",
    takes: "request",
    isAnonymous: true,
    recognise: isKind("openai-responses"),
    read: async (path) => (await import("./responses-read.ts")).readResponses(path),
    write: writeResponses,
  },
  {
    id: "gemini-contents",
    label: "Gemini contents",
    extension: "json",
    takes: "request",
    isAnonymous: true,
    recognise: isKind("gemini-contents"),
    read: async (path) => (await import("./contents-read.ts")).readContents(path),
    write: writeContents,
  },
  {
    id: "atif",
    label: "ATIF trajectory",
    extension: "json",
    takes: "branch",
    isAnonymous: true,
    recognise: isKind("atif"),
    read: async (path) => (await import("./atif-read.ts")).readAtif(path),
    write: writeAtif,
  },
  {
    id: "markdown",
    label: "Markdown",
    extension: "md",
    takes: "branch",
    write: writeMarkdown,
  },
  {
    id: "html",
    label: "HTML page",
    extension: "html",
    takes: "branch",
    write: writeHtml,
  },
];
