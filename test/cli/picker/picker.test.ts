// The picker in a real terminal: what is on the screen, and what each key really does.
import { readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { files, run } from "../transcript.ts";
import { addSession, KEY, newPickerPlace, type PickerPlace } from "./place.ts";

let place: PickerPlace;
beforeEach(() => {
  place = newPickerPlace();
});
afterEach(() => place.remove());

const rowsWith = (screen: readonly string[], text: string) => screen.filter((row) => row.includes(text));
const selected = (screen: readonly string[]) => screen.find((row) => row.startsWith("▸")) ?? "";

describe("the list", () => {
  it("shows every session, newest first, and the preview of the selected one", async () => {
    const terminal = place.start();
    const screen = await terminal.until("● There is one file: price.ts.");
    expect(screen[0]).toMatch(/4 sessions$/);
    expect(screen[1]).toMatch(/^ {2}agent +title +project +msgs +age$/);
    expect(screen.slice(2, 6).map((row) => row.slice(2, 38).trim())).toEqual([
      "codex   List the files",
      "claude  Price rounding",
      "claude  ! Write a post about colours",
      "claude  Untitled conversation",
    ]);
    expect(selected(screen)).toMatch(/codex .*3 +2 h$/);
    expect(screen.at(-1)).toContain("enter resume  c continue in…  f fork  v view  y copy  / filter");
    expect(terminal.isAlternate()).toBe(true);
  });

  it("narrows as one types, marks what matched, and Escape first clears and then quits", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send("price cl");
    const screen = await terminal.until(/^❯ price cl .* 1 of 4$/m);
    expect(selected(screen)).toContain("Price rounding");
    expect(rowsWith(screen, "List the files")).toEqual([]);
    expect(terminal.written()).toContain("\u001b[1m\u001b[33mPrice\u001b[39m\u001b[22m");
    terminal.send(KEY.escape);
    expect(selected(await terminal.until("4 sessions"))).toContain("Price rounding");
    terminal.send(KEY.escape);
    expect(await terminal.ended).toBe(0);
    expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
  });

  it("letters are commands in the list and text in the filter; Tab changes between them", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send("/cvyf");
    await terminal.until("No session has these words");
    terminal.send("\u0015/home");
    await terminal.until("2 of 4");
    terminal.send(KEY.tab);
    await terminal.until("esc clear  ? keys");
    terminal.send("?");
    await terminal.until("resume in its own agent");
    terminal.send(KEY.escape);
    expect((await terminal.until("❯ /home"))[0]).toMatch(/2 of 4$/);
  });

  it("the arrows, Home and End move, and the preview follows", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(KEY.down);
    await terminal.until("The price is in cents now");
    terminal.send(KEY.end);
    await terminal.until((screen) => selected(screen.split("\n")).includes("Untitled conversation"));
    terminal.send("\u0010");
    await terminal.until((screen) => selected(screen.split("\n")).includes("Write a post"));
    terminal.send(KEY.home);
    expect(await terminal.until("● There is one file")).toContain("List the files");
  });

  it("without sessions it says so and what to do", async () => {
    rmSync(place.home, { recursive: true });
    const terminal = place.start();
    await terminal.until("There are no sessions yet. `baton doctor` shows which stores were looked at.");
    terminal.send(KEY.enter);
    expect((await terminal.until("No session is selected."))[0]).toMatch(/0 sessions$/);
  });

  it("is not there without a terminal", () => {
    const help = run(place, "baton --help").stdout;
    expect(help).toContain("Usage: baton");
    for (const bare of ["baton", `baton --home ${place.home}`, "baton --no-color --quiet"])
      expect(run(place, bare)).toEqual({ stdout: help, stderr: "", status: 0 });
    expect(JSON.parse(run(place, "baton --json").stdout)).toEqual({ help });
    expect(run(place, "baton --version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run(place, "baton --no-such-option").status).toBe(2);
  });
});

describe("resuming", () => {
  it("starts the agent where the session belongs and ends as the agent ends", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`pric${KEY.enter}`);
    expect(await terminal.ended).toBe(7);
    const called = `claude --resume 11111111-1111-4111-8111-111111111111 in ${place.shop}`;
    expect(terminal.screen().join("")).toContain(called);
    expect(terminal.isAlternate()).toBe(false);
  });

  it("an agent that is not installed is a message, and the list comes back", async () => {
    rmSync(join(place.root, "agents/claude"));
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(KEY.down + KEY.enter);
    await terminal.until("Claude Code is not installed, or not in PATH.");
    terminal.send(KEY.escape);
    await terminal.until("4 sessions");
    terminal.send(KEY.escape);
    expect(await terminal.ended).toBe(0);
  });

  it("a folder that is gone is a message too", async () => {
    rmSync(place.shop, { recursive: true });
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(KEY.enter);
    const screen = await terminal.until("--cwd DIR goes on in another one.");
    expect(screen[0]).toBe("That did not work");
    expect(screen).toContain("In a shell: baton resume et8pwv8nnh56 --cwd DIR");
  });
});

const codexSessions = () => files(join(place.home, ".codex/sessions")).length;

describe("continuing in another agent", () => {
  it("says what would be lost before anything is written, and writes only after y", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}c`);
    await terminal.until(/▸ 1 Codex CLI +0\.166\.0\n[\s\S]*not installed/);
    terminal.send(KEY.enter);
    await terminal.until("Thinking is bound to the model that wrote it and was left out");
    expect(terminal.screen().join("\n")).toContain(
      "This would carry 1 user message, 2 replies, 3 tool calls",
    );
    expect(codexSessions()).toBe(1);
    terminal.send("n");
    await terminal.until("Nothing was written.");
    expect(codexSessions()).toBe(1);
    terminal.send("c");
    await terminal.until("▸ 1 Codex CLI");
    terminal.send("1");
    await terminal.until("y write and start");
    terminal.send("y");
    expect(await terminal.ended).toBe(7);
    expect(codexSessions()).toBe(2);
    expect(terminal.screen().join("")).toMatch(/codex resume \S+ in /);
  });

  it("the agents are there before they have answered", async () => {
    const answer = join(place.root, "answer");
    const waits = `#!/bin/sh\nuntil [ -s "${answer}" ]; do sleep 0.1; done\ncat "${answer}"\n`;
    writeFileSync(join(place.root, "agents/codex"), waits, { mode: 0o755 });
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}c`);
    expect((await terminal.until("▸ 1 Codex CLI")).join("\n")).not.toContain("9.8.7");
    writeFileSync(answer, "9.8.7\n");
    await terminal.until(/▸ 1 Codex CLI +9\.8\.7/);
  });

  it("an agent that is not installed cannot be chosen", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send("c");
    await terminal.until("not installed");
    terminal.send(KEY.end + KEY.enter);
    await terminal.until(/is not installed, or not in PATH\./);
    terminal.send(KEY.escape);
    expect(selected(await terminal.until("4 sessions"))).toContain("List the files");
  });
});

describe("forking", () => {
  it("asks where, and writes a session that ends at the chosen entry", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}f`);
    await terminal.until("At an entry");
    terminal.send(KEY.down + KEY.enter);
    await terminal.until(/▸ (\d )?● The price is in cents now/);
    terminal.send(KEY.down);
    await terminal.until(/▸ (\d )?● I will look at/);
    terminal.send(KEY.enter);
    await terminal.until("This would carry 1 user message, 2 replies, 1 tool call");
    terminal.send("w");
    const written = (await terminal.until("Written")).join(" ").replace(/\s+/g, " ");
    expect(written).toMatch(/Carried 1 user message, 2 replies.* `baton undo \w+` takes it back\./);
    expect(written).toContain("claude --resume ");
    terminal.send(KEY.escape);
    // The new one is above it.
    const screen = await terminal.until("5 sessions");
    expect(screen[3]).toContain("List the files");
    expect(selected(screen)).toBe(screen[4]);
    const projects = join(place.home, ".claude/projects");
    expect(readdirSync(projects).flatMap((name) => readdirSync(join(projects, name)))).toHaveLength(5);
  });
});

describe("viewing", () => {
  it("shows the transcript in the pager and comes back to the same session", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}v`);
    await terminal.until(/✓ Edit .*\n[\s\S]*\(END\)|✓ Edit .*\n[\s\S]*:/);
    terminal.send("q");
    expect(selected(await terminal.until("4 sessions"))).toContain("Price rounding");
  });

  it("waits after a pager that does not", async () => {
    const terminal = place.start({}, { PAGER: "cat" });
    await terminal.until("4 sessions");
    terminal.send("v");
    await terminal.until("Enter goes back to the list.");
    expect(terminal.isAlternate()).toBe(false);
    terminal.send(KEY.enter);
    await terminal.until("4 sessions");
    expect(terminal.isAlternate()).toBe(true);
  });
});

describe("copying", () => {
  it("puts the command into the clipboard by OSC 52 and prints it at the end", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}y`);
    await terminal.until("Copied: cd ");
    const command = `cd ${place.shop} && claude --resume 11111111-1111-4111-8111-111111111111`;
    const encoded = Buffer.from(command).toString("base64");
    expect(terminal.written()).toContain(`\u001b]52;c;${encoded}\u0007`);
    terminal.send(KEY.escape);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen().join("")).toContain(command);
  });

  it("says that the command will not work where the session's folder is gone", async () => {
    rmdirSync(place.shop);
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send("y");
    const said = (await terminal.until("In a shell: ")).join(" ").replace(/\s+/g, " ");
    expect(said).toContain(`Copied: cd ${place.shop} && codex resume`);
    expect(said).toContain(`The session's folder ${place.shop} is not here.`);
    expect(said).toMatch(/In a shell: baton resume \w+ --cwd DIR/);
  });
});

describe("sizes", () => {
  it("fits 40x10, and grows and shrinks with the terminal", async () => {
    const terminal = place.start({ columns: 40, rows: 10 });
    const small = await terminal.until("4 sessions");
    expect(selected(small)).toMatch(/^▸ codex +List the files +2 h$/);
    expect(small.at(-1)).toBe("enter resume  c continue in…  f fork");
    terminal.resize(170, 30);
    const wide = await terminal.until(
      (screen) => /│ First prompt/.test(screen) && /project +model/.test(screen),
    );
    expect(wide.at(-1)).toContain("esc quit");
    terminal.resize(20, 4);
    const tiny = await terminal.until((screen) => screen.split("\n").length === 4 && /^▸/m.test(screen));
    expect(tiny).toHaveLength(4);
  });
});

describe("sizes of a dialog", () => {
  it("a choice and a report are drawn anew, and go on where they were", async () => {
    const terminal = place.start({ columns: 60, rows: 15 });
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}f`);
    await terminal.until("At an entry");
    terminal.send(KEY.down);
    await terminal.until("▸ 2 At an entry");
    terminal.resize(40, 8);
    // The first row and the last one: the emulator itself moves what was drawn before.
    const framed = (first: string, last: string) => (screen: string) =>
      screen.startsWith(`${first}\n`) && screen.split("\n").at(-1) === last;
    const small = await terminal.until(framed("Fork “Price rounding”: where?", "enter choose  esc back"));
    expect(small[3]).toMatch(/^▸ 2 At an entry/);
    terminal.send("1");
    await terminal.until("y write and start");
    terminal.resize(100, 30);
    const keys = "y write and start  w write only  n back";
    expect(await terminal.until(framed("Fork: “Price rounding”", keys))).toHaveLength(30);
    terminal.send("n");
    expect(selected(await terminal.until("4 sessions"))).toContain("Price rounding");
  });
});

describe("the terminal", () => {
  it("is given back after Ctrl-C, with 130", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send("abc");
    await terminal.until("❯ abc");
    terminal.send(KEY.interrupt);
    expect(await terminal.ended).toBe(130);
    expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
    expect(terminal.written()).toMatch(/\u001b\[\?2004l\u001b\[\?7h\u001b\[\?25h\u001b\[\?1049l$/);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("is given back after %s", async (signal, status) => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    process.kill(terminal.pid, signal);
    expect(await terminal.ended).toBe(status);
    expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
  });

  it("is the shell's while it is suspended, and the picker's again afterwards", async () => {
    const terminal = place.start({}, {}, "bash --norc -i");
    terminal.send("PS1='ready> '\r");
    await terminal.until(/^ready>/m);
    terminal.send("baton\r");
    await terminal.until("4 sessions");
    terminal.send(KEY.down + KEY.suspend);
    await terminal.until(/Stopped[\s\S]*ready>/);
    expect([terminal.isAlternate(), terminal.isCursorHidden()]).toEqual([false, false]);
    terminal.send("stty -a | grep -o ' icanon'; fg\r");
    expect(selected(await terminal.until("4 sessions"))).toContain("Price rounding");
    terminal.send(KEY.escape);
    await terminal.until(/ icanon[\s\S]*ready>\s*$/);
  });

  it("stays the picker's where nobody could continue it", async () => {
    const terminal = place.start();
    await terminal.until("4 sessions");
    terminal.send(KEY.suspend);
    await terminal.until(() => terminal.written().split("\u001b[?1049h").length === 3);
    terminal.send(KEY.down);
    expect(selected(await terminal.until("The price is in cents now"))).toContain("Price rounding");
  });

  it("nothing in a title acts on it, and wide characters keep the columns straight", async () => {
    addSession(place, "ｱｲｳ日本語のタイトル 🎉 \u001b]0;owned\u0007\u001b[2J\u009b31mred\u0007");
    const terminal = place.start({ columns: 90, rows: 30 });
    const screen = await terminal.until("5 sessions");
    const [hostile] = rowsWith(screen, "日本語のタイトル");
    expect(hostile).toContain("🎉");
    expect(terminal.written()).not.toMatch(/\u001b\]|\u009b|\u0007/);
    expect(screen.map((row) => row.slice(-4)).slice(2, 5)).toEqual([" now", " 2 h", " 3 h"]);
  });
});
