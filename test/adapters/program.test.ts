// An agent's CLI in the search path: found without being started, and asked for its version once.
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Home } from "../../src/adapters/adapter.ts";
import { findProgram, programVersion } from "../../src/adapters/program.ts";

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-program-"));
  home = { dir: folder, env: { PATH: `${folder}:/usr/bin:/bin` } };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const calls = () => readFileSync(join(folder, "calls"), "utf8").length;
const install = (answer: string, seconds: number) => {
  const path = join(folder, "agent");
  writeFileSync(path, `#!/bin/sh\nprintf x >> "${folder}/calls"\necho '${answer}'\n`, { mode: 0o755 });
  utimesSync(path, seconds, seconds);
};
const version = async () => (await programVersion("agent", home, () => ({})))?.version;

it("is found without being started", async () => {
  writeFileSync(join(folder, "calls"), "");
  expect(await findProgram("agent", home)).toBeUndefined();
  install("agent 1.2.3", 1000);
  expect(await findProgram("agent", home)).toBe(join(folder, "agent"));
  expect(calls()).toBe(0);
});

it("is asked once, and anew when it was replaced", async () => {
  install("agent 1.2.3", 1000);
  expect(await Promise.all([version(), version()])).toEqual(["1.2.3", "1.2.3"]);
  expect([await version(), calls()]).toEqual(["1.2.3", 1]);
  install("agent 1.2.4", 2000);
  expect([await version(), calls()]).toEqual(["1.2.4", 2]);
});

it("is not the agent if it does not answer with a version", async () => {
  install("hello", 1000);
  expect(await version()).toBeUndefined();
});
