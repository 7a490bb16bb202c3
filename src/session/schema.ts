// The universal session, version 1.0, as zod schemas. This file is the only place where its shape is
// written down; the types in session.ts and the published JSON Schema are derived from it.
import { z } from "zod";

/** An object whose unknown fields survive parsing, typed by its known fields only. */
const open = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape) as unknown as z.ZodObject<S>;

const json = z.record(z.string(), z.unknown());

/** Bytes inside a part: inline base64, a URL, or a path to a file that holds them. */
const bytes = {
  mimeType: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  path: z.string().optional(),
  name: z.string().optional(),
};

export const partSchema = z.discriminatedUnion("type", [
  open({ type: z.literal("text"), text: z.string() }),
  open({
    type: z.literal("thinking"),
    text: z.string(),
    /** The vendor's proof of origin; valid only for the model that issued it. */
    signature: z.string().optional(),
    /** True when the text itself was withheld by the vendor. */
    hidden: z.boolean().optional(),
  }),
  open({ type: z.literal("code"), code: z.string(), language: z.string().optional() }),
  open({ type: z.literal("image"), ...bytes }),
  open({ type: z.literal("document"), ...bytes }),
  open({
    type: z.literal("artifact"),
    artifactId: z.string().optional(),
    artifactType: z.string().optional(),
    title: z.string().optional(),
    language: z.string().optional(),
    text: z.string(),
  }),
  open({ type: z.literal("error"), text: z.string() }),
]);

export const usageSchema = open({
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  /** The share of `cacheWrite` that was kept for an hour, which costs more than five minutes. */
  cacheWriteHour: z.number().optional(),
  /** The share of `output` spent on reasoning. */
  reasoning: z.number().optional(),
  /** US dollars, only when the agent recorded them. */
  cost: z.number().optional(),
  estimated: z.boolean().optional(),
});

const common = {
  id: z.string(),
  timestamp: z.string(),
  /** The native id, where it differs from `id`. */
  originalId: z.string().optional(),
  /** The entry this one follows: absent = the one before it in the timeline, null = the start of a thread. */
  parent: z.string().nullable().optional(),
  /** Groups the entries of one model message. */
  turn: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  /** Once per model message, on its last entry. */
  usage: usageSchema.optional(),
  /** Present where there is more than plain text; then it holds all of the content, text included. */
  parts: z.array(partSchema).optional(),
  /**
   * Context that the user did not type. On a `system` entry: what an agent tells its model about itself and its
   * surroundings (tools, skills, date …), which another agent replaces by its own.
   */
  injected: z.boolean().optional(),
  /** A note of the agent to its user (an API error, a status line): no model ever sees it. */
  note: z.boolean().optional(),
  /** The turn was cut off by the user or by a crash before this entry was complete. */
  interrupted: z.boolean().optional(),
  /** Indices of the native records this entry came from. */
  records: z.array(z.number()).optional(),
};

export const TOOLS = [
  "read",
  "write",
  "edit",
  "bash",
  "search",
  "glob",
  "list",
  "ask",
  "task",
  "web_fetch",
  "web_search",
  "todo",
  "unknown",
] as const;

export const switchSchema = open({
  timestamp: z.string(),
  fromProvider: z.string(),
  toProvider: z.string(),
  fromModel: z.string(),
  toModel: z.string(),
  messageIndex: z.number(),
  reason: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

const plainEntries = [
  open({ ...common, type: z.literal("user"), content: z.string() }),
  open({ ...common, type: z.literal("assistant"), content: z.string(), thinking: z.string().optional() }),
  open({
    ...common,
    type: z.literal("tool_call"),
    tool: z.enum(TOOLS),
    /** Universal arguments, see tools.ts; for `unknown` the native ones. */
    input: json,
    originalTool: z.string().optional(),
    /** The native arguments exactly as recorded: an object, or the string where the vendor keeps a string. */
    originalInput: z.unknown().optional(),
    status: z.enum(["pending", "completed", "error", "interrupted"]).optional(),
    /** The vendor's proof of origin, where the call itself is signed; valid only for the model that issued it. */
    signature: z.string().optional(),
    /** It ran at the model's provider: there is no result, the reply has used it already. */
    hosted: z.boolean().optional(),
  }),
  open({
    ...common,
    type: z.literal("tool_result"),
    callId: z.string(),
    success: z.boolean(),
    output: z.string(),
    error: z.string().optional(),
    /** The agent itself pruned this output; `output` is what the model now sees. */
    cleared: z.boolean().optional(),
    /** Facts the agent recorded beside the text: exitCode, patch (unified hunks), durationMs … */
    details: json.optional(),
  }),
  open({ ...common, type: z.literal("system"), content: z.string(), subtype: z.string().optional() }),
  open({ ...common, type: z.literal("switch"), switch: switchSchema }),
] as const;

const plainEntrySchema = z.discriminatedUnion("type", [...plainEntries]);

export const compactionSchema = open({
  ...common,
  type: z.literal("compaction"),
  /** What replaced the hidden history, when it is one text. */
  summary: z.string().optional(),
  /** Ids of earlier entries that stay visible, in order, after the summary. */
  keeps: z.array(z.string()).optional(),
  /** What replaced the hidden history, when it is a list of entries. Wins over `summary`. */
  replacement: z.array(plainEntrySchema).optional(),
});

export const entrySchema = z.discriminatedUnion("type", [...plainEntries, compactionSchema]);

/** A native record as it stood in the store: text when it is valid UTF-8, base64 otherwise. */
export const recordSchema = open({
  index: z.number(),
  /** Which file of the bundle it belongs to; absent = the main file. */
  file: z.string().optional(),
  raw: z.string(),
  /** False when no entry came from it. */
  entries: z.boolean().optional(),
  encoding: z.literal("base64").optional(),
});

export const linkSchema = open({
  type: z.enum(["parent", "subagent", "fork_of", "continued_in", "continued_from", "chain", "copy_of"]),
  /** `agent:originalId` of the other session. */
  session: z.string(),
  /** The entry here that the link hangs on: the call that spawned a subagent, the fork point. */
  entry: z.string().optional(),
  /** The entry there, where it is known. */
  at: z.string().optional(),
  label: z.string().optional(),
});

const header = {
  id: z.string(),
  version: z.literal("1.0"),
  source: open({ cli: z.string(), originalId: z.string().optional(), version: z.string().optional() }),
  project: open({
    path: z.string(),
    name: z.string().optional(),
    git: open({
      branch: z.string().optional(),
      commit: z.string().optional(),
      remote: z.string().optional(),
    }).optional(),
  }),
  model: open({ provider: z.string(), model: z.string(), config: json.optional() }),
  metadata: open({
    created: z.string(),
    lastModified: z.string(),
    tokens: open({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
      reasoning: z.number().optional(),
    }).optional(),
    cost: z.number().optional(),
    messageCount: z.number().optional(),
  }),
  title: z.string().optional(),
  summary: z.string().optional(),
  /** The newest entry of the branch that is current; absent = the last one. */
  head: z.string().optional(),
  links: z.array(linkSchema).optional(),
};

export const headerSchema = open(header);

export const sessionSchema = open({
  ...header,
  timeline: z.array(entrySchema),
  /** Raw native records, so that the same agent gets back what we do not understand. */
  records: z.array(recordSchema).optional(),
  /** Subagents, each a whole session. */
  children: z.array(z.lazy((): z.ZodType => sessionSchema)).optional(),
});
