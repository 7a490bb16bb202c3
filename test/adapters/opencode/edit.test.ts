// Edited copies: what nobody changed stays in its part, and what was changed is what the parts say.
import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Entry } from "../../../src/session/session.ts";
import type { Source } from "../../../src/session/source.ts";
import type { RowLine } from "../../../src/storage/rows.ts";
import { edited, editsFor } from "../../../src/transform/edit.ts";
import { thread } from "../../../src/transform/visible.ts";
import { buildDatabases } from "./database.ts";

async function opened(): Promise<{ source: Source; entries: Entry[]; copied: Copied }> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const store = join(dir, ".local", "share", "opencode");
  cpSync(join(import.meta.dirname, "fixtures/parts/native"), store, { recursive: true });
  buildDatabases(store);
  const home = { dir, env: {} };
  const [ref] = await Array.fromAsync(opencode.discover(home));
  const source = await opencode.open(ref as SessionRef);
  const copied: Copied = async (stream) => {
    const configuration = { mcpServers: [] };
    const rest = { cwd: "/home/dev/project", version: "1.18.33", now: new Date(), configuration };
    const all = await Array.fromAsync(opencode.write!(stream, { home, originalId: "ses_new", ...rest }));
    const lines = all.flatMap((one) => (one.type === "record" ? [JSON.parse(String(one.bytes))] : []));
    const parts = (lines as RowLine[]).flatMap(({ rows = [] }) => rows.map(({ data }) => data));
    return { parts, losses: all.flatMap((one) => (one.type === "loss" ? [one.loss.kind] : [])) };
  };
  return { source, entries: await Array.fromAsync(source.entries()), copied };
}

type Copied = (stream: Parameters<NonNullable<typeof opencode.write>>[0]) => Promise<{
  parts: unknown[];
  losses: string[];
}>;

it("thinking stays, with its signature, when the text behind it is replaced", async () => {
  const { source, entries, copied } = await opened();
  const thought = entries.find(({ parts }) => parts?.some(({ type }) => type === "thinking"));
  const edits = editsFor(source, { drop: [], replace: [{ entry: thought!.id, content: "Other words" }] });
  const { parts, losses } = await copied(edited(thread(source), edits));
  const at = parts.findIndex((part) => (part as { type: string }).type === "reasoning");
  expect(parts[at]).toMatchObject({
    text: "Let me think.",
    metadata: { anthropic: { signature: "c2lnbmF0dXJl" } },
  });
  expect(parts.slice(at + 1)).toContainEqual(expect.objectContaining({ type: "text", text: "Other words" }));
  expect(losses).not.toContain("thinking_dropped");
});

it("thinking that was changed has lost its signature: it goes, and that is said", async () => {
  const { source, copied } = await opened();
  const whole = thread(source);
  const stream = {
    ...whole,
    async *entries() {
      for await (const entry of whole.entries())
        yield {
          ...entry,
          ...(entry.parts && {
            parts: entry.parts.map((part) =>
              part.type === "thinking" ? { ...part, text: "Never so" } : part,
            ),
          }),
        } as Entry;
    },
  };
  const { parts, losses } = await copied(stream);
  expect(JSON.stringify(parts)).not.toContain("Let me think.");
  expect(JSON.stringify(parts)).not.toContain("Never so");
  expect(losses).toContain("thinking_dropped");
});

it("changes of a patch that were edited are what the patch then says", async () => {
  const { source, entries, copied } = await opened();
  const call = entries.find((entry) => entry.type === "tool_call" && entry.originalTool === "apply_patch");
  const changes = [{ path: "other.txt", kind: "add", content: "quite another\n" }];
  const input = { ...(call as { input: object }).input, changes };
  expect(input).toHaveProperty("patch");
  const replace = [{ entry: call!.id, content: JSON.stringify(input) }];
  const { parts } = await copied(edited(thread(source), editsFor(source, { drop: [], replace })));
  const written = parts.find((part) => (part as { tool?: string }).tool === "apply_patch");
  const { patchText } = (written as { state: { input: { patchText: string } } }).state.input;
  expect(patchText).toContain("other.txt");
  expect(patchText).toContain("+quite another");
  expect(patchText).not.toContain((call as { originalInput: { patchText: string } }).originalInput.patchText);
});
