// A pipe with a name, as `<(…)` of a shell makes it, is read like stdin.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../formats/folder.ts";

const folder = temporaryFolder();
const BATON = join(import.meta.dirname, "../../bin/baton.js");

it("convert reads a pipe", () => {
  const script = `mkfifo p && { echo '{"messages":[{"role":"user","content":"Through a pipe"}]}' > p & "$0" "$1" convert p --to openai-chat; }`;
  const env = { ...process.env, HOME: folder() };
  const out = execFileSync("sh", ["-c", script, process.execPath, BATON], {
    cwd: folder(),
    env,
    timeout: 30_000,
  });
  expect(JSON.parse(out.toString())).toEqual({ messages: [{ role: "user", content: "Through a pipe" }] });
});
