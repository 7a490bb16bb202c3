// What was carried is at home in Claude Code's store: its clean-up leaves it alone.
import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS, settled } from "./settled.ts";

describe("Claude Code", () => {
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
