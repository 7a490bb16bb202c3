// Builds small sessions for tests: entries with short ids, one call per kind.
import type { Entry, Session } from "../../src/session/session.ts";

type Fields = Partial<Pick<Entry, "parent" | "turn" | "injected" | "parts">>;

const at = "2026-01-02T03:04:05.000Z";

export const user = (id: string, fields: Fields = {}): Entry => ({
  id,
  timestamp: at,
  type: "user",
  content: `says ${id}`,
  ...fields,
});

export const assistant = (id: string, fields: Fields & { thinking?: string } = {}): Entry => ({
  id,
  timestamp: at,
  type: "assistant",
  content: `replies ${id}`,
  ...fields,
});

export const call = (id: string, fields: Fields = {}): Entry => ({
  id,
  timestamp: at,
  type: "tool_call",
  tool: "bash",
  input: { command: `run ${id}` },
  ...fields,
});

/** The result of call `cN` is named `rN` unless told otherwise. */
export const result = (callId: string, fields: Fields = {}, id = callId.replace("c", "r")): Entry => ({
  id,
  timestamp: at,
  type: "tool_result",
  callId,
  success: true,
  output: `output of ${callId}`,
  ...fields,
});

export const compaction = (
  id: string,
  fields: Fields & { summary?: string; keeps?: string[]; replacement?: Entry[] } = {},
): Entry => ({ id, timestamp: at, type: "compaction", ...fields }) as Entry;

export function session(timeline: Entry[], fields: Partial<Session> = {}): Session {
  return {
    id: "session",
    version: "1.0",
    source: { cli: "universal" },
    project: { path: "/project" },
    model: { provider: "provider", model: "model" },
    metadata: { created: at, lastModified: at },
    timeline,
    ...fields,
  };
}

export async function* stream<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
