// A line as it is typed, pasted, put aside and entered.
import { Writable } from "node:stream";
import { expect, it } from "vitest";
import type { Keyboard, Listener, Stroke } from "../../../src/cli/live/keyboard.ts";
import { openLine } from "../../../src/cli/live/line.ts";

const key = (text: string, name = text, more: object = {}): Stroke => ({
  type: "key",
  text,
  key: { name, ...more },
});
const typed = (text: string): Stroke[] => [...text].map((letter) => key(letter));
const paste = (text: string): Stroke => ({ type: "paste", text });
const ENTER = key("\r", "return");
const LINE_FEED = key("\n", "enter");
const EOF = key("\u0004", "d", { ctrl: true });

function open(kept: Stroke[] = [], history?: string[]) {
  let listener: Listener | undefined;
  let drawn = "";
  const keyboard: Keyboard = {
    hold: () => undefined,
    release: () => undefined,
    listen(one) {
      listener = one;
      return () => {
        listener = undefined;
      };
    },
    quiet: async () => undefined,
    settle: () => undefined,
    takeKept: () => kept.splice(0),
  };
  const output = new Writable({
    write(chunk, _, done) {
      drawn += String(chunk);
      done();
    },
  });
  const line = openLine({ keyboard, output, prompt: "> ", ...(history && { history }) });
  return {
    line,
    drawn: () => drawn,
    isListening: () => listener !== undefined,
    press: (...strokes: Stroke[]) => listener?.onStrokes(strokes),
    interrupt: () => listener?.onInterrupt(),
  };
}

async function entered(...chunks: Stroke[][]) {
  const { line, press } = open();
  line.show();
  for (const chunk of chunks) press(...chunk);
  return line.ended;
}

it.each([
  ["one", [typed("one"), [ENTER]], "one"],
  ["what comes at once", [[...typed("one"), ENTER]], "one"],
  [
    "a paste",
    [[paste("one\r\ntwo\rthree\nfour\u2028five\tsix")], [ENTER]],
    "one\ntwo\nthree\nfour\nfive\tsix",
  ],
  ["a paste without marks", [[...typed("a"), ENTER, ...typed("b"), ENTER, LINE_FEED]], "a\nb"],
  ["lines that end as on Windows", [[...typed("a"), ENTER, LINE_FEED, ...typed("b")], [ENTER]], "a\nb"],
  ["a mark that was meant", [[paste("⏎ and\n⏎")], typed("⏎"), [ENTER]], "⏎ and\n⏎⏎"],
  ["Alt-Enter", [typed("a"), [key("\r", "return", { meta: true })], typed("b"), [ENTER]], "a\nb"],
  ["control characters", [[paste("a\u0000\u0007\u009bb")], [ENTER]], "ab"],
] as const)("%s", async (_, chunks, text) => {
  expect(await entered(...(chunks as unknown as Stroke[][]))).toEqual({ type: "text", text });
});

it("Ctrl-D ends an empty line, and none that has something in it", async () => {
  expect(await entered([EOF])).toEqual({ type: "end" });
  expect(await entered(typed("a"), [EOF], [ENTER])).toEqual({ type: "text", text: "a" });
});

it("Ctrl-C says whether there was anything", async () => {
  for (const text of ["", "half"]) {
    const { line, press, interrupt } = open();
    line.show();
    press(...typed(text));
    interrupt();
    expect(await line.ended).toEqual({ type: "interrupt", wasEmpty: text === "" });
  }
});

it("put aside, it takes no keys and leaves nothing behind, and is there again afterwards", async () => {
  const { line, press, isListening, drawn } = open();
  expect({ drawn: drawn(), is: isListening() }).toEqual({ drawn: "", is: false });
  line.show();
  line.show();
  press(...typed("half"));
  line.hide();
  line.hide();
  expect({ end: drawn().endsWith("\u001b[1G\u001b[0J"), is: isListening() }).toEqual({
    end: true,
    is: false,
  });
  line.show();
  press(...typed(" way"), ENTER);
  expect(await line.ended).toEqual({ type: "text", text: "half way" });
  expect(isListening()).toBe(false);
});

it("what was typed ahead is there, and not entered", async () => {
  const { line, press } = open([...typed("ahead"), ENTER], []);
  line.show();
  press(ENTER);
  expect(await line.ended).toEqual({ type: "text", text: "ahead" });
});

it("a line that has no history takes nothing that was typed ahead", async () => {
  const { line, press } = open([...typed("ahead")]);
  line.show();
  press(...typed("own"), ENTER);
  expect(await line.ended).toEqual({ type: "text", text: "own" });
});

it("what was entered comes back with Up, in the next line", async () => {
  const history: string[] = [];
  for (const text of ["one", "two"]) {
    const { line, press } = open([], history);
    line.show();
    press(...typed(text), ENTER);
    await line.ended;
  }
  const { line, press } = open([], history);
  line.show();
  const up = key("\u001b[A", "up");
  press(up);
  press(up);
  press(ENTER);
  expect(await line.ended).toEqual({ type: "text", text: "one" });
});

it("a hundred thousand characters take no time", async () => {
  const text = `${"x".repeat(99)}\n`.repeat(1000);
  const end = await entered([paste(text)], [ENTER]);
  expect(end).toEqual({ type: "text", text });
});
