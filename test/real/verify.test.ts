// `baton verify` as a user calls it, in a project full of traps: it proves what it says, runs nothing of the
// project's or the user's, contacts nobody, and leaves the store as it was.
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton } from "./baton.ts";
import { shell } from "./gemini.ts";
import { openRig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { setTraps } from "./traps.ts";

/** Every file with what it holds and when it was last changed. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // SQLite notes in there who reads; what is stored lies in the database and in its log.
    if (!entry.isFile() || entry.name.endsWith(".db-shm")) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, mode } = await stat(path);
    const hash = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    found[path] = `${hash} ${mtimeMs} ${mode}`;
  }
  return found;
}

describe.each(NAMES)("baton verify in a project of %s that is full of traps", (name) => {
  it("proves a session where it is and in another agent, and springs none", async () => {
    const rig = await openRig(name);
    try {
      const traps = await setTraps(rig);
      const { id } = await rig.run(
        [...rig.driver.start("Into the trap"), ...traps.args],
        [{ text: "Here I am" }],
        rig.driver.stdin && { stdin: rig.driver.stdin("Into the trap") },
      );
      expect(await traps.sprung()).toEqual(traps.all);
      const before = await fingerprint(rig.home);
      expect(Object.keys(before).some((path) => path.startsWith(rig.driver.store(rig.home)))).toBe(true);
      // All pairs are proven elsewhere; the traps are those of the project's own agent.
      for (const agent of [name, NAMES.find((one) => one !== name) as CliName]) {
        const { status, result, stderr } = await baton(
          rig.home,
          rig.cwd,
          "verify",
          `${name}:${id}`,
          "--in",
          agent,
        );
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

it("proves a session with the vendor's own provider, which no other may resume", async () => {
  const rig = await openRig("codex");
  try {
    const { id } = await rig.start("With the vendor", [{ thinking: "Hm.", text: "Here I am" }]);
    await rig.rewrite(id, (content) => content.replaceAll('"sim"', '"openai"'));
    const { status, result } = await baton(rig.home, rig.cwd, "verify", `codex:${id}`);
    expect({ status, result }).toMatchObject({
      status: 0,
      result: { accepted: true, facts: { total: 3, kept: 3 } },
    });
  } finally {
    await rig.close();
  }
});

it("proves a copy of a session that Gemini CLI keeps for another folder, results and all", async () => {
  const rig = await openRig("gemini");
  try {
    const { id } = await rig.start("Run it", [
      { text: "Running.", calls: [shell("echo $((6 * 7))")] },
      { text: "It ran." },
    ]);
    const { status, result, stderr } = await baton(rig.home, rig.cwd, "verify", `gemini:${id}`);
    expect({ status, result, stderr }).toMatchObject({
      status: 0,
      result: { accepted: true, problems: [], unexpected: [], facts: { total: 5, kept: 5 } },
    });
  } finally {
    await rig.close();
  }
});

it("proves prompts that Gemini CLI would take for commands", async () => {
  const rig = await openRig("codex");
  try {
    const { id } = await rig.start("/etc/hosts is wrong, what now?", [{ text: "Mend it." }]);
    await rig.resume(id, "? is what I ask", [{ text: "And what I answer." }]);
    const { status, result, stderr } = await baton(
      rig.home,
      rig.cwd,
      "verify",
      `codex:${id}`,
      "--in",
      "gemini",
    );
    expect({ status, result, stderr }).toMatchObject({
      status: 0,
      result: { accepted: true, problems: [], missing: [], unexpected: [] },
    });
    expect(result.facts.total).toBeGreaterThan(3);
  } finally {
    await rig.close();
  }
});
