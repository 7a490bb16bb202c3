// Text for a terminal: harmless whatever a transcript holds, never wider than it may be.

import { describe, expect, it } from "vitest";
import { shellLine } from "../../src/cli/start.ts";
import { ago, bytes, cut, harmless, padded, shellWord, shortPath, widthOf } from "../../src/cli/text.ts";
import { fc } from "../property.ts";

describe("harmless", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a window title", "\u001b]0;title\u0007text", "text"],
    ["a link", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a lone escape", "\u001bZ", "\ufffdZ"],
    ["carriage returns that overwrite", "safe\revil", "safe\ufffdevil"],
    ["line ends of Windows", "a\r\nb", "a\nb"],
    ["8-bit controls", "\u009b31m", "\ufffd31m"],
    ["text that runs backwards", "\u202egpj", "\ufffdgpj"],
  ])("takes out %s", (_, text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it("leaves no control character but tab and newline", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(harmless(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe("cut", () => {
  it("counts columns, not characters", () => {
    expect(widthOf("日本語 ok")).toBe(9);
    expect(widthOf("e\u0301")).toBe(1);
    // Forms of half the width, a jamo that joins its syllable, a joiner.
    expect(["ｱｲｳ", "\u1112\u1161", "￥", "🎉", "a\u2060b"].map(widthOf)).toEqual([3, 2, 2, 2, 2]);
    expect(cut("日本語テスト", 7)).toBe("日本語…");
    expect(padded("日本", 6)).toBe("日本  ");
  });

  it("gives one line that fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const line = cut(text, width);
        expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(line).not.toContain("\n");
      }),
    );
  });
});

it.each([
  [5, "just now"],
  [59, "59 s ago"],
  [120, "2 min ago"],
  [7_200, "2 h ago"],
  [3 * 86_400, "3 d ago"],
  [21 * 86_400, "3 w ago"],
  [800 * 86_400, "2 y ago"],
  [-100, "just now"],
])("%s seconds ago is %j", (seconds, words) => {
  const now = Date.parse("2026-06-01T00:00:00Z");
  expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(words);
});

it("an unknown time is nothing", () => {
  expect(ago("yesterday-ish")).toBe("");
});

it("sizes and paths are short", () => {
  expect([0, 999, 1500, 2_500_000, 3e9].map(bytes)).toEqual(["0 B", "999 B", "2 kB", "2.5 MB", "3.0 GB"]);
  expect(shortPath("/home/me/app", "/home/me")).toBe("~/app");
  expect(shortPath("/home/me", "/home/me")).toBe("~");
  expect(shortPath("/home/meadow", "/home/me")).toBe("/home/meadow");
});

it("a command can be copied into a shell", () => {
  expect(shellWord("it's")).toBe("'it'\\''s'");
  expect(shellLine({ argv: ["agent", "--resume", "a b"], cwd: "/my app", env: { HOME: "/x y" } })).toBe(
    "cd '/my app' && HOME='/x y' agent --resume 'a b'",
  );
});
