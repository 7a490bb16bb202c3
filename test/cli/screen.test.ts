// A command that has the whole terminal gives it back as it was, however it ends.
import { readFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openTerminal, type Terminal } from "../terminal.ts";

const CHILD = fileURLToPath(new URL("screen-child.ts", import.meta.url));

let terminal: Terminal;
beforeEach(async () => {
  const script = `printf 'before\\n'; "${process.execPath}" "${CHILD}"; printf 'ended:%s\\n' $?; stty -a; read line; fg`;
  terminal = openTerminal("/bin/bash", ["-mc", script], {
    cwd: tmpdir(),
    env: { PATH: "/usr/bin:/bin", HOME: tmpdir() },
  });
  await terminal.until("start");
});
afterEach(() => terminal.close());

/** What a shell's user sees again, and types into. */
async function afterwards(status: number) {
  const rows = await terminal.until(new RegExp(`^ended:${status}$[\\s\\S]*icanon`, "m"));
  const typed = / icanon[\s\S]* echo /.test(rows.join("\n"));
  return {
    saw: rows.includes("before"),
    typed,
    screens: [terminal.isAlternate(), terminal.isCursorHidden()],
  };
}

const AS_BEFORE = { saw: true, typed: true, screens: [false, false] };

it("draws on the alternate screen and names keys", async () => {
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([true, true]);
  terminal.send("a\u001b[A\u001b[5~\r");
  expect((await terminal.until("enter"))[1]).toBe("start a up pageup enter");
  terminal.send("é\u001b");
  expect((await terminal.until("escape"))[1]).toBe("up pageup enter é escape");
  terminal.resize(100, 30);
  expect((await terminal.until("resize"))[0]).toBe("100x30");
  terminal.send("q");
  await terminal.until("after");
  expect(await afterwards(0)).toEqual(AS_BEFORE);
});

it("an error ends it in order", async () => {
  terminal.send("x");
  expect(await afterwards(1)).toEqual(AS_BEFORE);
  expect(terminal.written()).toMatch(/\u001b\[\?1049l[\s\S]*it broke/);
});

it("Ctrl-C ends it in order", async () => {
  terminal.send("\u0003");
  expect(await afterwards(130)).toEqual(AS_BEFORE);
});

it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s ends it in order", async (signal) => {
  process.kill(childOf(terminal.pid), signal);
  expect(await afterwards(128 + constants.signals[signal])).toEqual(AS_BEFORE);
});

it("it can be put aside and gone on with", async () => {
  terminal.send("\u001a");
  expect(await afterwards(148)).toEqual(AS_BEFORE);
  terminal.send("\r");
  await terminal.until("start resize");
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([true, true]);
  terminal.send("q");
  await terminal.until("after");
});

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}
