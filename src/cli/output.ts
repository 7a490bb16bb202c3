// Everything the command line prints: one JSON document or text on stdout, messages and progress on stderr.
import pc from "picocolors";
import type { BatonError } from "../session/error.ts";
import { escapedControls } from "../session/escapes.ts";
import { inHome } from "./in-home.ts";
import { progressLine } from "./progress.ts";
import { shareable } from "./redaction.ts";
import { harmless } from "./text.ts";

export type Colors = ReturnType<typeof pc.createColors>;

export interface OutputOptions {
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
  /** The home that was named, which the commands in hints have to name too. */
  home?: string;
}

export interface Output {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly isQuiet: boolean;
  /** Columns of the terminal, or a width that suits a file. */
  readonly width: number;
  readonly isTerminal: boolean;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly noteColors: Colors;
  /** To stdout, as fast as the reader takes it. */
  write(text: string | Uint8Array): Promise<void>;
  /** A piece of a file format: as it is, except that no control character in it reaches a terminal. */
  document(piece: string | Uint8Array): Promise<void>;
  /** The one document of --json. */
  json(value: unknown): Promise<void>;
  /** As it is, on stderr: for those who draw there. Its texts come from text.ts. */
  note(text: string): void;
  /** For people, on stderr. */
  message(text: string): void;
  warn(text: string): void;
  /** Only with --verbose. */
  detail(text: string): void;
  /** What is drawn on the terminal from now on: people are told things above it. */
  drawn(one: Drawn | undefined): void;
  error(error: BatonError): Promise<void>;
  /** Shows how far work has come, on a terminal and only if it takes a while. */
  progress(doing: string): Progress;
}

/** Drawn below everything else; taken back while something is written. */
export interface Drawn {
  hide(): void;
  show(): void;
}

export interface Progress {
  /** `shown`: how amounts are written; then the rate and the time left are told as well. */
  at(done: number, total: number, shown?: (amount: number) => string): void;
  end(): void;
}

const WIDTH_OF_FILES = 120;
const PROGRESS_AFTER_MS = 1000;
const PROGRESS_EVERY_MS = 100;

export function newOutput(options: OutputOptions): Output {
  const { stdout, stderr } = process;
  const isJson = options.json ?? false;
  const colors = pc.createColors(hasColors(stdout, options));
  const noteColors = pc.createColors(hasColors(stderr, options));
  let drawn: Drawn | undefined;
  const say = (text: string) => {
    if (options.quiet) return;
    drawn?.hide();
    stderr.write(`${text}\n`);
    drawn?.show();
  };
  const told = (text: string) => harmless(inHome(options.home, text));
  const write = (text: string | Uint8Array) => drained(stdout, text);
  const decoder = new TextDecoder();
  const document = (piece: string | Uint8Array) => {
    if (stdout.isTTY !== true) return write(piece);
    return write(
      escapedControls(typeof piece === "string" ? piece : decoder.decode(piece, { stream: true })),
    );
  };
  return {
    isJson,
    isVerbose: options.verbose ?? false,
    isQuiet: options.quiet ?? false,
    width: stdout.columns || Number(process.env.COLUMNS) || WIDTH_OF_FILES,
    isTerminal: stdout.isTTY === true,
    colors,
    noteColors,
    write: (text) => write(typeof text === "string" ? shareable(text) : text),
    document,
    json: (value) => document(`${JSON.stringify(shareable(value), null, 2)}\n`),
    note: (text) => {
      stderr.write(text);
    },
    message: (text) => say(told(text)),
    warn: (text) => say(`${noteColors.yellow("warning:")} ${told(text)}`),
    detail(text) {
      if (options.verbose) say(noteColors.dim(told(text)));
    },
    drawn(one) {
      drawn = one;
    },
    async error({ code, message, hint: own }) {
      const hint = inHome(options.home, own);
      const tell = () =>
        stderr.write(
          `${noteColors.red("error:")} ${harmless(message)}\n${hint === "" ? "" : `${harmless(hint)}\n`}`,
        );
      if (!isJson) tell();
      // What cannot be written to stdout, such as that it cannot be written to, is still told.
      else
        await document(`${JSON.stringify(shareable({ error: { code, message, hint } }), null, 2)}\n`).catch(
          tell,
        );
    },
    progress: (doing) => (stderr.isTTY && !options.quiet ? newProgress(doing) : NO_PROGRESS),
  };
}

function hasColors(stream: NodeJS.WriteStream, options: OutputOptions): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (options.color === false || NO_COLOR) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && TERM !== "dumb";
}

let leave: () => void = () => process.exit(0);
let isUnread = false;

/** Whoever read our output has seen enough, which is no failure. */
export function endOfReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" || isUnread) return;
  isUnread = true;
  leave();
}

/** For a command that has something to end in order once nobody reads what it prints. */
export function onEndOfReader(work: () => void): void {
  leave = work;
}

function drained(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) endOfReader(error);
      if (error && !isUnread) reject(error);
      else resolve();
    });
  });
}

const NO_PROGRESS: Progress = { at: () => undefined, end: () => undefined };

function newProgress(doing: string): Progress {
  const { stderr } = process;
  const started = Date.now();
  let shownAt = 0;
  return {
    at(done, total, shown) {
      const now = Date.now();
      if (now - started < PROGRESS_AFTER_MS || now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      // The last column stays free: a terminal may go to the next line once it is written to.
      const width = (stderr.columns || 80) - 1;
      const line = shown
        ? progressLine(doing, { done, total, ms: now - started }, shown, width)
        : `${doing} ${done} of ${total}`;
      stderr.write(`\r\x1b[K${line.slice(0, width)}`);
    },
    end() {
      if (shownAt > 0) stderr.write("\r\x1b[K");
      shownAt = 0;
    },
  };
}
