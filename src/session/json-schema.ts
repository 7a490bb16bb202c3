// The JSON Schema (2020-12) of the universal session, derived from schema.ts: what `schema/` holds and what
// the command `schema` prints.
import { z } from "zod";
import {
  entrySchema,
  linkSchema,
  partSchema,
  recordSchema,
  sessionSchema,
  switchSchema,
  usageSchema,
} from "./schema.ts";

export function universalJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(sessionSchema, { io: "input", metadata: names() });
  return {
    $schema,
    title: "Universal session 1.0",
    description: "One coding-agent session. Fields that are not listed are allowed everywhere and are kept.",
    ...schema,
  };
}

/** What has a name of its own under `$defs`. */
function names() {
  const registry = z.registry<{ id: string; description?: string }>();
  registry.add(partSchema, { id: "Part", description: "A piece of content that is more than plain text." });
  registry.add(usageSchema, { id: "Usage", description: "Tokens of one model message." });
  registry.add(switchSchema, { id: "Switch", description: "The session went on with another provider." });
  registry.add(recordSchema, { id: "Record", description: "A native record as it stood in the store." });
  registry.add(linkSchema, { id: "Link", description: "How this session belongs to another." });
  registry.add(entrySchema, { id: "Entry", description: "One step of the timeline." });
  for (const option of entrySchema.options) registry.add(option, { id: option.shape.type.value });
  return registry;
}
