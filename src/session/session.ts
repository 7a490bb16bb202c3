// The types of the universal session, derived from schema.ts.
import type { z } from "zod";
import type {
  compactionSchema,
  entrySchema,
  headerSchema,
  linkSchema,
  partSchema,
  recordSchema,
  sessionSchema,
  TOOLS,
  usageSchema,
} from "./schema.ts";

export type Session = z.infer<typeof sessionSchema>;
export type Header = z.infer<typeof headerSchema>;
export type Entry = z.infer<typeof entrySchema>;
export type EntryType = Entry["type"];
export type UserEntry = Extract<Entry, { type: "user" }>;
export type AssistantEntry = Extract<Entry, { type: "assistant" }>;
export type ToolCall = Extract<Entry, { type: "tool_call" }>;
export type ToolResult = Extract<Entry, { type: "tool_result" }>;
export type SystemEntry = Extract<Entry, { type: "system" }>;
export type Compaction = z.infer<typeof compactionSchema>;
export type Part = z.infer<typeof partSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type SessionRecord = z.infer<typeof recordSchema>;
export type Link = z.infer<typeof linkSchema>;
export type Tool = (typeof TOOLS)[number];
