// Small sessions of another agent, and what they are written as.
import type { Target } from "../../../src/adapters/adapter.ts";
import type { Entry, Session } from "../../../src/session/session.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { prepare } from "../../../src/switch/prepare.ts";
import { visible } from "../../../src/transform/visible.ts";
import { privateHome, targetIn, writeAll } from "./store.ts";

export const at = (second: number) =>
  new Date(Date.parse("2026-05-01T10:00:00Z") + second * 1000).toISOString();

export function sessionOf(timeline: object[], fields: Partial<Session> = {}): Session {
  const entries = timeline.map(
    (entry, number) => ({ id: `e${number}`, timestamp: at(number), ...entry }) as Entry,
  );
  return {
    id: "s",
    version: "1.0",
    source: { cli: "other", originalId: "o1" },
    project: { path: "/home/dev/project", git: { branch: "main", commit: "abc" } },
    model: { provider: "anthropic", model: "m1" },
    metadata: { created: at(0), lastModified: at(99) },
    title: "Title",
    timeline: entries,
    ...fields,
  };
}

/** What a session with this timeline is written as, carried from another agent. */
export async function written(
  timeline: object[],
  options: { session?: Partial<Session>; target?: Partial<Target> } = {},
) {
  const home = await privateHome();
  const target = targetIn(home, options.target);
  const stream = prepare(visible(sourceOf(sessionOf(timeline, options.session))), { thinking: "drop" });
  return { ...(await writeAll(stream, target)), target, home };
}

export const user = (content: string, fields: object = {}) => ({ type: "user", content, ...fields });
export const assistant = (content: string, fields: object = {}) => ({
  type: "assistant",
  content,
  ...fields,
});
export const bash = (id: string, command: string, fields: object = {}) => ({
  ...{
    type: "tool_call",
    id,
    tool: "bash",
    input: { command },
    originalTool: "Bash",
    originalInput: { command },
  },
  ...fields,
});
export const result = (callId: string, output: string, fields: object = {}) => ({
  ...{ type: "tool_result", callId, success: true, output },
  ...fields,
});
