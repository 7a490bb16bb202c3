// The keys of the person at the terminal while a run goes on: every key at once, and what is pasted as one. Nothing that
// was typed before something was asked answers it; it is kept for the next prompt.
import { emitKeypressEvents, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import { codeOf } from "../../storage/disk.ts";

/** A key, or what was pasted. */
export type Stroke = { type: "key"; text?: string; key: Key } | { type: "paste"; text: string };

export interface Listener {
  /** What came at once: more than one stroke was not pressed by a finger. */
  onStrokes(strokes: readonly Stroke[]): void;
  /** Ctrl-C. */
  onInterrupt(): void;
}

export interface Keyboard {
  hold(): void;
  release(): void;
  /** The strokes go to this one alone from now on, until it stops listening. */
  listen(listener: Listener): () => void;
  /** Nothing was typed for a moment: what comes now was typed by somebody who has seen what is on the screen. */
  quiet(signal: AbortSignal): Promise<void>;
  /** What follows without a pause is meant for nobody, such as the rest of a word whose first letter was an answer. */
  settle(): void;
  /** What was typed while nobody listened; only once. */
  takeKept(): Stroke[];
}

export interface KeyboardOptions {
  input: NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown };
  output: NodeJS.WritableStream;
  /** Ctrl-C while nobody listens. */
  onInterrupt(): void;
  /** The terminal is gone. */
  onEnd(): void;
  /** What is drawn is taken back before the shell has the terminal, and drawn again afterwards. */
  onSuspend(): void;
  onContinue(): void;
}

/** Nobody reads a question and answers it faster; somebody who types pauses less. */
const MOMENT_MS = 400;
/** A process that is told to stop does so before this. */
const STOPPING_MS = 50;

export function newKeyboard(options: KeyboardOptions): Keyboard {
  let kept: Stroke[] = [];
  let listener: Listener | undefined;
  /** Runs while nothing that is typed is meant for anybody. */
  let moment: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();
  const endMoment = () => {
    clearTimeout(moment);
    moment = undefined;
    for (const wake of waiting) wake();
  };
  const settle = () => {
    clearTimeout(moment);
    moment = setTimeout(endMoment, MOMENT_MS);
  };
  const keep = (strokes: readonly Stroke[]) => {
    if (moment && kept.length === 0) return;
    kept.push(...strokes.filter((one) => !isControl(one, "d")));
  };
  const onStrokes = (strokes: readonly Stroke[]) => {
    if (moment) settle();
    const rest = strokes.filter((one) => !isControl(one, "c") && !isControl(one, "z"));
    if (rest.length > 0) {
      if (listener) listener.onStrokes(rest);
      else keep(rest);
    }
    for (const one of strokes) {
      if (isControl(one, "c")) (listener ?? options).onInterrupt();
      if (isControl(one, "z")) suspend();
    }
  };
  const hand = newHand(options, newReader(onStrokes));
  const suspend = () => {
    options.onSuspend();
    hand.release();
    // The whole job, because a launcher may stand between the shell and us.
    process.kill(0, "SIGTSTP");
    // Here once more when the shell continues us, or at once where there is none that could.
    setTimeout(() => {
      hand.hold();
      options.onContinue();
    }, STOPPING_MS);
  };
  return {
    hold: hand.hold,
    release() {
      endMoment();
      hand.release();
    },
    settle,
    listen(one) {
      listener = one;
      return () => {
        if (listener === one) listener = undefined;
      };
    },
    quiet(signal) {
      settle();
      return new Promise((resolve) => {
        const done = () => {
          waiting.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener("abort", done, { once: true });
        if (signal.aborted) done();
      });
    },
    takeKept() {
      const taken = kept;
      kept = [];
      return taken;
    },
  };
}

export function isControl(stroke: Stroke, letter: string): boolean {
  return stroke.type === "key" && stroke.key.ctrl === true && stroke.key.name === letter;
}

/** Chunks of bytes as strokes. */
function newReader(onStrokes: (strokes: readonly Stroke[]) => void): (chunk: Buffer) => void {
  const decoder = new PassThrough();
  let strokes: Stroke[] = [];
  let pasted: string | undefined;
  let isInChunk = false;
  const flush = () => {
    const list = strokes;
    strokes = [];
    if (list.length > 0) onStrokes(list);
  };
  decoder.on("keypress", (text: string | undefined, key: Key) => {
    if (key.name === "paste-start") pasted = "";
    else if (key.name === "paste-end") {
      if (pasted !== undefined) strokes.push({ type: "paste", text: pasted });
      pasted = undefined;
    } else if (pasted !== undefined) pasted += text ?? "";
    else strokes.push({ type: "key", key, ...(text !== undefined && { text }) });
    // Escape alone is known as such only a while after its chunk.
    if (!isInChunk) flush();
  });
  emitKeypressEvents(decoder);
  return (chunk) => {
    // Where the end of a paste was lost, Ctrl-C gets the person out of it.
    if (chunk.length === 1 && chunk[0] === 3) pasted = undefined;
    isInChunk = true;
    decoder.emit("data", chunk);
    isInChunk = false;
    flush();
  };
}

const MARKS_PASTES = "\u001b[?2004h";
const MARKS_NOTHING = "\u001b[?2004l";

/** Takes the terminal and gives it back, each as often as one likes. */
function newHand({ input, output, onEnd }: KeyboardOptions, reader: (chunk: Buffer) => void) {
  let isHeld = false;
  const isDumb = process.env.TERM === "dumb";
  // Also when the process ends: what is written to a terminal is written at once.
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    input.off("data", reader);
    input.off("end", onEnd);
    process.off("exit", release);
    process.off("SIGCONT", again);
    input.pause();
    setRaw(false);
    if (!isDumb) output.write(MARKS_NOTHING);
  };
  const setRaw = (isRaw: boolean) => {
    try {
      input.setRawMode?.(isRaw);
    } catch (error) {
      // The terminal is gone, or another program's by now: it is as that one wants it.
      if (codeOf(error) !== "EIO") throw error;
    }
  };
  const hold = () => {
    if (isHeld) return;
    isHeld = true;
    setRaw(true);
    if (!isDumb) output.write(MARKS_PASTES);
    process.on("exit", release);
    process.on("SIGCONT", again);
    input.on("end", onEnd);
    input.on("data", reader).resume();
  };
  // Whoever stopped us: meanwhile the shell has used the terminal in its own way.
  const again = () => {
    release();
    hold();
  };
  return { hold, release };
}
