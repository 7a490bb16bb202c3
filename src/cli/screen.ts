// The whole terminal for a command that draws: the alternate screen, every key at once, and only what changed is sent,
// for slow lines. However the command ends, the terminal is given back as it was.
import { writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { decode, decodeRest, type Key } from "./keys.ts";

export interface Size {
  columns: number;
  rows: number;
}

export interface Screen {
  size(): Size;
  /** Shows these lines from the top; each fits the width. The cursor is hidden unless it has a place, from 0. */
  draw(lines: readonly string[], cursor?: { row: number; column: number }): void;
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

/** A process that is told to stop does so before this. */
const STOPPING_MS = 50;

export function openScreen(listener: Listener): Screen {
  const { stdin, stdout } = process;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  let drawn: readonly string[] | undefined;
  let isLent = false;
  let isClosed = false;
  const hand = newHand(newReader(listener.onKey));
  const onResize = () => {
    drawn = undefined;
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
    [process, "exit", hand.drop],
    [process, "SIGTSTP", suspend],
    [process, "SIGCONT", onContinue],
    [stdin, "end", listener.onEnd],
    [stdin, "error", listener.onEnd],
    [stdout, "resize", onResize],
  ]);
  hand.hold();
  return {
    size,
    draw(lines, cursor) {
      if (!hand.isHeld()) return;
      const next = lines.slice(0, size().rows);
      stdout.write(changes(drawn, next) + cursorText(cursor));
      drawn = next;
    },
    write(text) {
      stdout.write(text);
    },
    forget() {
      drawn = undefined;
    },
    async lend(work) {
      isLent = true;
      hand.release();
      try {
        return await work();
      } finally {
        isLent = false;
        drawn = undefined;
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

/**
 * Pasted text is marked as such. Without wrapping at the edge, a character that is wider than thought costs its own
 * line a column, not all the others a row.
 */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[H\u001b[J";
/** Cleared first, for terminals that have no other screen to go back to. */
const LEAVE = "\u001b[0m\u001b[H\u001b[J\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";

/** Takes the terminal and gives it back, each as often as one likes. */
function newHand(reader: (chunk: Buffer) => void) {
  const { stdin, stdout } = process;
  let isHeld = false;
  const giveBack = (write: (text: string) => void) => {
    if (!isHeld) return;
    isHeld = false;
    stdin.off("data", reader);
    stdin.pause();
    stdin.setRawMode(false);
    write(LEAVE);
  };
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
    /** After everything that was written before. */
    release: () => giveBack((text) => stdout.write(text)),
    /** At once, because the process is ending. */
    drop: () => {
      try {
        giveBack((text) => writeSync(stdout.fd, text));
      } catch (error) {
        // A terminal that was closed has nothing to be put back.
        if (!CLOSED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
    },
  };
}

const CLOSED = new Set(["EIO", "EPIPE", "EBADF", "EAGAIN"]);

function listening(pairs: readonly [NodeJS.EventEmitter, string, () => void][]): () => void {
  for (const [emitter, event, listener] of pairs) emitter.on(event, listener);
  return () => {
    for (const [emitter, event, listener] of pairs) emitter.off(event, listener);
  };
}

/** So long after Escape nothing more of a sequence comes, not even through a slow line. */
const SEQUENCE_MS = 100;

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

/**
 * Only lines that look different are written, each cleared first: behind a full one the cursor still stands on its last
 * column. As one update where the terminal knows what that is, so that nothing flickers.
 */
function changes(before: readonly string[] | undefined, after: readonly string[]): string {
  let text = "\u001b[?2026h\u001b[?25l\u001b[0m";
  if (!before) text += "\u001b[H\u001b[J";
  for (const [row, line] of after.entries())
    if (line !== (before ? before[row] : "")) text += `\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`;
  if (before && before.length > after.length) text += `\u001b[${after.length + 1};1H\u001b[J`;
  return text;
}

function cursorText(cursor: { row: number; column: number } | undefined): string {
  const place = cursor ? `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h` : "";
  return `${place}\u001b[?2026l`;
}
