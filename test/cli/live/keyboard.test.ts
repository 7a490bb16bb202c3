// The keys of a terminal: pastes as one stroke, what was typed too early, and whom keys go to.
import { EventEmitter } from "node:events";
import { type PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Keyboard, newKeyboard, type Stroke } from "../../../src/cli/live/keyboard.ts";

let keyboard: Keyboard;
let type: (keys: string) => void;
let seen: string[];
let isRaw: boolean;
/** What the terminal says to whoever changes it. */
let broken: NodeJS.ErrnoException | undefined;
const said: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  seen = [];
  said.length = 0;
  const input = Object.assign(new EventEmitter(), {
    setRawMode(isOn: boolean) {
      if (broken) throw broken;
      isRaw = isOn;
    },
    resume: () => input,
    pause: () => input,
  });
  type = (keys) => input.emit("data", Buffer.from(keys));
  const output = new Writable({
    write(chunk, _, done) {
      said.push(String(chunk));
      done();
    },
  });
  keyboard = newKeyboard({
    input: input as unknown as PassThrough,
    output,
    onInterrupt: () => seen.push("interrupt"),
    onEnd: () => seen.push("end"),
    onSuspend: () => seen.push("suspend"),
    onContinue: () => seen.push("continue"),
  });
  keyboard.hold();
});
afterEach(() => {
  keyboard.release();
  vi.useRealTimers();
});

const words = (strokes: readonly Stroke[]) =>
  strokes.map((one) => (one.type === "paste" ? `[${one.text}]` : (one.text ?? one.key.name))).join(" ");

function listen() {
  return keyboard.listen({
    onStrokes: (strokes) => seen.push(words(strokes)),
    onInterrupt: () => seen.push("own interrupt"),
  });
}

it("a paste is one stroke, in however many pieces it comes, and what comes at once is told at once", () => {
  listen();
  type("\u001b[200~one\ntw");
  type("o\u001b[20");
  type("1~");
  type("yes");
  type("\u001b[A");
  expect(seen).toEqual(["[one\ntwo]", "y e s", "up"]);
});

it("what nobody listens to is kept once, but for Ctrl-D, and Ctrl-C is never kept", () => {
  type("a");
  type("b\u0004\u0003");
  expect(seen).toEqual(["interrupt"]);
  expect(words(keyboard.takeKept())).toBe("a b");
  expect(keyboard.takeKept()).toEqual([]);
  const stop = listen();
  type("c\u0003");
  stop();
  type("d");
  expect(seen).toEqual(["interrupt", "c", "own interrupt"]);
  expect(words(keyboard.takeKept())).toBe("d");
});

it("a terminal that is gone is let go, and no other fault of it is hidden", () => {
  try {
    broken = Object.assign(new Error("setRawMode EIO"), { code: "EIO" });
    keyboard.release();
    keyboard.hold();
    broken = Object.assign(new Error("setRawMode EBADF"), { code: "EBADF" });
    expect(() => keyboard.release()).toThrow("EBADF");
  } finally {
    broken = undefined;
  }
});

it("Ctrl-C gets out of a paste that has no end", () => {
  listen();
  type("\u001b[200~lost");
  type("\u0003");
  type("x");
  expect(seen).toEqual(["own interrupt", "x"]);
});

it("it is quiet once nothing was typed for a moment, and what came before is meant for nobody", async () => {
  let isQuiet = false;
  const quiet = keyboard.quiet(new AbortController().signal).then(() => {
    isQuiet = true;
  });
  for (const key of "yes") {
    await vi.advanceTimersByTimeAsync(350);
    type(key);
  }
  await vi.advanceTimersByTimeAsync(350);
  expect(isQuiet).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  await quiet;
  expect(keyboard.takeKept()).toEqual([]);
  type("n");
  expect(words(keyboard.takeKept())).toBe("n");
});

it("what goes on from what was typed before is kept with it", async () => {
  type("fix the te");
  const quiet = keyboard.quiet(new AbortController().signal);
  type("st");
  await vi.advanceTimersByTimeAsync(500);
  await quiet;
  expect(words(keyboard.takeKept())).toBe("f i x   t h e   t e s t");
});

it("nobody waits for quiet any longer than he wants to", async () => {
  const over = new AbortController();
  const quiet = keyboard.quiet(over.signal);
  over.abort();
  await quiet;
  expect(over.signal.aborted).toBe(true);
});

it("the terminal is raw and marks pastes only while it is held", () => {
  expect({ isRaw, said }).toEqual({ isRaw: true, said: ["\u001b[?2004h"] });
  keyboard.hold();
  keyboard.release();
  keyboard.release();
  expect({ isRaw, said }).toEqual({ isRaw: false, said: ["\u001b[?2004h", "\u001b[?2004l"] });
  type("a");
  expect(keyboard.takeKept()).toEqual([]);
});

it("Ctrl-Z gives the terminal back, stops the job, and takes the terminal again", async () => {
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  try {
    type("\u001a");
    expect({ seen, isRaw, killed: kill.mock.calls }).toEqual({
      seen: ["suspend"],
      isRaw: false,
      killed: [[0, "SIGTSTP"]],
    });
    await vi.advanceTimersByTimeAsync(100);
    expect({ seen, isRaw }).toEqual({ seen: ["suspend", "continue"], isRaw: true });
  } finally {
    kill.mockRestore();
  }
});
