// The whole terminal for a command that draws: the alternate screen, keys one by one, and only what changed is sent,
// for slow lines. However the command ends, the terminal is as it was before.
import { writeSync } from "node:fs";
import { emitKeypressEvents, type Key as Keypress } from "node:readline";
import { onInterrupt } from "./interrupt.ts";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Shows these lines from the top; each fits the width and holds nothing but text and colours. */
  draw(lines: readonly string[]): void;
  /** The next key: a character, or the name of one that is none, such as "up"; "resize" when the size changed. */
  key(): Promise<string>;
  /** Something that happened elsewhere and is told as if it were a key. */
  post(event: string): void;
}

export async function onScreen<T>(work: (screen: Screen) => Promise<T>): Promise<T> {
  const { stdin, stdout } = process;
  const waiting = newQueue();
  let drawn: readonly string[] = [];
  const again = () => {
    drawn = [];
    waiting.add("resize");
  };
  const suspend = () => {
    leave();
    process.once("SIGCONT", () => {
      enter();
      again();
    });
    process.kill(process.pid, "SIGTSTP");
  };
  const onKey = (text: string | undefined, key: Keypress) => {
    if (key.ctrl && key.name === "c") onInterrupt("SIGINT");
    else if (key.ctrl && key.name === "z") suspend();
    else waiting.add(nameOf(text, key));
  };
  emitKeypressEvents(stdin);
  stdin.on("keypress", onKey);
  stdout.on("resize", again);
  process.on("exit", leave);
  enter();
  try {
    return await work({
      get columns() {
        return stdout.columns || 80;
      },
      get rows() {
        return stdout.rows || 24;
      },
      draw(lines) {
        stdout.write(changes(drawn, lines));
        drawn = [...lines];
      },
      key: waiting.next,
      post: waiting.add,
    });
  } finally {
    leave();
    process.off("exit", leave);
    stdout.off("resize", again);
    stdin.off("keypress", onKey);
    stdin.pause();
  }
}

/** Without wrapping: a character that is wider than thought costs its own line a column, not all the others a row. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[H\u001b[J";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

let isEntered = false;

function enter(): void {
  isEntered = true;
  process.stdin.setRawMode(true);
  process.stdin.resume();
  process.stdout.write(ENTER);
}

/** At once, because the process may be ending. */
function leave(): void {
  if (!isEntered) return;
  isEntered = false;
  try {
    process.stdin.setRawMode(false);
    writeSync(process.stdout.fd, LEAVE);
  } catch (error) {
    // A terminal that was closed has nothing to be put back.
    if (!["EIO", "EPIPE", "EBADF", "EAGAIN"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
  }
}

/**
 * A row is cleared before it is written: behind a full one the cursor still stands on its last column. As one update where the terminal knows what that is, so that nothing flickers.
 */
function changes(before: readonly string[], after: readonly string[]): string {
  const rows = after.flatMap((line, row) =>
    line === before[row] ? [] : [`\u001b[${row + 1};1H\u001b[0m\u001b[2K${line}\u001b[0m`],
  );
  if (before.length === 0) rows.unshift("\u001b[H\u001b[J");
  else if (before.length > after.length) rows.push(`\u001b[${after.length + 1};1H\u001b[J`);
  return rows.length === 0 ? "" : `\u001b[?2026h${rows.join("")}\u001b[?2026l`;
}

function nameOf(text: string | undefined, { name, ctrl, meta, sequence }: Keypress): string {
  if (ctrl && name !== undefined) return `ctrl-${name}`;
  if (name !== undefined && NAMED.has(name)) return name === "return" ? "enter" : name;
  return meta ? "" : (text ?? sequence ?? "");
}

const NAMED = new Set(
  "up down left right home end pageup pagedown return enter escape backspace delete tab".split(" "),
);

/** Keys that were pressed before anybody asked for them are kept. */
function newQueue(): { add(key: string): void; next(): Promise<string> } {
  const keys: string[] = [];
  let taker: ((key: string) => void) | undefined;
  return {
    add(key) {
      if (key === "") return;
      if (!taker) keys.push(key);
      else taker(key);
      taker = undefined;
    },
    next: () =>
      new Promise((resolve) => {
        const key = keys.shift();
        if (key === undefined) taker = resolve;
        else resolve(key);
      }),
  };
}
