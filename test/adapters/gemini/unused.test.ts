// Files that the CLI begins and never uses are no sessions; whatever holds a word of anybody's is one.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";

const ID = "01a00000-0000-7000-8000-000000000001";
let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "baton-unused-"));
  const chats = join(dir, ".gemini/tmp/project/chats");
  mkdirSync(chats, { recursive: true });
  path = join(chats, "session-2026-01-02T03-04-01a00000.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true }));

const time = "2026-01-02T03:04:05.000Z";
const first = {
  sessionId: ID,
  projectHash: "0".repeat(64),
  startTime: time,
  lastUpdated: time,
  kind: "main",
};
const context = message('<session_context>\nA file says "type":"user".\n</session_context>');
const list = (...messages: object[]) => ({ $set: { messages } });

function message(text: string, type = "user") {
  return { id: "1", timestamp: time, type, content: [{ text }] };
}

function listed(...lines: object[]): string[] {
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return found();
}

const found = () => [...gemini.discover({ dir, env: {} })].map(({ originalId }) => originalId);

it("what a run leaves beside its session is not listed, until something is said in it", () => {
  expect(listed(first)).toEqual([]);
  expect(listed(first, list(context))).toEqual([]);
  expect(listed(first, list(context), first, list(context))).toEqual([]);
  appendFileSync(path, `${JSON.stringify(message("Hello"))}\n`);
  expect(found()).toEqual([ID]);
});

it.each<[string, object[]]>([
  ["a prompt in the list", [first, list(context, message("Hello"))]],
  ["a list without context", [first, list(message("Hello"))]],
  ["a reply", [first, list(context), message("Hello", "gemini")]],
  ["facts", [first, list(context), { $set: { summary: "A title" } }]],
  ["something that is taken back", [first, list(context), { $rewindTo: "1" }]],
])("%s makes it a session", (_, lines) => {
  expect(listed(...lines)).toEqual([ID]);
});

it("what the catalog knows to be a session is not read again", () => {
  expect(listed(first, list(context))).toEqual([]);
  const known = ({ size }: { size: number }) => ({ originalId: ID, size });
  const refs = [...gemini.discover({ dir, env: {} }, { known })];
  expect(refs).toHaveLength(1);
});
