// The Unified Conversation Format, version 1.0, as zod schemas; its JSON Schema is derived from them. Fields that
// are not listed are allowed and kept.
import { z } from "zod";

const open = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape) as unknown as z.ZodObject<S>;

/** Whose badge a message carries: claude, gemini, openai, or an agent's own. */
const provider = z.string();

const contentSchema = open({
  type: z.enum(["text", "thinking", "code", "image", "artifact", "error"]),
  text: z.string().optional(),
  language: z.string().optional(),
  code: z.string().optional(),
  mimeType: z.string().optional(),
  /** Base64. */
  data: z.string().optional(),
  url: z.string().optional(),
  artifactId: z.string().optional(),
  artifactType: z.string().optional(),
});

const toolCallSchema = open({
  id: z.string(),
  originalId: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  status: z.enum(["pending", "completed", "error"]),
});

const toolResultSchema = open({
  toolCallId: z.string(),
  originalToolCallId: z.string(),
  content: z.string(),
  isError: z.boolean(),
});

const messageSchema = open({
  id: z.string(),
  timestamp: z.string(),
  role: z.enum(["user", "assistant", "system", "tool_result"]),
  provider,
  model: z.string().optional(),
  content: z.array(contentSchema),
  toolCalls: z.array(toolCallSchema).optional(),
  toolResults: z.array(toolResultSchema).optional(),
  usage: open({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number().optional(),
    cacheCreationTokens: z.number().optional(),
    cost: z.number().optional(),
  }).optional(),
  _providerData: z.record(z.string(), z.unknown()).optional(),
});

const providerUsageSchema = open({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number(),
});

const switchSchema = open({
  timestamp: z.string(),
  fromProvider: provider,
  toProvider: provider,
  fromModel: z.string(),
  toModel: z.string(),
  /** Where in `messages` the other provider took over. */
  messageIndex: z.number(),
  reason: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  _providerData: z.record(z.string(), z.unknown()).optional(),
});

export const ucfSchema = open({
  id: z.string(),
  version: z.literal("1.0"),
  created: z.string(),
  updated: z.string(),
  cwd: z.string(),
  title: z.string().optional(),
  messages: z.array(messageSchema),
  usage: open({
    totalInputTokens: z.number(),
    totalOutputTokens: z.number(),
    totalCost: z.number(),
    byProvider: z.record(z.string(), providerUsageSchema),
  }),
  providerState: open({
    claude: open({ sessionId: z.string(), sessionFile: z.string() }).optional(),
    gemini: open({ sessionId: z.string() }).optional(),
    openai: open({ threadId: z.string().optional() }).optional(),
  }),
  switches: z.array(switchSchema),
});

export type Ucf = z.infer<typeof ucfSchema>;
export type UcfMessage = z.infer<typeof messageSchema>;
export type UcfContent = z.infer<typeof contentSchema>;

export function ucfJsonSchema(): Record<string, unknown> {
  const registry = z.registry<{ id: string; description?: string }>();
  registry.add(messageSchema, { id: "UnifiedMessage" });
  registry.add(contentSchema, { id: "UnifiedContent" });
  registry.add(toolCallSchema, { id: "UnifiedToolCall" });
  registry.add(toolResultSchema, { id: "UnifiedToolResult" });
  registry.add(switchSchema, { id: "ProviderSwitch" });
  registry.add(providerUsageSchema, { id: "ProviderUsage" });
  const { $schema, ...schema } = z.toJSONSchema(ucfSchema, { io: "input", metadata: registry });
  return {
    $schema,
    title: "Unified Conversation Format 1.0",
    description: "One conversation across providers. Fields that are not listed are allowed and kept.",
    ...schema,
  };
}
