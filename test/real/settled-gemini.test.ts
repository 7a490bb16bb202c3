// What was carried is at home in Gemini CLI's store: its list shows it with its title, and it stays.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { settled } from "./settled.ts";

describe("Gemini CLI", () => {
  it("lists it with its title, and keeps it when it cleans up after a resume", () =>
    settled("claude", "gemini", async (rig, { path, originalId }, source) => {
      const { stdout, stderr } = await rig.run(["--list-sessions"]);
      expect(stdout + stderr).toContain(originalId);
      expect(stdout + stderr).toContain(source.header.title);
      // Resuming in a later minute leaves this behind, and the next start takes it away.
      const ghost = join(dirname(path), `session-2026-01-02T03-04-${originalId.slice(0, 8)}.jsonl`);
      const now = new Date().toISOString();
      const metadata = {
        sessionId: originalId,
        projectHash: "x",
        startTime: now,
        lastUpdated: now,
        kind: "main",
      };
      await writeFile(ghost, `${JSON.stringify(metadata)}\n`);
      await rig.start("Something else", [{ text: "Slowly but surely.", pace: 400 }]);
      expect(existsSync(ghost)).toBe(false);
      expect(existsSync(path)).toBe(true);
      expect((await rig.resume(originalId, "Still there?", [{ text: "Yes" }])).id).toBe(originalId);
    }));
});
