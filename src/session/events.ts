// The live protocol: what any agent does while it runs, one JSON object a line. This file is the only place where its
// shape is written down; the published JSON Schema is derived from it. Which order events come in: event-rules.ts.
import { z } from "zod";

/** An object whose unknown fields survive parsing, typed by its known fields only. */
const open = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape) as unknown as z.ZodObject<S>;

const json = z.record(z.string(), z.unknown());

/** What went wrong, whoever the agent is. `docs/live.md` says what each means and what to do. */
export const FAILURES = [
  "agent_missing",
  "agent_broken",
  "agent_crashed",
  "agent_killed",
  "agent_hung",
  "not_signed_in",
  "token_expired",
  "unauthorized",
  "forbidden",
  "rate_limited",
  "quota_exhausted",
  "overloaded",
  "server_error",
  "bad_request",
  "bad_input",
  "model_unknown",
  "context_too_long",
  "stream_cut",
  "offline",
  "dns",
  "tls",
  "refused",
  "session_missing",
  "session_busy",
  "input_closed",
  "unsupported",
  "failed",
] as const;

export type FailureCode = (typeof FAILURES)[number];

export const PERMISSION_MODES = ["default", "interactive", "auto", "deny"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

const failure = {
  code: z.enum(FAILURES),
  message: z.string(),
  /** What to do next, in a sentence. */
  hint: z.string(),
  /** The HTTP status of the vendor's answer. */
  status: z.number().optional(),
  /** What the vendor or the agent calls it. */
  provider_code: z.string().optional(),
  /** How long the vendor asks to wait. */
  retry_after_ms: z.number().optional(),
};

/** Tokens of one turn, never of the whole session. */
const tokens = {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z.number().optional(),
  cache_creation_input_tokens: z.number().optional(),
  /** The share of `output_tokens` spent on reasoning. */
  reasoning_tokens: z.number().optional(),
  /** Counted by us, because the agent did not say. */
  estimated: z.boolean().optional(),
};

/** US dollars: as the agent says, or `computed` from list prices. */
const cost = { total_cost_usd: z.number().optional(), cost_computed: z.boolean().optional() };

export const questionSchema = open({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(open({ label: z.string(), description: z.string().optional() })).optional(),
  multiple: z.boolean().optional(),
});

const common = {
  /** Counts the events of a run, from 1. */
  seq: z.number(),
  timestamp: z.string(),
  /** What a subagent does: the call that started it. */
  parent_tool_use_id: z.string().optional(),
};

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  open({ type: z.literal(type), ...common, ...shape });
const system = <T extends string, S extends z.ZodRawShape>(subtype: T, shape: S) =>
  open({ type: z.literal("system"), subtype: z.literal(subtype), ...common, ...shape });

const systemEvents = [
  system("init", {
    /** Ours, for `baton status` and for whoever steers it. */
    run: z.string(),
    agent: z.string(),
    /** Whose badge the session carries. */
    provider: z.string(),
    /** The native id; empty while the agent has not said it. */
    session_id: z.string(),
    model: z.string(),
    cwd: z.string(),
    permission_mode: z.enum(PERMISSION_MODES),
    tools: z.array(z.string()).optional(),
    version: z.string().optional(),
  }),
  /** The session goes on under another native id. */
  system("session_id", { session_id: z.string(), previous: z.string() }),
  system("compact_boundary", { trigger: z.string().optional(), summary: z.string().optional() }),
  /** Something is wrong that does not end the turn. */
  system("error", failure),
  system("model", { model: z.string(), previous: z.string() }),
  system("permission_mode", { permission_mode: z.enum(PERMISSION_MODES) }),
  /** What the agent says of itself, for people. */
  system("notice", { message: z.string() }),
] as const;

const nativeCall = open({ name: z.string(), input: z.unknown(), input_path: z.string().optional() });

const plainEvents = [
  /** A piece of the reply; pieces of one message have the same `message`. */
  event("text", { text: z.string(), message: z.string().optional() }),
  event("thinking", { text: z.string(), message: z.string().optional() }),
  event("tool_use", {
    id: z.string(),
    /** By one vocabulary for all agents: Read, Write, Edit, Bash …; a tool outside of it keeps its own name. */
    name: z.string(),
    input: json,
    /** How the agent itself says it, where that differs. */
    native: nativeCall.optional(),
    /** `input` is not to the character what it was: texts were too long, or sequences of a terminal are spelled out in
     * them. This file has it as it was. */
    input_path: z.string().optional(),
  }),
  event("tool_result", {
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
    /** A long output comes in pieces: this one's number, from 1, and whether it is the last. */
    part: z.number().optional(),
    last: z.boolean().optional(),
  }),
  event("usage", { ...tokens, ...cost, model: z.string().optional() }),
  event("result", {
    subtype: z.enum(["success", "refusal", "interrupted", "error"]),
    is_error: z.boolean(),
    /** The last message, or as much of it as fits a line. */
    result: z.string(),
    truncated: z.boolean().optional(),
    session_id: z.string(),
    duration_ms: z.number(),
    usage: open(tokens),
    ...cost,
    stop_reason: z.string().optional(),
    permission_denials: z.array(
      open({ tool_use_id: z.string().optional(), name: z.string(), reason: z.string() }),
    ),
    error: open(failure).optional(),
  }),
  event("message_stop", {}),
  event("error", { ...failure, provider: z.string() }),
  event("interrupt", {}),
  event("approval_request", {
    id: z.string(),
    tool_use_id: z.string().optional(),
    name: z.string(),
    input: json,
    /** As with `tool_use`: nobody has to allow what cannot be seen. */
    native: nativeCall.optional(),
    input_path: z.string().optional(),
    /** Why the agent asks, in its own words. */
    reason: z.string().optional(),
    /** What `allow_session` allows, in the agent's own words, where the agent takes it for more than this call. */
    always: z.array(z.string()).optional(),
    /** What the user is asked, where it is no permission. */
    questions: z.array(questionSchema).optional(),
    /** Without an answer it counts as denied. */
    timeout_ms: z.number(),
  }),
  event("approval", {
    id: z.string(),
    decision: z.enum(["allow", "allow_session", "deny"]),
    by: z.enum(["user", "mode", "timeout", "agent"]),
    message: z.string().optional(),
  }),
  event("retry", {
    attempt: z.number(),
    max_attempts: z.number().optional(),
    delay_ms: z.number().optional(),
    error: open(failure),
  }),
  /** What the agent printed and nobody understands. */
  event("raw", { text: z.string(), truncated: z.boolean().optional() }),
] as const;

const systemSchema = z.discriminatedUnion("subtype", [...systemEvents]);
export const eventSchema = z.discriminatedUnion("type", [...plainEvents, systemSchema]);

export type AgentEvent = z.infer<typeof eventSchema>;
export type EventType = AgentEvent["type"];
export type EventOf<T extends EventType> = Extract<AgentEvent, { type: T }>;
export type SystemEvent<S extends string> = Extract<AgentEvent, { type: "system"; subtype: S }>;
/** An event before it has its place in the stream. */
export type Bare<E extends AgentEvent = AgentEvent> = E extends unknown
  ? Omit<E, "seq" | "timestamp">
  : never;
export type Failure = Omit<EventOf<"error">, "type" | "provider" | keyof typeof common>;
export type TurnUsage = EventOf<"result">["usage"];

/** What steers a run: one JSON object a line on its standard input. */
export const steeringSchema = z.discriminatedUnion("type", [
  open({ type: z.literal("prompt"), text: z.string() }),
  /** As Claude Code takes it: a message of the user with text blocks. */
  open({ type: z.literal("user"), message: open({ content: z.unknown() }) }),
  open({
    type: z.literal("approval"),
    id: z.string(),
    decision: z.enum(["allow", "allow_session", "deny"]),
    message: z.string().optional(),
    /** The arguments that are allowed instead, where the agent takes others. */
    input: json.optional(),
    /** By question, what was chosen or typed. */
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  }),
  open({ type: z.literal("interrupt") }),
  open({ type: z.literal("set_model"), model: z.string() }),
  open({ type: z.literal("set_permission_mode"), permission_mode: z.enum(PERMISSION_MODES) }),
  open({ type: z.literal("end") }),
]);

export type Steering = z.infer<typeof steeringSchema>;

/** JSON Schema 2020-12 of one line of the stream, and of one line that steers it. */
export function eventsJsonSchema(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  registry.add(steeringSchema, { id: "Steering" });
  for (const one of plainEvents) registry.add(one, { id: one.shape.type.value });
  for (const one of systemEvents) registry.add(one, { id: `system_${one.shape.subtype.value}` });
  const { $schema, ...schema } = z.toJSONSchema(eventSchema, { io: "input", metadata: registry });
  const { $schema: _, ...steering } = z.toJSONSchema(steeringSchema, { io: "input" });
  const defs = { ...(schema.$defs as object), Steering: steering };
  return {
    $schema,
    title: "Agent event 1.0",
    description:
      "One line of a live run. `$defs/Steering` is one line that steers it. Fields that are not listed are allowed.",
    ...schema,
    $defs: defs,
  };
}
