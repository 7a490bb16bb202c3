// Every test file gets a folder for temporary files of its own and in it a home, so that a test which forgets to
// name one cannot reach the user's, and nothing stays behind.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const temporary = folderIn("/dev/shm") ?? mkdtempSync(join(tmpdir(), "baton-test-"));
// A test may become another user, who has to get to its own folder in there.
chmodSync(temporary, 0o711);
const home = join(temporary, "home");
mkdirSync(home);
process.env.HOME = home;
process.env.USERPROFILE = home;
process.env.TMPDIR = temporary;
// Whatever terminal the tests are started in.
process.env.TERM = "xterm-256color";
// Where the user keeps stores or keys is none of a test's business either.
for (const name of Object.keys(process.env))
  if (/^(?:ANTHROPIC|BATON|CLAUDE|CODEX|GEMINI|GOOGLE|OPENAI|OPENCODE|XDG)_/.test(name))
    delete process.env[name];
// The programs that tests start again and again are compiled once.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/tests");

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/**
 * On a disk in memory, if there is one with room enough that programs can be run from: every write is flushed, and
 * waiting for a disk is most of a run's time.
 */
function folderIn(memory: string): string | undefined {
  if (!existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < 1 << 30) return undefined;
  const folder = mkdtempSync(join(memory, "baton-test-"));
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}
