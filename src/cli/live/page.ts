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
  /** Something else is about to be written to stderr, as whole lines. */
  breakOff(): void;
  /** What goes on from now on. */
  working(what: string): void;
  /** Nothing goes on: somebody else may write. */
  rest(): Promise<void>;
}

const REDRAW_MS = 250;

export function newPage(face: Face): Page {
  return new LivePage(face);
}

class LivePage implements Page {
  private readonly face: Face;
  /** What the line that is not ended is part of. */
  private open: "reply" | { thought: string } | undefined;
  /** Nothing but the reply was written since its last piece. */
  private isGoingOn = false;
  private drawn = "";
  private doing = "";
  private since = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(face: Face) {
    this.face = face;
  }

  async say(text: string): Promise<void> {
    if (this.open !== "reply") await this.endLine();
    this.clear();
    await this.face.say(text);
    this.open = text.endsWith("\n") ? undefined : "reply";
    this.isGoingOn = true;
  }

  async paragraph(): Promise<void> {
    const isApart = !this.isGoingOn;
    await this.endLine();
    if (!isApart) await this.face.say("\n");
  }

  async think(thought: string, text: string, indent = ""): Promise<void> {
    const { face, open } = this;
    if (face.isQuiet || text === "") return;
    const goesOn = typeof open === "object" && open.thought === thought;
    if (!goesOn) await this.endLine();
    this.clear();
    this.isGoingOn = false;
    face.note(face.colors.dim(goesOn ? text : `${indent}${text}`));
    this.open = text.endsWith("\n") ? undefined : { thought };
  }

  async line(text: string): Promise<void> {
    await this.endLine();
    this.isGoingOn = false;
    // Meanwhile something else may have begun.
    this.clear();
    if (!this.face.isQuiet) this.face.note(`${text}\n`);
    this.draw();
  }

  breakOff(): void {
    this.clear();
    // Elsewhere the reply is not in its way.
    if (!this.open || (this.open === "reply" && !this.face.isTerminal)) return;
    this.face.note("\n");
    this.open = undefined;
    this.isGoingOn = false;
  }

  working(what: string): void {
    if (what !== this.doing) this.since = Date.now();
    this.doing = what;
    this.timer ??= setInterval(() => this.draw(), REDRAW_MS).unref();
    this.draw();
  }

  async rest(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    this.doing = "";
    await this.endLine();
  }

  private clear(): void {
    if (this.drawn !== "") this.face.note(erased(this.drawn, this.face.width()));
    this.drawn = "";
  }

  private draw(): void {
    const { face, doing } = this;
    if (!face.isTerminal || face.isQuiet || doing === "" || this.open) return;
    const time = duration(Math.round((Date.now() - this.since) / 1000) * 1000);
    this.clear();
    this.drawn = `${cut(doing, face.width() - 12)} ${time}`;
    face.note(face.colors.dim(this.drawn));
  }

  private async endLine(): Promise<void> {
    this.clear();
    const { open } = this;
    this.open = undefined;
    if (open === "reply") await this.face.say("\n");
    else if (open) this.face.note("\n");
  }
}

/** Takes a text back behind which the cursor stands. A window that has become narrower has broken it into several rows. */
export function erased(text: string, width: number): string {
  const rows = Math.ceil(widthOf(text) / Math.max(1, width)) - 1;
  return `\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`;
}
