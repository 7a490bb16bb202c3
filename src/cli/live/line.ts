// A line that the person types, edited as readline does it. A pasted text with several lines stays one line here, with a
// mark for each end of a line, and is what was pasted once it is entered.
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { PassThrough } from "node:stream";
import { isControl, type Keyboard, type Stroke } from "./keyboard.ts";

export type LineEnd =
  | { type: "text"; text: string }
  /** Ctrl-C; what was typed until then is gone. */
  | { type: "interrupt"; wasEmpty: boolean }
  /** Ctrl-D, or nobody wants the line any more. */
  | { type: "end" };

/** Hidden at first. */
export interface Line {
  ended: Promise<LineEnd>;
  hide(): void;
  show(): void;
  close(): void;
}

export interface LineOptions {
  keyboard: Keyboard;
  output: NodeJS.WritableStream;
  prompt: string;
  /** Newest first; what is entered is added. Absent = what was typed before is not for this line. */
  history?: string[];
}

const MARK = "⏎";
/** A mark that was typed or pasted as such. */
const LITERAL = `${MARK}\ufe0e`;

export function openLine({ keyboard, output, prompt, history }: LineOptions): Line {
  const { promise: ended, resolve } = Promise.withResolvers<LineEnd>();
  let lines: Interface | undefined;
  let text = "";
  let unlisten: () => void = () => undefined;
  const leave = () => {
    unlisten();
    const left = lines;
    lines = undefined;
    left?.close();
  };
  const end = (how: LineEnd) => {
    leave();
    resolve(how);
  };
  const line: Line = {
    ended,
    hide() {
      if (!lines) return;
      text = lines.line;
      moveCursor(output, 0, -lines.getCursorPos().rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      leave();
    },
    show() {
      if (lines) return;
      const { length } = history ?? [];
      const shown = createInterface({
        // It is told the keys; what it would read never comes.
        input: new PassThrough(),
        output,
        terminal: true,
        prompt,
        history: [...(history ?? [])],
        historySize: history ? MOST_HISTORY : 0,
      });
      lines = shown;
      shown.on("history", (now) => history?.splice(0, length, ...now));
      shown.on("line", (entered) => end({ type: "text", text: asMeant(entered) }));
      shown.on("close", () => {
        if (lines !== shown) return;
        output.write("\n");
        end({ type: "end" });
      });
      unlisten = keyboard.listen({
        onStrokes: (strokes) => feed(shown, strokes, false),
        onInterrupt() {
          const wasEmpty = shown.line === "";
          output.write("\n");
          end({ type: "interrupt", wasEmpty });
        },
      });
      shown.prompt();
      if (text !== "") shown.write(text);
      if (history) feed(shown, keyboard.takeKept(), true);
    },
    close() {
      line.hide();
      end({ type: "end" });
    },
  };
  return line;
}

const MOST_HISTORY = 200;

/**
 * Enter ends the line only where it is the last key that was pressed: what comes at once is pasted by a terminal that
 * does not say so, and what was typed ahead is not sent before it was seen.
 */
function feed(lines: Interface, strokes: readonly Stroke[], isAhead: boolean): void {
  for (const [at, stroke] of strokes.entries()) {
    const isLast = at === strokes.length - 1;
    if (stroke.type === "paste") lines.write(asShown(stroke.text));
    else if (isControl(stroke, "d") && !isLast) continue;
    else if (!isEnter(stroke)) lines.write(asShown(stroke.text ?? ""), stroke.key);
    else if (isLast && !stroke.key.meta) {
      if (!isAhead) lines.write(null, ENTER);
    } else if (!(stroke.key.name === "return" && isLineFeed(strokes[at + 1]))) lines.write(MARK);
  }
}

const ENTER = { name: "return" };

function isEnter(stroke: Stroke): boolean {
  return stroke.type === "key" && (stroke.key.name === "return" || stroke.key.name === "enter");
}

function isLineFeed(stroke: Stroke | undefined): boolean {
  return stroke?.type === "key" && stroke.key.name === "enter";
}

function asShown(text: string): string {
  return text
    .replaceAll(MARK, LITERAL)
    .replace(/\r\n?|[\n\u2028\u2029]/g, MARK)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

function asMeant(line: string): string {
  return line.replace(/⏎(\ufe0e?)/g, (_, literal) => (literal === "" ? "\n" : MARK));
}
