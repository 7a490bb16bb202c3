// Sessions of Claude Code as the tests need them: a line for each thing that was said or done.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "../../src/adapters/adapter.ts";
import type { Scope } from "../../src/catalog/schema.ts";

export interface Said {
  scope: Exclude<Scope, "context">;
  text: string;
  /** For a call and its result. */
  tool?: string;
  input?: Record<string, unknown>;
}

export interface Written {
  path: string;
  /** The id of each entry. */
  entries: string[];
}

export function writeSession(
  home: Home,
  number: number,
  said: readonly Said[],
  project = "/home/me/app",
): Written {
  const id = uuid(number, 0);
  const folder = project.replace(/[^a-z0-9]/gi, "-");
  const path = join(home.dir, ".claude", "projects", folder, `${id}.jsonl`);
  const uuids = said.map((_, at) => uuid(number, at + 1));
  const lines = said.map((one, at) => ({
    uuid: uuids[at],
    parentUuid: at === 0 ? null : uuids[at - 1],
    sessionId: id,
    cwd: project,
    version: "2.1.0",
    timestamp: new Date(Date.UTC(2026, 0, 2, 3, 0, at)).toISOString(),
    ...messageOf(one, number, at),
  }));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  // A call is known by its own id.
  const entries = said.map(({ scope }, at) =>
    scope === "tool_input" ? callId(number, at) : (uuids[at] ?? ""),
  );
  return { path, entries };
}

function callId(session: number, entry: number): string {
  return `toolu_${session}_${entry}`;
}

function messageOf({ scope, text, tool = "Bash", input }: Said, number: number, at: number): object {
  const call = callId(number, scope === "tool_output" ? at - 1 : at);
  const assistant = (block: object) => ({
    type: "assistant",
    message: { id: `msg_${at}`, role: "assistant", model: "claude-opus-4-5", content: [block] },
  });
  switch (scope) {
    case "prompt":
      return { type: "user", message: { role: "user", content: text } };
    case "reply":
      return assistant({ type: "text", text });
    case "thinking":
      return assistant({ type: "thinking", thinking: text, signature: "c2ln" });
    case "tool_input":
      return assistant({ type: "tool_use", id: call, name: tool, input: input ?? { command: text } });
    case "tool_output":
      return {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: text }] },
      };
  }
}

function uuid(session: number, entry: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return `${hex(session, 8)}-0000-4000-8000-${hex(entry, 12)}`;
}
