// The terminal that other tests drive programs in does what a real one does.
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { openTerminal, type Terminal } from "./terminal.ts";

let terminal: Terminal;
afterEach(() => terminal.close());

const shell = (script: string, size: { columns?: number; rows?: number } = {}) =>
  openTerminal("/bin/sh", ["-c", script], { cwd: tmpdir(), env: { PATH: "/usr/bin:/bin" }, ...size });

it("draws what a program writes, where the cursor is", async () => {
  terminal = shell("printf '\\033[2;5Hhere \\033[31mred\\033[0m'; read line");
  const rows = await terminal.until("red");
  expect(rows[1]).toBe("    here red");
  expect(rows).toHaveLength(24);
});

it("sends keys, and knows how a program ended", async () => {
  terminal = shell("printf 'name? '; read name; echo hello $name; exit 3");
  await terminal.until("name?");
  terminal.send("you\r");
  await terminal.until("hello you");
  expect(await terminal.ended).toBe(3);
});

it("has a size, which can change", async () => {
  terminal = shell("trap 'stty size' WINCH; stty size; while :; do read line; done", {
    columns: 40,
    rows: 10,
  });
  await terminal.until("10 40");
  terminal.resize(100, 30);
  // A shell may only look at its traps when a command has ended.
  terminal.send("\r");
  await terminal.until("30 100");
  terminal.send("\u0003");
  expect(await terminal.ended).toBe(130);
});

it("tells the alternate screen and a hidden cursor from the usual ones", async () => {
  terminal = shell(
    "printf '\\033[?1049h\\033[?25lfull'; read line; printf '\\033[?1049l\\033[?25hback'; read line",
  );
  await terminal.until("full");
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([true, true]);
  terminal.send("\r");
  await terminal.until("back");
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
});

it("a screen that never comes is an error which shows the last one", async () => {
  terminal = shell("echo something else");
  await expect(terminal.until("what is wanted")).rejects.toThrow(
    /never showed: what is wanted\nsomething else/,
  );
});
