// The JSON of every command: its shape is a promise to scripts.
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { LOSSES } from "../../src/session/losses.ts";
import { sessionSchema } from "../../src/session/schema.ts";
import { newPlace, run } from "./transcript.ts";

const place = newPlace();
afterAll(() => place.remove());

const time = z.iso.datetime();
const text = z.string();
const count = z.int().min(0);

const loss = z.strictObject({
  kind: z.enum(Object.keys(LOSSES) as [string, ...string[]]),
  severity: z.enum(["info", "warning", "error"]),
  at: z
    .strictObject({ entry: text, entries: z.array(text), record: count, line: count, file: text })
    .partial(),
  detail: text,
});

const side = z.strictObject({ agent: text, provider: text, model: text, modelDisplay: text });
const analysis = z.strictObject({
  canSwitch: z.boolean(),
  warnings: z.array(
    z.strictObject({
      type: z.enum(["info", "warning", "error"]),
      code: text,
      message: text,
      affectedMessages: z.array(count).optional(),
      entries: z.array(text).optional(),
    }),
  ),
  requiresSummarization: z.boolean(),
  estimatedTokens: z.number(),
  targetContextLimit: z.number(),
  lossyFeatures: z.array(text),
  from: side,
  to: side,
  tokens: z.strictObject({
    before: z.number(),
    after: z.number(),
    source: z.enum(["recorded", "estimated"]),
    estimated: z.literal(true),
    overhead: z.number(),
  }),
  kept: z.strictObject({
    messages: count,
    of: count,
    toolCalls: count,
    toolResults: count,
    changedFiles: count,
  }),
  rereadCost: z.number().nullable(),
});

const goOn = z.strictObject({
  agent: text,
  originalId: text,
  path: text,
  command: z.strictObject({ argv: z.array(text).min(1), cwd: text, env: z.record(text, text) }),
  warnings: z.array(text),
  losses: z.array(loss),
  operation: text.nullable(),
  backup: text.nullable(),
  /** Of a switch: all that `analyse` says. */
  analysis: analysis.optional(),
});

const operation = z.looseObject({
  id: text,
  state: z.enum(["planned", "staged", "done", "failed", "undoing", "undone"]),
  created: time,
  updated: time,
  kind: text,
  agent: text,
  originalId: text,
  path: text,
  files: z.array(z.strictObject({ type: text, path: text })),
  problems: z.array(text),
});

const list = z.strictObject({
  sessions: z.array(
    z.strictObject({
      id: text.length(12),
      agent: text,
      originalId: text,
      provider: text,
      title: text,
      summary: text,
      project: text,
      model: text,
      modelDisplay: text,
      messageCount: count,
      created: time,
      updated: time,
      path: text,
      size: count,
      tokens: z.looseObject({ input: count, output: count }).nullable(),
      cost: z.number().nullable(),
      costKind: z.enum(["recorded", "computed", "estimated"]).nullable(),
      unpricedMessages: count.optional(),
      problems: z.array(text),
      parent: text.optional(),
    }),
  ),
  total: count,
  hasMore: z.boolean(),
});

const doctor = z.strictObject({
  node: text,
  platform: text,
  home: text,
  batonHome: text,
  agents: z.array(
    z.strictObject({
      agent: text,
      label: text,
      readOnly: z.boolean(),
      installed: z.strictObject({ version: text, path: text }).nullable(),
      proven: z.boolean().nullable(),
      provenVersions: z.array(text),
      stores: z.array(
        z.strictObject({ path: text, exists: z.boolean(), readable: z.boolean(), writable: z.boolean() }),
      ),
      sessions: count,
      subagents: count,
      bytes: count,
      emptyFiles: count,
      unreadable: z.array(z.strictObject({ path: text, problem: text })),
      damaged: z.array(z.strictObject({ id: text, path: text, problems: z.array(text).min(1) })),
      retentionDays: z.number().nullable(),
      dueForDeletion: z.array(
        z.strictObject({ id: text, title: text, path: text, due: time, archived: z.boolean() }),
      ),
      remarks: z.array(text),
      problems: z.array(text),
    }),
  ),
  operations: z.strictObject({
    settled: z.array(operation),
    running: z.array(text),
    problems: z.array(text),
  }),
  broken: z.array(text),
});

const finding = z.looseObject({ type: text, excerpt: text, reason: text });
const verify = z.looseObject({
  agent: text,
  cliVersion: text,
  accepted: z.boolean(),
  facts: z.strictObject({ total: count, kept: count, changed: count, lost: count }),
  missing: z.array(finding),
  unexpected: z.array(finding),
});

const convert = z.strictObject({ format: text, files: z.array(text).min(1), losses: z.array(loss) });
const operations = z.strictObject({ operations: z.array(operation).min(1) });
const error = z.strictObject({
  error: z.strictObject({ code: text, message: text.min(1), hint: text.min(1) }),
});

describe("--json", () => {
  it.each<[string, z.ZodType, number]>([
    ["list", list, 0],
    ["list --subagents --archived --limit 1", list, 0],
    ["show 11111111-1111", sessionSchema, 0],
    ["show latest:codex --visible", sessionSchema, 0],
    ["convert latest:codex --to claude -o out.jsonl", convert, 0],
    ["convert 11111111-1111 --to markdown -o out.md", convert, 0],
    ["resume latest:codex", goOn, 0],
    ["resume latest:codex --in claude", goOn, 0],
    ["analyse latest:codex --to claude", analysis, 0],
    ["analyse 11111111-1111 --to gemini --model made-up", analysis, 0],
    ["resume 11111111-1111 --in codex --dry-run --thinking convert --history full", goOn, 0],
    ["fork 11111111-1111 --at aaaaaaaa-0000-4000-8000-000000000003", goOn, 0],
    ["operations", operations, 0],
    ["undo", operations, 0],
    ["doctor", doctor, 0],
    ["verify latest:codex", verify, 6],
    ["show nothing-like-it", error, 3],
    ["show 11111111", error, 4],
    ["resume 33333333", error, 5],
    ["list --sort nothing", error, 2],
    ["nothing", error, 2],
  ])("baton %s", (command, shape, status) => {
    const ran = run(place, `baton ${command} --json`);
    const result = shape.safeParse(JSON.parse(ran.stdout));
    expect(result.error && z.prettifyError(result.error)).toBeUndefined();
    expect(ran.status).toBe(status);
  });
});
