// Every test file gets a folder for temporary files of its own and in it a home, so that a test which forgets to
// name one cannot reach the user's, and nothing stays behind.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const temporary = mkdtempSync(join(inMemory() ?? tmpdir(), "baton-test-"));
// A test may become another user, who has to get to its own folder in there.
chmodSync(temporary, 0o711);
const home = join(temporary, "home");
mkdirSync(home);
process.env.HOME = home;
process.env.USERPROFILE = home;
process.env.TMPDIR = temporary;
// Where the user keeps stores or keys is none of a test's business either.
for (const name of Object.keys(process.env))
  if (/^(?:ANTHROPIC|BATON|CLAUDE|CODEX|GEMINI|GOOGLE|OPENAI|OPENCODE|XDG)_/.test(name))
    delete process.env[name];
// The programs that tests start again and again are compiled once.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/tests");

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** A disk in memory with room enough: every write is flushed, and waiting for a disk is most of a run's time. */
function inMemory(): string | undefined {
  const shared = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(shared);
    return bavail * bsize > 1 << 30 ? shared : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
