// Whatever an agent was given and our words leave out is found.
import { describe, expect, it } from "vitest";
import { isShown } from "../../../src/cli/live/left-out.ts";

const PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";

describe("nothing is left out", () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ["under other names", { filePath: "/a", oldString: "x" }, { file_path: "/a", old_string: "x" }],
    ["of a switch in other letters", { replaceAll: true }, { replace_all: true }],
    [
      "of a list",
      { edits: [{ old: "a" }, { old: "b" }] },
      { edits: [{ old_string: "a" }, { old_string: "b" }] },
    ],
    ["where nothing is given", { a: null, replaceAll: false, run_in_background: false }, {}],
    ["of an empty list", { a: [], b: {} }, { b: {}, a: [] }],
    ["of a patch that is told by its files", PATCH, { file_path: "a", content: "x\n" }],
    ["of one beside others", { cmd: "ls" }, { command: "ls", description: "Lists" }],
  ])("%s", (_, native, shown) => {
    expect(isShown(native, shown)).toBe(true);
  });
});

describe("something is left out", () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ["another command", { command: "ls", cmd: "rm" }, { command: "ls" }],
    ["a second path", { path: "/a", file_path: "/b", note: "/b" }, { file_path: "/a", note: "/b" }],
    [
      "the other direction",
      { source: "/a", destination: "/b" },
      { file_path: "/b", changes: [{ file_path: "/b", to: "/a" }] },
    ],
    ["names alone", { "/etc": {}, "/home": [] }, { file_path: "/tmp/a" }],
    ["names of nothing", { delete: { "/etc": {}, "/home": null } }, { file_path: "/tmp/a" }],
    ["another meaning", { exec: "/etc/motd" }, { file_path: "/etc/motd" }],
    [
      "switches that change places",
      { x: { on: true }, y: { on: false } },
      { x: { on: false }, y: { on: true } },
    ],
    [
      "edits that change places",
      { edits: [{ old: "a", new: "b" }] },
      { edits: [{ old_string: "b", new_string: "a" }] },
    ],
    [
      "where else a patch is made",
      PATCH.replace("\n", "\n*** Environment ID: x\n"),
      { file_path: "a", content: "x\n" },
    ],
    ["a switch of another name", { sandbox: false }, { replace_all: false }],
    ["a number", { timeout: 5 }, {}],
    ["something deep", { a: { b: [{ c: "rm" }] } }, { a: { b: [] } }],
    ["a bare text", "rm", { command: "ls" }],
    ["a word of several", { command: ["/tmp/bash", "-c", "ls"] }, { command: "ls" }],
    ["a patch of another file", PATCH, { file_path: "b", content: "x\n" }],
    ["a patch beside more files", `${PATCH}`, { changes: [] }],
  ])("%s", (_, native, shown) => {
    expect(isShown(native, shown)).toBe(false);
  });
});
