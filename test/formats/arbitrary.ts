// Generates whole universal sessions: the core documents with the additions, fields nobody knows, raw records
// as text and as base64, and subagents.

import type { Entry, Part, Session, SessionRecord } from "../../src/session/session.ts";
import { fc } from "../property.ts";
import { coreSession } from "../session/arbitrary.ts";

const text = fc.string({ unit: "binary", maxLength: 40 });
const unknownFields = fc.dictionary(
  fc.constantFrom("later", "x-vendor", "ünknown", "constructor", "toString"),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 2 },
);

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({ type: fc.constant("thinking" as const), text, signature: text, hidden: fc.boolean() }),
  fc.record({ type: fc.constant("image" as const), mimeType: text, data: text }),
  fc.record({ type: fc.constant("error" as const), text }),
);

const additions = fc.record(
  {
    parent: fc.option(text),
    turn: text,
    injected: fc.boolean(),
    parts: fc.array(part, { maxLength: 3 }),
    records: fc.array(fc.nat(), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const compaction = fc.record({
  id: text,
  timestamp: text,
  type: fc.constant("compaction" as const),
  summary: text,
  keeps: fc.array(text, { maxLength: 3 }),
});

const record: fc.Arbitrary<SessionRecord> = fc.oneof(
  fc.record({ index: fc.nat(), raw: text }),
  fc.record({ index: fc.nat(), raw: text, file: text, entries: fc.constant(false) }),
  fc.record({
    index: fc.nat(),
    raw: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    encoding: fc.constant("base64" as const),
  }),
);

const flat: fc.Arbitrary<Session> = fc
  .tuple(
    coreSession,
    fc.array(fc.tuple(additions, unknownFields), { minLength: 12, maxLength: 12 }),
    fc.option(compaction, { nil: undefined }),
    fc.array(record, { maxLength: 4 }),
    unknownFields,
  )
  .map(([session, extras, compact, records, unknown]) => ({
    ...unknown,
    ...session,
    timeline: [
      ...session.timeline.map((entry, at) => ({ ...extras[at]?.[1], ...extras[at]?.[0], ...entry }) as Entry),
      ...(compact ? [compact] : []),
    ],
    ...(records.length > 0 && { records }),
  }));

/** Subagents two levels deep. */
export const anySession: fc.Arbitrary<Session> = withChildren(withChildren(flat));

function withChildren(child: fc.Arbitrary<Session>): fc.Arbitrary<Session> {
  return fc
    .tuple(flat, fc.array(child, { maxLength: 2 }))
    .map(([session, children]) => (children.length > 0 ? { ...session, children } : session));
}
