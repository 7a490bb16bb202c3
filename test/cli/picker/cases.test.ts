// Sessions and places that are not as usual, in the picker in a real terminal.
import { cpSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { files, run } from "../transcript.ts";
import { addSession, KEY, moveProject, newPickerPlace, type PickerPlace } from "./place.ts";

let place: PickerPlace;
beforeEach(() => {
  place = newPickerPlace();
});
afterEach(() => place.remove());

it("--redact hides secrets in the list, in the preview and in the view", async () => {
  const secret = `ghp_${"0123456789abcdefghijABCDEFGHIJ012345"}`;
  addSession(place, `Use ${secret} to push`);
  const terminal = place.start({}, { PAGER: "cat" }, "baton --redact");
  await terminal.until(/▸ claude[\s\S]*❯ Use /);
  terminal.send("v");
  await terminal.until("Enter goes back to the list.");
  expect(terminal.written()).toContain("to push");
  expect(terminal.written()).not.toContain(secret);
});

it("Enter on a session that its agent does not find any more asks before it writes a new one", async () => {
  const tree = new URL("../../adapters/opencode/fixtures/tree/native", import.meta.url);
  const store = join(place.home, ".local/share/opencode");
  cpSync(tree, store, { recursive: true });
  for (const path of files(store)) moveProject(path, "/home/dev/project", place.shop);
  const terminal = place.start();
  await terminal.until("sessions");
  terminal.send("opencode");
  await terminal.until(/▸ opencode/);
  terminal.send(KEY.enter);
  await terminal.until(/^Continue in a new session/);
  expect(terminal.screen().join("\n")).toMatch(/This would carry .* into OpenCode\./);
  terminal.send(KEY.escape);
  await terminal.until("Nothing was written.");
  expect(run(place, "baton operations --json").stdout).toBe('{\n  "operations": []\n}\n');
});

it("a home that is not there is an error, and the screen is never taken", async () => {
  const terminal = place.start({}, {}, "baton --home no-such-folder");
  expect(await terminal.ended).toBe(3);
  expect(terminal.screen()[0]).toMatch(/^error: There is no folder /);
  expect(terminal.written()).not.toContain("\u001b[?1049h");
});

it("a catalog that cannot be kept does not keep anybody from choosing", async () => {
  rmSync(join(place.home, ".baton"), { recursive: true, force: true });
  writeFileSync(join(place.home, ".baton"), "");
  const terminal = place.start();
  const screen = await terminal.until(/4 sessions[\s\S]*cannot be written to/);
  expect(screen[0]).toMatch(/4 sessions$/);
});

it("what its file says of a session that cannot be read stands in the preview", async () => {
  const terminal = place.start({ columns: 120, rows: 30 });
  await terminal.until("4 sessions");
  terminal.send("/colours");
  expect(await terminal.until(/│ ! line \d+: /)).toHaveLength(30);
});

it("what is said of commands finds the home that was named", async () => {
  rmSync(place.shop, { recursive: true });
  const home = join(place.root, "another home");
  renameSync(place.home, home);
  const terminal = place.start({ columns: 150 }, {}, `baton --home '${home}'`);
  await terminal.until("4 sessions");
  terminal.send(KEY.enter);
  await terminal.until(`In a shell: baton --home '${home}' resume et8pwv8nnh56 --cwd DIR`);
  terminal.send(KEY.escape);
  await terminal.until("4 sessions");
  terminal.send("f1");
  await terminal.until("y write and start");
  terminal.send("w");
  const written = await terminal.until(/`\s+takes\s+it\s+back/);
  expect(written.join(" ")).toContain(`\`baton --home '${home}' undo `);
});

it("keys pressed ahead wait, and never answer what was not seen yet", async () => {
  const terminal = place.start();
  await terminal.until("4 sessions");
  terminal.send(`${KEY.down}c1`);
  await terminal.until("y write and start");
  terminal.send("n");
  await terminal.until("Nothing was written.");
  terminal.send("c1y");
  await terminal.until(/Keys that were pressed before this was shown do not count\.\ny write and start/);
  expect(run(place, "baton operations --json").stdout).toBe('{\n  "operations": []\n}\n');
});

it("what is pasted filters, all of it, and is never taken for commands", async () => {
  const terminal = place.start();
  await terminal.until("4 sessions");
  terminal.send("\u001b[200~cents?\u001b[201~");
  await terminal.until("❯ cents?");
  terminal.send("\u0015\u001b[200~price\nrounding\u001b[201~");
  const screen = await terminal.until("❯ price rounding");
  expect(screen[0]).toMatch(/1 of 4$/);
});

it("Ctrl-D goes back, and quits where nothing is typed", async () => {
  const terminal = place.start();
  await terminal.until("4 sessions");
  terminal.send("?");
  await terminal.until("Ctrl-C Ctrl-D  quit");
  terminal.send(KEY.eof);
  await terminal.until("4 sessions");
  terminal.send(`pric${KEY.eof}`);
  await terminal.until("1 of 4");
  terminal.send(`\u0015${KEY.eof}`);
  expect(await terminal.ended).toBe(0);
});

it("with --json there is no picker, on a terminal neither", async () => {
  const terminal = place.start({}, {}, "baton --json");
  expect(await terminal.ended).toBe(0);
  expect(terminal.written()).toContain("Usage: baton");
});

it("a dumb terminal gets help", async () => {
  const terminal = place.start({}, { TERM: "dumb" });
  expect(await terminal.ended).toBe(0);
  expect(terminal.written()).toContain("Usage: baton");
});

it("without colours nothing is coloured, and the selection is still seen", async () => {
  const terminal = place.start({}, { NO_COLOR: "1" });
  const screen = await terminal.until("● There is one file");
  expect(screen[2]).toMatch(/^▸ codex/);
  expect(terminal.written().replaceAll("\u001b[0m", "")).not.toMatch(/\u001b\[\d+m/);
});
