// Every argument of a call is there to be read, whole, and told apart from the others.
import pc from "picocolors";
import { expect, it } from "vitest";
import { detailLines, detailsOf } from "../../../src/cli/live/details.ts";

const lines = (input: Record<string, unknown>, width = 60) =>
  detailLines(detailsOf(input), width, pc.createColors(false)).map((line) => line.slice(4));

const PATCH = `*** Begin Patch
*** Add File: /p/a
+new
*** Update File: /p/c
*** Move to: /p/d
@@
-old
+new
 same
*** Delete File: /p/b
*** End Patch`;
const AS_TEXT = PATCH.split("\n").map(
  (line, at, all) => `${at > 0 ? "  " : ""}${line}${at < all.length - 1 ? "⏎" : ""}`,
);
const CHANGES = [
  { kind: "add", file_path: "/p/a", content: "new\n" },
  { kind: "move", file_path: "/p/c", to: "/p/d", diff: "@@\n-old\n+new\n same" },
  { kind: "delete", file_path: "/p/b" },
];

it.each([
  ["a command", { command: "make\nrm x", timeout: 5 }, ["make⏎", "  rm x", "timeout: 5"]],
  ["a new file", { file_path: "/p/a", content: "one" }, ["/p/a", "+ one"]],
  ["an empty file", { file_path: "/p/a", content: "" }, ["/p/a", "+ "]],
  [
    "an edit",
    { file_path: "/p/a", old_string: "one\ntwo\n", new_string: "1\n\n2\n", replace_all: true },
    ["/p/a", "replace_all: true", "− one", "− two", "+ 1", "+ ", "+ 2"],
  ],
  [
    "several edits",
    {
      file_path: "/p/a",
      edits: [
        { old_string: "a", new_string: "b" },
        { old_string: "c", new_string: "", replace_all: true },
      ],
    },
    ["/p/a", "edit 1 of 2", "− a", "+ b", "edit 2 of 2", "replace_all: true", "− c", "+ "],
  ],
  [
    "a patch, once",
    { file_path: "/p/a", patch: PATCH, changes: CHANGES },
    [
      "/p/a",
      "file 1 of 3",
      "add /p/a",
      "+ new",
      "file 2 of 3",
      "move /p/c → /p/d",
      "@@",
      "− old",
      "+ new",
      " same",
      "file 3 of 3",
      "delete /p/b",
    ],
  ],
  [
    "a patch that says more than the files beside it",
    { changes: CHANGES.slice(2), patch: PATCH },
    ["file 1 of 1", "delete /p/b", ...AS_TEXT],
  ],
  ["a patch beside no files", { changes: [], patch: "*** Delete" }, ["files: []", "*** Delete"]],
  ["a patch beside what is no file", { changes: [1], patch: PATCH }, ["file 1 of 1", "1", ...AS_TEXT]],
  ["no edits", { edits: [] }, ["edits: []"]],
  ["a patch as text", { patch: "*** Begin\n*** End" }, ["*** Begin⏎", "  *** End"]],
  ["a tool of its own", { far: true, deep: { a: [1] } }, ["far: true", 'deep: {"a":[1]}']],
  ["nonsense", { edits: "x", changes: [null, "y"] }, ["edits: x", "file 1 of 2", "null", "file 2 of 2", "y"]],
] as const)("%s", (_, input, expected) => {
  expect(lines(input)).toEqual(expected);
});

it("what is broken looks neither like an argument of its own nor like a line of its own", () => {
  const command = "echo one two three # four five six\ncwd: /safe seven eight nine ten";
  expect(lines({ command, cwd: "/p" }, 26)).toEqual([
    "echo one two three #",
    "  four five six⏎",
    "  cwd: /safe seven",
    "  eight nine ten",
    "cwd: /p",
  ]);
});

it("long lines are broken, never cut, and wide characters take two columns", () => {
  const long = lines({ command: `${"echo x ".repeat(30)}; touch TAIL` }, 40);
  expect(long.at(-1)).toContain("touch TAIL");
  expect(Math.max(...long.map((line) => line.length))).toBeLessThanOrEqual(36);
  const wide = lines({ content: "日本語".repeat(20) }, 26);
  expect(wide.join("").replaceAll("+ ", "")).toBe("日本語".repeat(20));
  expect(Math.max(...wide.map((line) => line.length))).toBe(12);
});
