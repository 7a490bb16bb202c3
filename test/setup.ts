// Every test file gets a home of its own, so that a test which forgets to name one cannot reach the user's.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const home = mkdtempSync(join(tmpdir(), "baton-home-"));
process.env.HOME = home;
process.env.USERPROFILE = home;
// Where the user keeps stores or keys is none of a test's business either.
for (const name of Object.keys(process.env))
  if (/^(?:ANTHROPIC|BATON|CLAUDE|CODEX|GEMINI|GOOGLE|OPENAI|OPENCODE|XDG)_/.test(name))
    delete process.env[name];

afterAll(() => rmSync(home, { recursive: true, force: true }));
