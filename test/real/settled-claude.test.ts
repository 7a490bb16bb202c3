// What was carried is at home in Claude Code's store: its picker shows it and its clean-up leaves it alone.
import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { layDown } from "../../src/verify/run.ts";
import type { Rig } from "./harness.ts";
import { DAY_MS, settled } from "./settled.ts";

describe("Claude Code", () => {
  it("offers it in its picker", async ({ skip }) => {
    skip(process.platform !== "linux", "the picker needs a terminal, made here by util-linux's script");
    await settled("codex", "claude", async (rig) => {
      await layDown(rig.home, { ".claude.json": JSON.stringify(introduced(rig)) });
      const picker = `stty rows 40 cols 120; TERM=xterm-256color exec ${rig.cli.path} --resume`;
      const { stdout } = await rig.exec(["script", "-qfec", picker, "/dev/null"], [], {
        isComplete: () => false,
        signal: { name: "SIGKILL", output: "Use your tools" },
      });
      expect(stdout).toContain("Use your tools");
    });
  });

  it("does not clean it away with what is old", () =>
    settled("codex", "claude", async (rig, { path, originalId }) => {
      const old = join(dirname(path), "0c0ffee0-0000-4000-8000-000000000001.jsonl");
      await writeFile(old, "{}\n");
      const longAgo = new Date(Date.now() - 60 * DAY_MS);
      await utimes(old, longAgo, longAgo);
      // The clean-up starts a while after the CLI does, so the reply takes its time.
      await rig.resume(originalId, "Take your time", [
        { text: "Slowly but surely I come to an end.", pace: 700 },
      ]);
      expect(existsSync(old)).toBe(false);
      expect(existsSync(path)).toBe(true);
    }));
});

/** As a user who has been through the first start and trusts the project. */
function introduced(rig: Rig): unknown {
  const key = rig.driver.env(rig.home, "").ANTHROPIC_API_KEY ?? "";
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    projects: { [rig.cwd]: { hasTrustDialogAccepted: true } },
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
  };
}
