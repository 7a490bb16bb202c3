// Helpers of these tests: fixtures as homes of Gemini CLI, and sessions in private ones.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home, SessionRef, Target, WrittenRecord } from "../../../src/adapters/adapter.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import type { Loss } from "../../../src/session/losses.ts";
import type { Entry } from "../../../src/session/session.ts";
import type { Source, Stream } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";

export const FIXTURES = join(import.meta.dirname, "fixtures");
export const ID = "11111111-2222-4333-8444-555555555555";
export const NOW = new Date("2026-11-15T12:00:00.000Z");

export async function privateHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-test-gemini-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: {} };
}

export async function put(home: Home, path: string, bytes: string): Promise<string> {
  const file = join(home.dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
}

export const lines = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

export const metadata = { sessionId: ID, projectHash: "x", startTime: "2026-01-02T03:04:05.000Z" };
export const user = (id: string, text: string) => ({
  id,
  timestamp: at(1),
  type: "user",
  content: [{ text }],
});
export const model = (id: string, text: string, more: object = {}) => ({
  id,
  timestamp: at(2),
  type: "gemini",
  content: text,
  ...more,
});
const at = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, "0")}.000Z`;

export const response = (id: string, name: string, output: string) => ({
  functionResponse: { id, name, response: { output } },
});
/** A call as the CLI keeps it: with its result. */
export const called = (id: string, name: string, args: object, output: string) => ({
  id,
  name,
  args,
  status: "success",
  result: [response(id, name, output)],
});

/** A log in a private home, opened. */
export async function opened(...records: unknown[]): Promise<Source> {
  return openedText(lines(metadata, ...records));
}

export async function openedText(text: string): Promise<Source> {
  const home = await privateHome();
  await put(home, ".gemini/tmp/project/.project_root", "/home/dev/project");
  await put(home, ".gemini/tmp/project/chats/session-2026-01-02T03-04-11111111.jsonl", text);
  const [ref] = await Array.fromAsync(gemini.discover(home));
  return gemini.open(ref as SessionRef);
}

/** What the model would be told, in short. */
export async function told(source: Source): Promise<string[]> {
  return (await Array.fromAsync(visible(source).entries()))
    .filter(({ type }) => type !== "system")
    .map(short);
}

function short(entry: Entry): string {
  if (entry.type === "tool_call") return `call ${entry.id}`;
  if (entry.type === "tool_result") return `result ${entry.callId} ${entry.output}`;
  return `${entry.type} ${"content" in entry ? entry.content : ""}`;
}

export function targetIn(home: Home, fields: Partial<Target> = {}): Target {
  return {
    home,
    originalId: ID,
    cwd: "/home/dev/project",
    version: "0.61.0",
    now: NOW,
    configuration: { mcpServers: [] },
    ...fields,
  };
}

export async function writtenTo(stream: Stream, target: Target) {
  const records: WrittenRecord[] = [];
  const losses: Loss[] = [];
  for await (const item of gemini.write?.(stream, target) ?? [])
    if (item.type === "record") records.push(item);
    else losses.push(item.loss);
  const main = records
    .filter(({ file }) => file === "main")
    .map(({ bytes }) => String(bytes))
    .join("");
  const parsed = main
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { records, losses, main, lines: parsed };
}
