// Reading back while a file grows: in a thread or not, the marks are those of the complete file.
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { adapterNamed } from "../../src/adapters/named.ts";
import { markOf, marksIn } from "../../src/switch/marks.ts";
import { newReadBack } from "../../src/switch/read-back.ts";

const claude = adapterNamed("claude", adapters);
const originalId = "5f0a1b1c-0000-4000-8000-000000000001";
const ref = { path: `/store/${originalId}.jsonl`, originalId };
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-read-back-"));
  path = join(folder, "session.jsonl");
});

afterEach(() => rm(folder, { recursive: true }));

function line(content: string): string {
  const uuid = crypto.randomUUID();
  const timestamp = "2026-10-01T08:00:00.000Z";
  return `${JSON.stringify({ type: "user", uuid, timestamp, message: { role: "user", content } })}\n`;
}

describe("reading back", () => {
  it("reads in a thread what is there and waits for the rest, also within a line", async () => {
    const back = newReadBack(claude, ref, 1);
    const texts = ["first", "second 日本語", "third".repeat(5000)];
    let size = 0;
    try {
      await writeFile(path, "");
      const bytes = Buffer.from(texts.map(line).join(""));
      const cuts = [10, bytes.indexOf("日") + 1, bytes.length - 7, bytes.length];
      for (const cut of cuts) {
        await appendFile(path, bytes.subarray(size, cut));
        size = cut;
        back.grew(path, size);
      }
      expect([...Array.from(await back.marks(path))]).toEqual(texts.map((text) => markOf("user", text)));
    } finally {
      await back.close();
    }
  });

  it("reads a small file without a thread", async () => {
    const back = newReadBack(claude, ref);
    await writeFile(path, line("hello"));
    back.grew(path, 100);
    expect(await back.marks(path)).toEqual([markOf("user", "hello")]);
    await back.close();
  });

  it("reads the file itself when the thread fails", async () => {
    const back = newReadBack(claude, ref, 1);
    const elsewhere = join(folder, "gone.jsonl");
    await writeFile(path, line("hello"));
    back.grew(elsewhere, 100);
    expect(await back.marks(path)).toEqual([markOf("user", "hello")]);
    await back.close();
  });

  it("sees a change of type and of text", async () => {
    await writeFile(path, line("hello") + line("world"));
    const [first, second] = await marksIn(claude.fold, { ...ref, staged: path });
    expect(first).toBe(markOf("user", "hello"));
    expect(second).not.toBe(markOf("user", "hello"));
    expect(second).not.toBe(markOf("assistant", "world"));
  });
});
