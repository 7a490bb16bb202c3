// Where a run is shown: the reply on stdout, notes on stderr, and on a terminal a line at the bottom that says what
// goes on, which is taken back before anything else is written.
import type { Colors } from "../output.ts";
import { cut, duration, widthOf } from "../text.ts";

export interface Face {
  /** To stdout; whoever waits for it takes no more events meanwhile. */
  say(text: string): Promise<void>;
  /** To stderr. */
  note(text: string): void;
  /** For stderr: the reply has none. */
  colors: Colors;
  width(): number;
  /** Whether both are the same terminal, so that a line can be drawn and taken back. */
  isTerminal: boolean;
  isQuiet: boolean;
}

export interface Page {
  /** A piece of the reply. */
  say(text: string): Promise<void>;
  /** What is said next has nothing to do with what was said last. */
  paragraph(): Promise<void>;
  /** A piece of a thought, beside the reply; those of one thought go on where it was left. */
  think(thought: string, text: string, indent?: string): Promise<void>;
  /** A line of its own. */
  line(text: string): Promise<void>;
  /** What goes on from now on. */
  working(what: string): void;
  /** Nothing goes on: somebody else may write. */
  rest(): Promise<void>;
}

const REDRAW_MS = 250;

export function newPage(face: Face): Page {
  /** What the line that is not ended is part of. */
  let open: "reply" | { thought: string } | undefined;
  /** Nothing but the reply was written since its last piece. */
  let isGoingOn = false;
  let drawn = "";
  let doing = "";
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    if (drawn !== "") face.note(erased(drawn, face.width()));
    drawn = "";
  };
  const draw = () => {
    if (!face.isTerminal || face.isQuiet || doing === "" || open) return;
    const time = duration(Math.round((Date.now() - since) / 1000) * 1000);
    clear();
    drawn = `${cut(doing, face.width() - 12)} ${time}`;
    face.note(face.colors.dim(drawn));
  };
  const endLine = async () => {
    clear();
    if (open === "reply") await face.say("\n");
    else if (open) face.note("\n");
    open = undefined;
  };
  return {
    async say(text) {
      if (open !== "reply") await endLine();
      clear();
      await face.say(text);
      open = text.endsWith("\n") ? undefined : "reply";
      isGoingOn = true;
    },
    async paragraph() {
      const isApart = !isGoingOn;
      await endLine();
      if (!isApart) await face.say("\n");
    },
    async think(thought, text, indent = "") {
      if (face.isQuiet || text === "") return;
      const goesOn = typeof open === "object" && open.thought === thought;
      if (!goesOn) await endLine();
      clear();
      isGoingOn = false;
      face.note(face.colors.dim(goesOn ? text : `${indent}${text}`));
      open = text.endsWith("\n") ? undefined : { thought };
    },
    async line(text) {
      await endLine();
      isGoingOn = false;
      // Meanwhile something else may have begun.
      clear();
      if (!face.isQuiet) face.note(`${text}\n`);
      draw();
    },
    working(what) {
      if (what !== doing) since = Date.now();
      doing = what;
      timer ??= setInterval(draw, REDRAW_MS).unref();
      draw();
    },
    async rest() {
      clearInterval(timer);
      timer = undefined;
      doing = "";
      await endLine();
    },
  };
}

/** Takes a text back behind which the cursor stands. A window that has become narrower has broken it into several rows. */
export function erased(text: string, width: number): string {
  const rows = Math.ceil(widthOf(text) / Math.max(1, width)) - 1;
  return `\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`;
}
