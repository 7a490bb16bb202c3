// Lines of what a process prints, however it comes.
import { expect, it } from "vitest";
import { newLineSplitter } from "../../src/run/lines.ts";

function linesOf(chunks: readonly (string | Buffer)[], longest?: number): string[] {
  const lines: string[] = [];
  const splitter = newLineSplitter((line) => lines.push(line), longest);
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

it.each([
  [["one\ntwo\n"], ["one", "two"]],
  [
    ["on", "e\nt", "wo"],
    ["one", "two"],
  ],
  [["one\r\ntwo\r\n"], ["one", "two"]],
  [
    ["one\r", "\ntwo"],
    ["one", "two"],
  ],
  [["\n \n\r\none\n\n"], ["one"]],
  [[Buffer.from("ü\n").subarray(0, 1), Buffer.from("ü\n").subarray(1)], ["ü"]],
])("%j are %j", (chunks, expected) => {
  expect(linesOf(chunks)).toEqual(expected);
});

it("keeps the beginning of a line that is too long, and all of the next", () => {
  expect(linesOf(["aaaa", "bbbb", "cccc", "dd\nnext\n"], 8)).toEqual(["aaaabbbbdd", "next"]);
});
