// `baton verify` as a user calls it, in a project full of traps: it proves what it says, runs nothing of the
// project's or the user's, contacts nobody, and leaves the store as it was.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRig } from "./harness.ts";
import { CLIS, type CliName, installCli } from "./install.ts";
import { setTraps } from "./traps.ts";

const BATON = join(import.meta.dirname, "../../bin/baton.js");
const NAMES = Object.keys(CLIS) as CliName[];

/** Every file with what it holds and when it was last changed. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, mode } = await stat(path);
    const hash = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    found[path] = `${hash} ${mtimeMs} ${mode}`;
  }
  return found;
}

/** Only what a shell of the user's would have: the CLIs in PATH, and a home. */
async function baton(home: string, cwd: string, args: readonly string[]) {
  const folders = [];
  for (const name of NAMES) folders.push(dirname((await installCli(name)).path));
  const env = {
    PATH: [...folders, dirname(process.execPath), "/usr/bin", "/bin", "/usr/sbin", "/sbin"].join(delimiter),
    HOME: home,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BATON, ...args, "--json"], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { status, stderr, result: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe.each(NAMES)("baton verify in a project of %s that is full of traps", (name) => {
  it("proves a session where it is and in the other agent, and springs none", async () => {
    const rig = await openRig(name);
    try {
      const traps = await setTraps(rig);
      const { id } = await rig.run(
        [...rig.driver.start("Into the trap"), ...traps.args],
        [{ text: "Here I am" }],
      );
      expect(await traps.sprung()).toEqual(traps.all);
      const before = await fingerprint(rig.home);
      expect(Object.keys(before).some((path) => path.includes(id))).toBe(true);
      for (const agent of NAMES) {
        const { status, result, stderr } = await baton(rig.home, rig.cwd, [
          "verify",
          `${name}:${id}`,
          "--in",
          agent,
        ]);
        expect({ status, stderr, result }).toMatchObject({
          status: 0,
          result: { agent, accepted: true, missing: [], unexpected: [], problems: [], foreign: [] },
        });
        expect(result.facts.kept).toBe(result.facts.total);
        expect(result.facts.total).toBeGreaterThan(1);
      }
      expect(await traps.sprung()).toEqual([]);
      expect(await fingerprint(rig.home)).toEqual(before);
    } finally {
      await rig.close();
    }
  });
});
