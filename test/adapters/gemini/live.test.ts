// Gemini CLI keeps no lock, so who holds a session is told by what runs in its folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { isGemini } from "../../../src/adapters/gemini/installed.ts";

// Elsewhere nothing tells which folder a process runs in.
test.runIf(process.platform === "linux")(
  "a session is live while the CLI runs in its folder and has written to it",
  async () => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), "baton-live-")));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const [project, chats, program] = [
      join(dir, "project"),
      join(dir, ".gemini/tmp/project/chats"),
      join(dir, "gemini"),
    ];
    await mkdir(project);
    await mkdir(chats, { recursive: true });
    await writeFile(join(chats, "../.project_root"), project);
    await writeFile(program, "#!/bin/sh\necho ready\ncat\n");
    await chmod(program, 0o755);
    const path = join(chats, "session-2026-01-01T00-00-00000000.jsonl");
    await writeFile(path, "{}\n");
    const before = new Date(Date.now() - 60_000);
    await utimes(path, before, before);
    const ref = { agent: "gemini", originalId: "00000000", path, files: [] };

    const running = spawn(program, { cwd: project });
    onTestFinished(() => void running.kill());
    await once(running.stdout, "data");
    expect(await gemini.isLive(ref)).toBe(false);
    const now = new Date();
    await utimes(path, now, now);
    expect(await gemini.isLive(ref)).toBe(true);
    const main = { path, role: "main" as const, size: 3, mtimeMs: now.getTime(), inode: 0 };
    const mayBe = await gemini.mayBeLive?.({ dir, env: {} });
    expect(mayBe?.({ ...ref, files: [main] })).toBe(true);
    expect(mayBe?.({ ...ref, files: [{ ...main, mtimeMs: 0 }] })).toBe(false);
    const ours = spawn(program, { cwd: project, env: { ...process.env, BATON_RUN_MARK: "run" } });
    onTestFinished(() => void ours.kill());
    await once(ours.stdout, "data");
    running.stdin.end();
    await once(running, "exit");
    // Its record says which session it has.
    const later = new Date(Date.now() + 60_000);
    await utimes(path, later, later);
    expect(await gemini.isLive(ref)).toBe(false);
  },
);

test.each([
  [["gemini"], true],
  [["node", "/usr/bin/gemini", "--resume", "x"], true],
  [
    ["/usr/bin/node", "--max-old-space-size=4096", "/lib/node_modules/@google/gemini-cli/bundle/gemini.js"],
    true,
  ],
  [["vim", "gemini"], false],
  [["tail", "-f", "/home/dev/gemini/log"], false],
  [["node", "/home/dev/gemini/server.js"], false],
  [["node", "/home/dev/tool/gemini.js"], false],
  [["node", "server.js", "gemini"], false],
  [[], false],
])("whether %j is the CLI itself: %s", (words, expected) => {
  expect(isGemini(words)).toBe(expected);
});
