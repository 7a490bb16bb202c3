// The terminal in the picker's hands: full screen, every key at once. Whatever happens, it is given back as it was.
import { StringDecoder } from "node:string_decoder";
import type { Screen } from "./cells.ts";
import { decode, decodeRest, type Key } from "./keys.ts";
import type { Size } from "./layout.ts";

/** Alternate screen, no cursor, no wrapping at the edge, pasted text marked as such. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J";
const LEAVE = "\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";
/** So long after Escape nothing more of a sequence comes, not even through a slow line. */
const SEQUENCE_MS = 100;
/** A process that is told to stop does so before this. */
const STOPPING_MS = 50;

export interface Terminal {
  size(): Size;
  draw(screen: Screen): void;
  /** To the terminal itself, such as a sequence for the clipboard. */
  write(text: string): void;
  /** Draws everything anew next time, because something else may have been drawn over it. */
  forget(): void;
  /** Gives the terminal back while somebody else has it. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Stops until the shell continues us. */
  suspend(): void;
  close(): void;
}

export interface Listener {
  onKey(key: Key): void;
  onResize(): void;
  /** The terminal is gone. */
  onEnd(): void;
}

export function openTerminal(listener: Listener): Terminal {
  const { stdin, stdout } = process;
  let drawn: string[] = [];
  let isLent = false;
  let isClosed = false;
  const hand = newHand(newReader(listener.onKey));
  const onResize = () => {
    drawn = [];
    listener.onResize();
  };
  const suspend = () => {
    hand.release();
    process.off("SIGTSTP", suspend);
    // The whole job, because a launcher may stand between the shell and us.
    process.kill(0, "SIGTSTP");
    // Without a shell that could continue us, the signal is not obeyed.
    setTimeout(() => hand.isHeld() || onContinue(), STOPPING_MS);
  };
  // Whoever stopped us: meanwhile the shell has used the terminal in its own way.
  const onContinue = () => {
    if (isClosed) return;
    if (!process.listeners("SIGTSTP").includes(suspend)) process.on("SIGTSTP", suspend);
    if (isLent) return;
    hand.release();
    hand.hold();
    onResize();
  };
  const unlisten = listening([
    [process, "exit", hand.release],
    [process, "SIGTSTP", suspend],
    [process, "SIGCONT", onContinue],
    [stdin, "end", listener.onEnd],
    [stdin, "error", listener.onEnd],
    [stdout, "resize", onResize],
  ]);
  hand.hold();
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw(screen) {
      if (!hand.isHeld()) return;
      const next = screen.lines.map(lineText);
      stdout.write(changes(drawn, next, stdout.rows || 24) + cursorText(screen));
      drawn = next;
    },
    write(text) {
      stdout.write(text);
    },
    forget() {
      drawn = [];
    },
    async lend(work) {
      isLent = true;
      hand.release();
      try {
        return await work();
      } finally {
        isLent = false;
        drawn = [];
        hand.hold();
      }
    },
    suspend,
    close() {
      isClosed = true;
      hand.release();
      unlisten();
    },
  };
}

/** Takes the terminal and gives it back, each as often as one likes. */
function newHand(reader: (chunk: Buffer) => void) {
  const { stdin, stdout } = process;
  let isHeld = false;
  return {
    isHeld: () => isHeld,
    hold() {
      if (isHeld) return;
      isHeld = true;
      stdin.setRawMode(true);
      stdin.on("data", reader);
      stdin.resume();
      stdout.write(ENTER);
    },
    release() {
      if (!isHeld) return;
      isHeld = false;
      stdin.off("data", reader);
      stdin.pause();
      stdin.setRawMode(false);
      stdout.write(LEAVE);
    },
  };
}

function listening(pairs: readonly [NodeJS.EventEmitter, string, () => void][]): () => void {
  for (const [emitter, event, listener] of pairs) emitter.on(event, listener);
  return () => {
    for (const [emitter, event, listener] of pairs) emitter.off(event, listener);
  };
}

function newReader(onKey: (key: Key) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let timer: NodeJS.Timeout | undefined;
  return (chunk) => {
    clearTimeout(timer);
    const decoded = decode(rest + decoder.write(chunk));
    rest = decoded.rest;
    for (const key of decoded.keys) onKey(key);
    if (rest === "") return;
    timer = setTimeout(() => {
      const keys = decodeRest(rest);
      rest = "";
      for (const key of keys) onKey(key);
    }, SEQUENCE_MS);
  };
}

function lineText(line: Screen["lines"][number]): string {
  return line.map(({ at, text }) => `\u001b[${at + 1}G${text}`).join("");
}

/** Only lines that look different are written. */
function changes(before: readonly string[], after: readonly string[], rows: number): string {
  // One update, where the terminal knows what that is, so that nothing flickers.
  let text = "\u001b[?2026h\u001b[?25l";
  for (let row = 0; row < Math.min(rows, Math.max(before.length, after.length)); row++) {
    const line = after[row] ?? "";
    if (line !== before[row]) text += `\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`;
  }
  return text;
}

function cursorText({ cursor }: Screen): string {
  const place = cursor ? `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h` : "";
  return `${place}\u001b[?2026l`;
}
