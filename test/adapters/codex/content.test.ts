// Content of every shape: what a part can hold is kept, and the rest is named with its record.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { privateHome, put } from "./store.ts";

const ID = "0199aaaa-0000-7000-8000-000000000002";
const line = (type: string, payload: object, more: object = {}) =>
  `${JSON.stringify({ timestamp: "2025-09-01T00:00:00.000Z", ...more, type, payload })}\n`;
const meta = line("session_meta", { id: ID, cwd: "/p" });
const file = (id: string) => `.codex/sessions/2025/09/01/rollout-2025-09-01T00-00-00-${id}.jsonl`;

/** What a session whose second record is this one holds of it. */
async function read(type: string, payload: object) {
  const home = await privateHome();
  const ref = await codex.recognise(await put(home, file(ID), meta + line(type, payload)));
  const source = await codex.open(ref!);
  const [entry] = await Array.fromAsync(source.entries());
  const losses = source.losses.filter(({ kind }) => kind.startsWith("record_"));
  return { entry, losses: losses.map(({ kind, at, detail }) => `${kind} ${at.record} ${detail}`) };
}

const first = ", the first of possibly many";

describe("messages", () => {
  test.each<[string, unknown[], object, string[]]>([
    ["a bare string", ["bare"], { content: "bare" }, []],
    ["an unknown kind of text", [{ type: "mystery", text: "said" }], { content: "said" }, []],
    [
      "an image by its id",
      [{ type: "input_image", file_id: "file-1" }],
      { parts: [{ type: "image", name: "file-1" }] },
      [],
    ],
    [
      "sound",
      [{ type: "input_audio", input_audio: { data: "QUJD", format: "mp3" } }],
      { parts: [{ type: "document", mimeType: "audio/mp3", data: "QUJD" }] },
      [],
    ],
    [
      "sealed content",
      [
        { type: "encrypted_content", encrypted_content: "x" },
        { type: "input_text", text: "t" },
      ],
      { content: "t" },
      [`record_unknown 1 content/encrypted_content${first}`],
    ],
    [
      "an image of nothing",
      [{ type: "input_image" }],
      { content: "" },
      ["record_malformed 1 content/input_image"],
    ],
    ["a number", [5], { content: "" }, ["record_malformed 1 a piece of content that is no object"]],
  ])("%s", async (_, content, entry, losses) => {
    const found = await read("response_item", { type: "message", role: "user", content });
    expect(found.entry).toMatchObject(entry);
    expect(found.losses).toEqual(losses);
  });
});

test.each<[string, unknown, string]>([
  ["bare strings", ["bare", "strings"], "bare\nstrings"],
  ["two texts", { content: "one", output: "two" }, '{"content":"one","output":"two"}'],
])("an output of %s", async (_, output, text) => {
  const found = await read("response_item", { type: "function_call_output", call_id: "c", output });
  expect(found.entry).toMatchObject({ output: text });
});

test("reasoning keeps its summary beside its raw text", async () => {
  const summary = [{ type: "summary_text", text: "short" }];
  const content = [{ type: "reasoning_text", text: "raw" }];
  const found = await read("response_item", {
    type: "reasoning",
    summary,
    content,
    encrypted_content: "seal",
  });
  expect(found.entry?.parts).toEqual([
    { type: "thinking", text: "raw", signature: "seal" },
    { type: "thinking", text: "short" },
  ]);
});

test("items of a replacement that have no entry are named", async () => {
  const replacement_history = [{ type: "mystery" }, { type: "function_call", arguments: "{}" }, 5];
  const { losses } = await read("compacted", { message: "s", replacement_history });
  expect(losses).toEqual([
    `record_unknown 1 replacement_history/mystery${first}`,
    "record_malformed 1 replacement_history/function_call",
    "record_malformed 1 replacement_history/item that is no object",
  ]);
});

test("a fork that names only an ordinal goes on from there", async () => {
  const home = await privateHome();
  const child = "0199aaaa-0000-7000-8000-000000000003";
  const said = (text: string, ordinal: number) =>
    line(
      "response_item",
      { type: "message", role: "user", content: [{ type: "input_text", text }] },
      { ordinal },
    );
  const own = (id: string, ordinal: number, more: object) =>
    line("session_meta", { id, cwd: "/p", history_mode: "paginated", ...more }, { ordinal });
  await put(home, file(ID), own(ID, 0, {}) + said("shared", 1) + said("not shared", 2));
  const history_base = { thread_id: ID, end_ordinal_exclusive: 2 };
  const path = await put(home, file(child), own(child, 2, { history_base }) + said("own", 3));
  const source = await codex.open((await codex.recognise(path))!);
  const entries = await Array.fromAsync(source.entries());
  expect(entries.map((entry) => "content" in entry && entry.content)).toEqual(["shared", "own"]);
});
