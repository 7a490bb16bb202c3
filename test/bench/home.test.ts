import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeHome } from "../../bench/home.ts";
import { adapters } from "../../src/adapters/index.ts";
import { findSessions, summarise } from "../../src/catalog/scan.ts";
import { temporaryFolder } from "../storage/temporary.ts";

const SESSIONS = 60;

function filesIn(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : [])).sort();
}

function hashesIn(folder: string): string[] {
  return filesIn(folder).map((path) => {
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    return `${path.slice(folder.length)} ${Math.round(statSync(path).mtimeMs)} ${hash}`;
  });
}

describe("the generated home", () => {
  it("is the same every time", async () => {
    const [one, two] = [await temporaryFolder(), await temporaryFolder()];
    makeHome(one, SESSIONS);
    makeHome(two, SESSIONS);
    const isStore = (line: string) => !line.startsWith("/corpus-is-complete");
    const lines = hashesIn(one).filter(isStore);
    expect(lines.length).toBeGreaterThan(SESSIONS / 2);
    expect(hashesIn(two).filter(isStore)).toEqual(lines);
  });

  it("has sessions of four agents that are read without a problem", async () => {
    const dir = await temporaryFolder();
    makeHome(dir, SESSIONS);
    const found = await findSessions({ dir, env: {} }, adapters);
    const sessions = await Promise.all(found.map(summarise));
    expect(sessions.flatMap(({ problems }) => problems)).toEqual([]);
    expect(new Set(sessions.map(({ agent }) => agent))).toEqual(
      new Set(["claude", "codex", "gemini", "opencode"]),
    );
    const main = sessions.filter(({ parent }) => parent === undefined);
    expect(main.length).toBe(SESSIONS);
    expect(main.length).toBeLessThan(sessions.length);
    for (const { title, project, model, tokens, messageCount } of sessions) {
      expect(title).not.toBe("");
      expect(project).toContain("/home/dev/");
      expect(model).not.toBe("unknown");
      expect(messageCount).toBeGreaterThan(0);
      expect(tokens?.input ?? 0).toBeGreaterThan(0);
    }
  });
});
