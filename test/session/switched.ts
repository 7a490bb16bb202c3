// Builds the mark of a switch for tests.
import type { Entry } from "../../src/session/session.ts";

export type SwitchEntry = Extract<Entry, { type: "switch" }>;

/** Unknown fields may be among them. */
export function switched(id: string, fields: Record<string, unknown> = {}): SwitchEntry {
  const timestamp = "2026-01-02T03:04:05.000Z";
  const made = {
    timestamp,
    fromProvider: "claude",
    toProvider: "gemini",
    fromModel: "claude-opus-4-5-20251101",
    toModel: "gemini-2.5-pro",
    messageIndex: 2,
    ...fields,
  };
  return { id, timestamp, type: "switch", switch: made };
}
