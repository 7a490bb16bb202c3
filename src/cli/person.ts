// Apart from screen.ts, which most commands do not need.

/** Whether there is a person who sees the screen and has the keys. */
export function hasScreen(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== "dumb";
}
