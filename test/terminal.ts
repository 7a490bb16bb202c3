// A real terminal for tests: a program runs in a pty of a given size, keys are sent to it, and what it draws is
// followed by a terminal emulator, so that tests look at the screen a person would see.
import { type IPty, spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";

export interface TerminalOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  columns?: number;
  rows?: number;
}

export interface Terminal {
  readonly pid: number;
  /** The drawn rows, without the spaces at their ends. */
  screen(): string[];
  /** Every byte that the program wrote, as text. */
  written(): string;
  /** Whether the alternate screen is shown, which full-screen programs use. */
  isAlternate(): boolean;
  /** Whether the program hid the cursor and did not show it again. */
  isCursorHidden(): boolean;
  send(keys: string): void;
  resize(columns: number, rows: number): void;
  /**
   * Waits until the drawn screen holds this and returns the screen's rows. Fails, and shows the screen, when the program
   * ends without it or when it takes too long.
   */
  until(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string[]>;
  /** The exit status, or 128 and the signal's number. */
  ended: Promise<number>;
  /** Ends the program if it is still there. */
  close(): Promise<void>;
}

const LONGEST_WAIT_MS = 50_000;

export function openTerminal(
  program: string,
  argv: readonly string[],
  { cwd, env, columns = 80, rows = 24 }: TerminalOptions,
): Terminal {
  const view = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  const pty = spawn(program, [...argv], {
    name: env.TERM ?? "xterm-256color",
    cols: columns,
    rows,
    cwd,
    env: env as Record<string, string>,
  });
  const drawn = new Set<() => void>();
  let written = "";
  let isOver = false;
  pty.onData((data) => {
    written += data;
    view.write(data, () => {
      for (const look of drawn) look();
    });
  });
  // What a terminal answers when it is asked, for its size or the cursor's place.
  view.onData((answer) => pty.write(answer));
  const ended = ending(pty).then(
    (status) =>
      // The last bytes are drawn before anybody is told.
      new Promise<number>((resolve) =>
        view.write("", () => {
          isOver = true;
          for (const look of drawn) look();
          resolve(status);
        }),
      ),
  );
  const screen = () => rowsOf(view);
  return {
    pid: pty.pid,
    screen,
    written: () => written,
    isAlternate: () => view.buffer.active.type === "alternate",
    isCursorHidden: () => written.lastIndexOf("\u001b[?25l") > written.lastIndexOf("\u001b[?25h"),
    send: (keys) => pty.write(keys),
    resize(newColumns, newRows) {
      view.resize(newColumns, newRows);
      pty.resize(newColumns, newRows);
    },
    until: (wanted) => waited(wanted, screen, drawn, () => isOver),
    ended,
    async close() {
      if (!isOver) pty.kill("SIGKILL");
      await ended;
      view.dispose();
    },
  };
}

function ending(pty: IPty): Promise<number> {
  return new Promise((resolve) =>
    pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
  );
}

function rowsOf(view: headless.Terminal): string[] {
  const { active } = view.buffer;
  return Array.from(
    { length: view.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
  );
}

function waited(
  wanted: string | RegExp | ((screen: string) => boolean),
  screen: () => string[],
  drawn: Set<() => void>,
  isOver: () => boolean,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      drawn.delete(look);
      clearTimeout(timer);
      finish();
    };
    const failure = (why: string) => new Error(`${why}: ${String(wanted)}\n${screen().join("\n")}`);
    const look = () => {
      const rows = screen();
      if (isThere(wanted, rows.join("\n"))) end(() => resolve(rows));
      else if (isOver()) end(() => reject(failure("The program ended and the screen never showed")));
    };
    const timer = setTimeout(
      () => end(() => reject(failure("The screen did not show in time"))),
      LONGEST_WAIT_MS,
    );
    drawn.add(look);
    look();
  });
}

function isThere(wanted: string | RegExp | ((screen: string) => boolean), screen: string): boolean {
  if (typeof wanted === "string") return screen.includes(wanted);
  return typeof wanted === "function" ? wanted(screen) : wanted.test(screen);
}
