// The middle of long texts left out: always shorter, never half a character, and still what it was.
import { describe, expect, it } from "vitest";
import { hunkEdits } from "../../src/adapters/hunks.ts";
import { parsePatch } from "../../src/adapters/patch.ts";
import { entrySchema } from "../../src/session/schema.ts";
import type { Entry, ToolCall, ToolResult, UserEntry } from "../../src/session/session.ts";
import { clipCall, clipEntry, clipResult, clipSaid } from "../../src/transform/clip.ts";
import { clipText } from "../../src/transform/clip-text.ts";
import { fc } from "../property.ts";
import { coreSession } from "../session/arbitrary.ts";
import { assistant, call, compaction, result, user } from "../session/build.ts";

const WHERE = "some:1234, entry abc";
const lines = (count: number, line = "a line of text") =>
  Array.from({ length: count }, (_, at) => `${line} ${at}`).join("\n");

describe("a text", () => {
  it("keeps its beginning and its end, and says what is missing and where it is", () => {
    const text = `${"b".repeat(10_000)}${"e".repeat(10_000)}`;
    expect(clipText(text, 300, WHERE)).toBe(
      `${"b".repeat(200)}\n[… 19,700 characters left out; the full text: ${WHERE} …]\n${"e".repeat(100)}`,
    );
  });

  it("is cut at line ends where some are near", () => {
    const clipped = clipText(lines(1000), 300, WHERE).split("\n");
    const note = clipped.findIndex((line) => line.startsWith("[…"));
    expect(clipped[note]).toMatch(
      /^\[… [\d,]+ characters left out; the full text: some:1234, entry abc …\]$/,
    );
    for (const line of clipped.filter((_, at) => at !== note)) expect(line).toMatch(/^a line of text \d+$/);
    expect(clipped.at(-1)).toBe("a line of text 999");
  });

  it("counts exactly what is left out", () => {
    const text = lines(1000);
    const [, before = "", count = "", after = ""] =
      /^([\s\S]*)\[… ([\d,]+) characters[^\n]*\n([\s\S]*)$/.exec(clipText(text, 500, WHERE)) ?? [];
    expect(before.length + Number(count.replaceAll(",", "")) + after.length).toBe(text.length);
  });

  it("that would hardly get shorter stays as it is", () => {
    const text = "x".repeat(350);
    expect(clipText(text, 300, WHERE)).toBe(text);
    expect(clipText("", 0, WHERE)).toBe("");
    expect(clipText("x".repeat(5000), Number.POSITIVE_INFINITY, WHERE)).toHaveLength(5000);
  });

  it("never loses half of a character", () => {
    for (let keep = 0; keep < 40; keep++)
      expect(clipText(`x${"😀".repeat(500)}`, keep, WHERE).isWellFormed()).toBe(true);
  });

  it("has a note of one line, whatever it says", () => {
    expect(clipText("x".repeat(5000), 10, "a\nb\r\n c").split("\n")).toHaveLength(3);
  });

  it("is shorter or the same, and clipped once only", () => {
    const piece = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n", "😀", "\r\n", "a line\n"));
    const text = fc
      .tuple(fc.array(piece, { maxLength: 20 }), fc.nat({ max: 60 }))
      .map(([pieces, times]) => pieces.join("").repeat(times));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: -5, max: 2000 }),
        fc.string({ maxLength: 60 }),
        (value, keep, where) => {
          const clipped = clipText(value, keep, where);
          expect(clipped === value || clipped.length < value.length).toBe(true);
          expect(clipText(clipped, keep, where)).toBe(clipped);
          if (value.isWellFormed() && where.isWellFormed()) expect(clipped.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

describe("a result", () => {
  it("is clipped in its output and its texts, and keeps its image", () => {
    const long = lines(500);
    const image = { type: "image" as const, mimeType: "image/png", data: "A".repeat(10_000) };
    const entry = {
      ...result("c1", { parts: [{ type: "text", text: long }, { type: "text", text: long }, image] }),
      output: `${long}\n${long}`,
    } as ToolResult;
    const clipped = clipResult(entry, 200, WHERE) as ToolResult;
    expect(clipped.output.length).toBeLessThan(700);
    expect(clipped.parts).toHaveLength(3);
    expect(clipped.parts?.[2]).toEqual(image);
    const [first, second] = clipped.parts as { text: string }[];
    expect(clipped.output).toBe(`${first?.text}\n${second?.text}`);
  });

  it("that is short is left alone", () => {
    expect(clipResult(result("c1") as ToolResult, 100, WHERE)).toBeUndefined();
  });
});

describe("a call", () => {
  const content = lines(500);

  it("is clipped in its own arguments and in the universal ones", () => {
    const entry = {
      ...call("c1"),
      tool: "write",
      input: { path: "a.ts", content },
      originalTool: "Write",
      originalInput: { file_path: "a.ts", content, deep: [{ more: content, count: 1, on: true, no: null }] },
    } as ToolCall;
    const clipped = clipCall(entry, 200, WHERE) as ToolCall;
    const short = clipText(content, 200, WHERE);
    expect(clipped.input).toEqual({ path: "a.ts", content: short });
    expect(clipped.originalInput).toEqual({
      file_path: "a.ts",
      content: short,
      deep: [{ more: short, count: 1, on: true, no: null }],
    });
  });

  it("keeps arguments that are JSON in a string", () => {
    const entry = {
      ...call("c1"),
      originalInput: JSON.stringify({ command: content, n: [1, 2] }),
    } as ToolCall;
    const clipped = clipCall(entry, 200, WHERE) as ToolCall;
    expect(JSON.parse(clipped.originalInput as string)).toEqual({
      command: clipText(content, 200, WHERE),
      n: [1, 2],
    });
  });

  it("keeps numbers that no program can hold", () => {
    const originalInput = `{"id":12345678901234567890,"text":${JSON.stringify(content)}}`;
    expect(clipCall({ ...call("c1"), originalInput } as ToolCall, 200, WHERE)).toBeUndefined();
  });

  it("whose argument is a patch keeps one that can be parsed", () => {
    const added = content.replaceAll(/^/gm, "+");
    const patch = [
      "*** Begin Patch",
      "*** Add File: new.ts",
      added,
      "*** Update File: old.ts",
      "*** Move to: other.ts",
      "@@ class A",
      ` context\n${added}\n-gone`,
      "*** Delete File: gone.ts",
      "*** End Patch",
    ].join("\n");
    const changes = parsePatch(patch);
    const input = { path: "new.ts", patch, changes };
    const clipped = clipCall(
      { ...call("c1"), tool: "edit", input, originalInput: patch } as ToolCall,
      300,
      WHERE,
    );
    const { originalInput } = clipped as { originalInput: string };
    expect(originalInput.length).toBeLessThan(1200);
    const kinds = changes?.map(({ kind, path, to }) => ({ kind, path, ...(to && { to }) }));
    expect(parsePatch(originalInput)).toMatchObject(kinds as object[]);
    expect(parsePatch(clipped?.input.patch as string)).toMatchObject(kinds as object[]);
    const [, moved] = (clipped?.input.changes ?? []) as { diff: string }[];
    expect(hunkEdits(moved?.diff ?? "")).toHaveLength(1);
    expect(moved?.diff.split("\n").every((line) => /^(?:@@|[ +-])/.test(line))).toBe(true);
  });

  it("whose patch has long lines loses whole ones only", () => {
    const long = `+${"x".repeat(250)}`;
    const patch = ["*** Begin Patch", "*** Add File: a", ...Array(9).fill(long), "*** End Patch"].join("\n");
    const clipped = clipCall({ ...call("c1"), originalInput: patch } as ToolCall, 1050, WHERE);
    const rest = String(clipped?.originalInput)
      .split("\n")
      .filter((line) => !line.includes("[…"));
    expect(rest).toEqual(["*** Begin Patch", "*** Add File: a", long, long, long, "*** End Patch"]);
  });

  it("with arguments that nest without end does not overflow", () => {
    let deep: Record<string, unknown> = { content };
    for (let level = 0; level < 5000; level++) deep = { deep };
    expect(clipCall({ ...call("c1"), input: deep } as ToolCall, 200, WHERE)).toBeUndefined();
  });
});

describe("what was said", () => {
  it("is clipped in its text and its parts; thinking stays", () => {
    const thinking = { type: "thinking" as const, text: lines(500), signature: "signed" };
    const code = { type: "code" as const, code: lines(500), language: "ts" };
    const entry = assistant("a1", { parts: [thinking, code, { type: "text", text: lines(500) }] });
    const clipped = clipEntry({ ...entry, content: lines(500) } as Entry, 200, WHERE);
    expect(clipped?.parts?.[0]).toEqual(thinking);
    expect(clipped?.parts?.[1]).toEqual({ ...code, code: clipText(code.code, 200, WHERE) });
    expect(clipped).toMatchObject({ content: clipText(lines(500), 200, WHERE) });
  });

  it("in a few words is left alone, like what nobody said", () => {
    expect(clipSaid(user("u1") as UserEntry, 100, WHERE)).toBeUndefined();
    expect(clipEntry(compaction("k", { summary: lines(500) }), 100, WHERE)).toBeUndefined();
  });
});

it("any entry keeps its structure, gets shorter, and is clipped once only", () => {
  const long = fc.nat({ max: 400 });
  fc.assert(
    fc.property(coreSession, long, fc.integer({ min: 0, max: 500 }), ({ timeline }, times, keep) => {
      for (const entry of timeline.map((one) => lengthened(one, times))) {
        const before = JSON.stringify(entry);
        const clipped = clipEntry(entry, keep, WHERE);
        expect(JSON.stringify(entry)).toBe(before);
        if (!clipped) continue;
        expect(entrySchema.safeParse(clipped).success).toBe(true);
        expect(JSON.stringify(clipped).length).toBeLessThan(before.length);
        expect(Object.keys(clipped)).toEqual(Object.keys(entry));
        expect(clipEntry(clipped, keep, WHERE)).toBeUndefined();
      }
    }),
  );
});

/** The same entry with longer strings, two levels deep. */
function lengthened<T>(value: T, times: number, depth = 0): T {
  if (typeof value === "string" && depth > 1) return value.repeat(times) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => lengthened(one, times, depth + 1)) as T;
  const entries = Object.entries(value).map(([name, one]) => {
    if ((name === "content" || name === "output") && typeof one === "string")
      return [name, one.repeat(times)];
    return [name, lengthened(one, times, depth + 1)];
  });
  return Object.fromEntries(entries) as T;
}
