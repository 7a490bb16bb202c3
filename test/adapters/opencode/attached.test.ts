// Files that are attached to a result. Nothing stands as text beside them, unlike those attached to a prompt.
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Source } from "../../../src/session/source.ts";
import { bundle } from "../../../src/switch/bundle.ts";

const NOTES = Buffer.from("line one\nline two ü").toString("base64");

async function opened(attachments: unknown[]): Promise<Source> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, "exported.json");
  const time = { created: 1_750_000_000_000, completed: 1_750_000_000_000 };
  const state = {
    status: "completed",
    input: {},
    output: "fetched",
    time: { start: 1, end: 2 },
    attachments,
  };
  const file = { id: "prt_1", type: "file", mime: "text/plain", filename: "a.txt", url: "file:///a.txt" };
  const typed = { id: "prt_0", type: "text", text: "go" };
  const tool = { id: "prt_2", type: "tool", tool: "docs_fetch", callID: "c1", state };
  const messages = [
    { info: { id: "msg_1", sessionID: "ses_1", role: "user", time }, parts: [typed, file] },
    {
      info: { id: "msg_2", sessionID: "ses_1", role: "assistant", parentID: "msg_1", time },
      parts: [tool],
    },
  ];
  writeFileSync(path, JSON.stringify({ info: { id: "ses_1", directory: dir }, messages }));
  return opencode.open((await opencode.recognise(path)) as SessionRef);
}

async function partsOf(source: Source) {
  const entries = await Array.fromAsync(source.entries());
  expect(entries[0]).toMatchObject({ type: "user", content: "go" });
  expect(entries[0]).not.toHaveProperty("parts");
  return entries.find(({ type }) => type === "tool_result")?.parts;
}

it("a text is a part of the result, however its URL spells it", async () => {
  const text = { type: "file", mime: "text/plain", filename: "notes.txt" };
  const source = await opened([
    { ...text, url: `data:text/plain;base64,${NOTES}` },
    { ...text, url: "data:text/plain,line%20one%0Aline%20two%20%C3%BC" },
    { ...text, url: "data:text/plain,50%" },
  ]);
  const kept = { type: "document", mimeType: "text/plain", name: "notes.txt" };
  expect(await partsOf(source)).toEqual([
    { type: "text", text: "fetched" },
    { ...kept, data: NOTES },
    { ...kept, data: NOTES },
    { ...kept, data: Buffer.from("50%").toString("base64") },
  ]);
});

it("its words are in the session of another agent", async () => {
  const source = await opened([{ type: "file", mime: "text/plain", url: `data:text/plain;base64,${NOTES}` }]);
  const home = { dir: "/nowhere", env: {} };
  const { pieces } = await bundle({ source, to: claude, home, path: "/nowhere/session.jsonl" });
  const written = (await Array.fromAsync(pieces, ({ bytes }) => Buffer.from(bytes).toString("utf8"))).join(
    "",
  );
  expect(written).toContain("line one\\nline two ü");
});
