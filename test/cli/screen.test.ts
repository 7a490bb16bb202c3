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
  expect((await terminal.until("enter"))[1]).toBe("start a up page_up enter");
  terminal.send("é\u001b");
  expect((await terminal.until("escape"))[1]).toBe("up page_up enter é escape");
  terminal.send("\u001b[200~two\nlines\u001b[201~\u0004");
  expect((await terminal.until("eof"))[1]).toBe("enter é escape <two lines> eof");
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

it("a crash is told where it can be read", async () => {
  terminal.send("c");
  const rows = await terminal.until(/^ended:1$/m);
  expect(rows.join("\n")).toContain("Error: it crashed");
  expect(await afterwards(1)).toEqual(AS_BEFORE);
});

it("a terminal that is lent is as it was, and taken again afterwards", async () => {
  terminal.send("l");
  const rows = await terminal.until("lent");
  expect(rows).toContain("before");
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
  terminal.send("typed\r");
  await terminal.until("start back");
  expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([true, true]);
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
