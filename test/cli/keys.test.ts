// Bytes of a terminal as keys, however they are cut into pieces.

import { describe, expect, it } from "vitest";
import { decode, decodeRest, type Key } from "../../src/cli/keys.ts";
import { fc } from "../property.ts";

const named = (name: string) => ({ type: "named", name });
const text = (character: string) => ({ type: "text", text: character });

it.each([
  ["a", [text("a")]],
  ["日é🎉", [text("日"), text("é"), text("🎉")]],
  ["\r", [named("enter")]],
  ["\u007f\b", [named("backspace"), named("backspace")]],
  ["\u001b[A\u001bOA\u001b[1;5A", [named("up"), named("up"), named("up")]],
  ["\u001b[B\u000e\u0010", [named("down"), named("down"), named("up")]],
  ["\u001b[5~\u001b[6~", [named("page_up"), named("page_down")]],
  [
    "\u001b[H\u001b[F\u001b[1~\u001b[4~\u001bOH\u001bOF",
    ["home", "end", "home", "end", "home", "end"].map(named),
  ],
  ["\u0003\u001a\u000c", [named("interrupt"), named("suspend"), named("redraw")]],
  ["\u001bc", [{ type: "alt", letter: "c" }]],
  ["\u001b\u001b[A", [named("escape"), named("up")]],
])("%j", (input, keys) => {
  expect(decode(input)).toEqual({ keys, rest: "" });
});

it.each([
  ["an unknown key", "\u001b[24~"],
  ["a function key of the Linux console", "\u001b[[A"],
  ["an answer about the terminal", "\u001b[?62;22c"],
  ["an answer about its colours", "\u001b]11;rgb:0000/0000/0000\u001b\\"],
  ["a key with Alt that is no letter", "\u001bé"],
  ["a stray control character", "\u0001"],
])("%s is nothing", (_, input) => {
  expect(decode(`${input}x`)).toEqual({ keys: [text("x")], rest: "" });
});

describe("pasted text", () => {
  it("is one key, and its line ends are no Enter", () => {
    expect(decode("\u001b[200~fix\r\nthe \u001b[31mbug\u001b[201~c")).toEqual({
      keys: [{ type: "paste", text: "fix the bug" }, text("c")],
      rest: "",
    });
  });

  it("is waited for", () => {
    expect(decode("\u001b[200~fix")).toEqual({ keys: [], rest: "\u001b[200~fix" });
  });
});

it("Escape alone is known when nothing follows", () => {
  expect(decode("a\u001b")).toEqual({ keys: [text("a")], rest: "\u001b" });
  expect(decodeRest("\u001b")).toEqual([named("escape")]);
  expect(decodeRest("\u001b[1;")).toEqual([]);
});

const PIECES = [
  "a",
  "é",
  "\r",
  "\u001b[A",
  "\u001b[1;5B",
  "\u001bOH",
  "\u001b[5~",
  "\u001bc",
  "\u001b[200~x y\u001b[201~",
];

it("it does not matter where the input is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES)), fc.array(fc.nat(60)), (pieces, cuts) => {
      const input = pieces.join("");
      const keys: Key[] = [];
      let rest = "";
      let at = 0;
      for (const end of [...cuts.toSorted((a, b) => a - b), input.length]) {
        const decoded = decode(rest + input.slice(at, end));
        keys.push(...decoded.keys);
        rest = decoded.rest;
        at = Math.max(at, end);
      }
      expect(keys).toEqual(decode(input).keys);
      expect(rest).toBe("");
    }),
  );
});
