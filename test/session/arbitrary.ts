// Generates documents of the core schema: the fields and entry types that the universal session promises to
// accept in any document, without any of its additions.

import type { Session } from "../../src/session/session.ts";
import { fc } from "../property.ts";

const TOOLS = [
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
  "unknown",
] as const;

const text = fc.string({ unit: "binary", maxLength: 40 });
const json = fc.dictionary(
  text.filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 4 },
);
const amount = fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0);

/** An object of which some fields may be absent. */
function shape<Required extends object, Optional extends object>(
  required: { [K in keyof Required]: fc.Arbitrary<Required[K]> },
  optional: { [K in keyof Optional]: fc.Arbitrary<Optional[K]> },
): fc.Arbitrary<Required & Partial<Optional>> {
  const keys = Object.keys(required) as never[];
  return fc.record({ ...required, ...optional }, { requiredKeys: keys }) as fc.Arbitrary<
    Required & Partial<Optional>
  >;
}

const common = { id: text, timestamp: text };

const entry = fc.oneof(
  shape({ ...common, type: fc.constant("user" as const), content: text }, {}),
  shape({ ...common, type: fc.constant("assistant" as const), content: text }, { thinking: text }),
  shape(
    { ...common, type: fc.constant("tool_call" as const), tool: fc.constantFrom(...TOOLS), input: json },
    { originalTool: text },
  ),
  shape(
    {
      ...common,
      type: fc.constant("tool_result" as const),
      callId: text,
      success: fc.boolean(),
      output: text,
    },
    { error: text },
  ),
  shape({ ...common, type: fc.constant("system" as const), content: text }, {}),
);

const git = shape({ branch: text, commit: text }, { remote: text });

export const coreSession: fc.Arbitrary<Session> = fc.record({
  id: text,
  version: fc.constant("1.0" as const),
  source: shape({ cli: fc.constantFrom("claude", "codex", "opencode", "universal") }, { originalId: text }),
  project: shape({ path: text }, { name: text, git }),
  model: shape({ provider: text, model: text }, { config: json }),
  timeline: fc.array(entry, { maxLength: 12 }),
  metadata: shape(
    { created: text, lastModified: text },
    { tokens: fc.record({ input: amount, output: amount }), cost: amount },
  ),
});
