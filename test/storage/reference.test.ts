// Long texts that stay in their file: what is written in the place of a reference is what stands there.
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NativeRecord, readRecords } from "../../src/storage/records.ts";
import {
  isReferenced,
  lengthOf,
  newResolver,
  REFERENCE_KEPT,
  REFERENCED_FROM,
} from "../../src/storage/reference.ts";
import { fc } from "../property.ts";

const LONG = 3 * REFERENCED_FROM;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-reference-"));
  path = join(folder, "session.jsonl");
});

afterEach(() => rm(folder, { recursive: true }));

async function read(lines: readonly string[], passes: (value: unknown) => boolean = () => true) {
  await writeFile(path, `${lines.join("\n")}\n`);
  const records: NativeRecord[] = [];
  for await (const batch of readRecords(path, { passes })) records.push(...batch);
  return records.map(({ value }) => value as { text: string });
}

function written(value: unknown): string {
  const texts = newResolver();
  const pieces: Buffer[] = [];
  // A copy, because a piece is valid until the next one only.
  for (const piece of texts.pieces(JSON.stringify(value))) pieces.push(Buffer.from(piece as string));
  texts.close();
  return Buffer.concat(pieces).toString();
}

describe("a long text", () => {
  it("is handed on as its beginning and comes out whole, joined with others too", async () => {
    const text = `first line\n${'"quoted" and \\ 日本語 '.repeat(LONG / 10)}end`;
    const [first, second] = await read([JSON.stringify({ text }), JSON.stringify({ text: `${text}2` })]);
    expect(isReferenced(first?.text ?? "")).toBe(true);
    expect(first?.text.length).toBeLessThan(2 * REFERENCE_KEPT);
    expect(first?.text.startsWith(text.slice(0, REFERENCE_KEPT))).toBe(true);
    const joined = `before ${first?.text}\n between ${second?.text} after`;
    expect(JSON.parse(written({ joined })).joined).toBe(`before ${text}\n between ${text}2 after`);
    expect(lengthOf(first?.text ?? "")).toBeGreaterThanOrEqual(text.length);
  });

  it.each([
    ["is not long", JSON.stringify({ text: "x".repeat(REFERENCED_FROM - 10) })],
    ["is a key", JSON.stringify({ text: "", ["k".repeat(LONG)]: 1 })],
    ["begins with nothing but white space", JSON.stringify({ text: " \n\t".repeat(LONG) })],
    ["holds half a character", `{"text":"${"x".repeat(LONG)}\\ud83d"}`],
    ["holds half a character in capitals", `{"text":"${"x".repeat(LONG)}\\uD83D"}`],
  ])("is read whole when it %s", async (_, line) => {
    const [record] = await read([line]);
    expect(record).toEqual(JSON.parse(line));
  });

  it("is read whole when the record does not pass", async () => {
    const text = "x".repeat(LONG);
    const [record] = await read([JSON.stringify({ text })], (value) => !("text" in (value as object)));
    expect(record).toEqual({ text });
  });

  it("is missed when the file became shorter", async () => {
    const [record] = await read([JSON.stringify({ text: "x".repeat(LONG) })]);
    await truncate(path, LONG / 2);
    expect(() => written(record)).toThrow(/became shorter/);
  });

  it("whatever it says", async () => {
    const texts = fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 4 }), async (parts) => {
      const lines = parts.map((words) => ({
        text: words.join("\n").repeat(LONG / words.join("\n").length + 1),
      }));
      const records = await read(lines.map((line) => JSON.stringify(line)));
      expect(records.map((record) => JSON.parse(written(record)))).toEqual(lines);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
