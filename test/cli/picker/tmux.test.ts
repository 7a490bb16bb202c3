// The picker inside tmux, in a real terminal. Where tmux is not installed there is nothing to try it in.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, newPickerPlace, type PickerPlace } from "./place.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

let place: PickerPlace;
beforeEach(() => {
  place = newPickerPlace();
});
afterEach(() => {
  tmux("kill-server");
  place.remove();
});

/** A server of its own, which knows nobody's settings. */
const command = () => `tmux -f /dev/null -S ${join(place.root, "socket")}`;
const tmux = (words: string) =>
  spawnSync("/bin/sh", ["-c", `${command()} ${words}`], { env: place.env, encoding: "utf8" });

// Not every machine has it; the same screen is driven without it in picker.test.ts.
describe.skipIf(!hasTmux)("in tmux", () => {
  it("the list is drawn, filtered and resized, and the terminal is given back", async () => {
    const terminal = place.start(
      { columns: 90, rows: 26 },
      {},
      `${command()} new-session 'baton; echo ended with $?; sh'`,
    );
    await terminal.until("4 sessions");
    terminal.send("pri");
    await terminal.until(/▸ claude +Price rounding[\s\S]*● The price is in cents now/);
    terminal.resize(120, 30);
    await terminal.until(/1 of 4 │[\s\S]*│ First prompt/);
    terminal.send(KEY.interrupt);
    // What tmux shows now is the shell, on its own screen.
    const shell = await terminal.until("ended with 130");
    expect(shell.join("\n")).not.toContain("Price rounding");
    expect(tmux("display -p '#{alternate_on} #{cursor_flag} #{wrap_flag}'").stdout).toBe("0 1 1\n");
  });

  it("y puts the command into tmux's buffer and through it into the clipboard", async () => {
    const terminal = place.start({}, {}, `${command()} new-session baton`);
    await terminal.until("4 sessions");
    terminal.send(`${KEY.down}y`);
    await terminal.until("Copied: cd ");
    const line = `cd ${place.shop} && claude --resume 11111111-1111-4111-8111-111111111111`;
    expect(tmux("show-buffer").stdout.trimEnd()).toBe(line);
    expect(terminal.written()).toContain(Buffer.from(line).toString("base64"));
  });
});
