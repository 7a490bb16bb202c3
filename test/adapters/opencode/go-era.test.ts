// What the Go version of 2025 kept beside the messages, and what it sent again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Source } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { newGoDatabase } from "./database.ts";

const text = (words: string) => ({ type: "text", data: { text: words } });
const FINISH = { type: "finish", data: { reason: "end_turn", time: 1_750_000_000 } };

async function opened(session: Record<string, unknown>, messages: [string, unknown[]][]): Promise<Source> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const times = (at: number) => ({ created_at: 1_750_000_000 + at, updated_at: 1_750_000_000 + at });
  newGoDatabase(join(dir, ".opencode", "opencode.db"), [
    { table: "sessions", row: { id: "0a1b", title: "T", ...times(0), ...session } },
    ...messages.map(([role, parts], at) => ({
      table: "messages",
      row: { id: `m${at}`, session_id: "0a1b", role, parts: JSON.stringify(parts), ...times(at) },
    })),
  ]);
  const [ref] = await Array.fromAsync(opencode.discover({ dir, env: {} }));
  return opencode.open(ref as SessionRef);
}

const LONG = "The summary. ".repeat(2000);
const COMPACTED: [string, unknown[]][] = [
  ["user", [text("first")]],
  ["assistant", [text("one"), FINISH]],
  ["assistant", [text(LONG), FINISH]],
  ["user", [text("second")]],
  ["assistant", [text("two"), FINISH]],
];

it("the message that the session names as its summary stands for all before it, as the user's", async () => {
  const source = await opened({ summary_message_id: "m2" }, COMPACTED);
  const types = (await Array.fromAsync(source.entries())).map(({ type }) => type);
  expect(types).toEqual(["user", "assistant", "compaction", "user", "assistant"]);
  const seen = await Array.fromAsync(visible(source).entries());
  expect(seen.map((entry) => [entry.type, "content" in entry && entry.content])).toEqual([
    ["user", LONG],
    ["user", "second"],
    ["assistant", "two"],
  ]);
});

it("a summary that is not among the messages hides nothing", async () => {
  const source = await opened({ summary_message_id: "gone" }, COMPACTED);
  expect(await Array.fromAsync(visible(source).entries())).toHaveLength(5);
});

it("a part of an unknown type is reported once, and known ones are not", async () => {
  const odd = { type: "hologram", data: { x: 1 } };
  const known = [
    { type: "reasoning", data: { thinking: "hm" } },
    { type: "image_url", data: { url: "https://example.com/a.png" } },
    { type: "tool_call", data: { id: "c", name: "ls", input: "{}" } },
  ];
  const source = await opened({}, [
    ["user", [text("go"), odd]],
    ["assistant", [...known, odd, FINISH]],
    ["tool", [{ type: "tool_result", data: { tool_call_id: "c", content: "a" } }]],
  ]);
  expect(source.losses).toMatchObject([
    { kind: "record_unknown", at: { record: 1 }, detail: "a part of the type hologram" },
  ]);
});

it("the tokens of the session are those of its last reply", async () => {
  const source = await opened({ prompt_tokens: 1200, completion_tokens: 34, cost: 0.5 }, COMPACTED);
  expect(source.header.metadata).toMatchObject({ tokens: { input: 1200, output: 34 }, cost: 0.5 });
  const used = (await Array.fromAsync(source.entries())).flatMap(({ id, usage }) =>
    usage ? [[id, usage]] : [],
  );
  expect(used).toEqual([["m4", { input: 1200, output: 34, estimated: true }]]);
  expect((await opened({}, COMPACTED)).header.metadata.tokens).toBeUndefined();
});
