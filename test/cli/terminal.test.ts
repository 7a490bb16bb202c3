// The command line on a terminal: colours, the pager, questions, and nothing in a transcript that could act on it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const options = (env: NodeJS.ProcessEnv) => ({
  env: { ...place.env, TERM: "xterm", ...env },
  cwd: join(place.root, "work"),
});

/** A terminal of its own for the command, by util-linux's script. */
function onTerminal(command: string, env: NodeJS.ProcessEnv = {}) {
  const ran = spawnSync("script", ["-qec", command, "/dev/null"], { ...options(env), encoding: "utf8" });
  return { text: ran.stdout.replaceAll("\r\n", "\n"), status: ran.status };
}

it("there are colours and headings, unless they are not wanted", () => {
  const { text } = onTerminal("baton list");
  expect(text).toMatch(/^\u001b\[2mid/);
  expect(text).toContain("\u001b[35mclaude\u001b[39m");
  expect(onTerminal("baton list", { NO_COLOR: "1" }).text).not.toContain("\u001b");
  expect(onTerminal("baton list --no-color").text).not.toContain("\u001b");
});

it("a session is as old on its own as in the list, and when only the archive has it", () => {
  const age = (command: string) => /\d+ (?:h|w) ago/.exec(run(place, command).stdout)?.[0];
  expect([age("baton list --agent claude"), age("baton show vjz3zzzdv9zg")]).toEqual(["3 h ago", "3 h ago"]);
  run(place, "baton archive");
  rmSync(join(place.home, ".claude/projects/-home-me-shop"), { recursive: true });
  expect(age("baton show vjz3zzzdv9zg")).toBe("3 h ago");
});

it("a session goes through the pager", () => {
  const { text } = onTerminal("baton show latest:codex", { PAGER: "sed s/^/paged:/" });
  expect(text).toMatch(/^paged:.*List the files/);
});

it("a pager that ends early or fails does no harm, and JSON needs none", () => {
  expect(onTerminal("baton show latest:codex", { PAGER: "true" })).toEqual({ text: "", status: 0 });
  expect(onTerminal("baton show latest:codex", { PAGER: "false" })).toEqual({ text: "", status: 0 });
  expect(onTerminal("baton show latest:codex --json", { PAGER: "sed s/^/paged:/" }).text).toMatch(/^\{/);
});

it.each([
  ["that is missing", "PAGER=no-such-pager baton show latest:codex --no-color"],
  ["when there is no less", "PATH=$ROOT/bin baton show latest:codex --no-color"],
])("a pager %s is done without", (_, command) => {
  const plain = run(place, "baton show latest:codex");
  expect(onTerminal(command)).toEqual({ text: plain.stdout, status: 0 });
});

it("a dumb terminal gets the text as it is, unless a pager is named", () => {
  const dumb = onTerminal("baton show latest:codex", { TERM: "dumb" });
  expect(dumb).toEqual({ text: run(place, "baton show latest:codex").stdout, status: 0 });
  const named = onTerminal("baton show latest:codex", { TERM: "dumb", PAGER: "sed s/^/paged:/" });
  expect(named.text).toMatch(/^paged:/);
});

/** A universal session in which every string tries to act on the terminal. */
function writeHostile(): void {
  const evil = "a\u001b[31m\u001b]0;owned\u0007\u009b2Jb`\u001b``c";
  const session = {
    id: evil,
    version: "1.0",
    source: { cli: evil, version: evil, originalId: evil },
    project: { path: `/p/${evil}`, git: { branch: evil } },
    model: { provider: evil, model: evil },
    metadata: { created: evil, lastModified: evil },
    title: evil,
    timeline: [
      { id: "u", timestamp: evil, type: "user", content: evil },
      { id: "c", timestamp: "", type: "tool_call", tool: "bash", input: { command: evil }, turn: evil },
      { id: "r", timestamp: "", type: "tool_result", callId: "c", success: true, output: evil },
      { id: "a", timestamp: "", type: "assistant", content: evil, model: evil },
    ],
  };
  writeFileSync(join(place.root, "work/evil.json"), JSON.stringify(session));
}

it.each([
  "show evil.json",
  "show evil.json --verbose",
  "show evil.json --format markdown",
  "show evil.json --format jsonl",
  "show evil.json --json",
  "replay evil.json --json",
  "compare evil.json latest:codex",
  "compare evil.json evil.json --verbose",
  "compare evil.json evil.json --json",
  "convert evil.json --to markdown",
  "convert evil.json --to codex",
  "resume evil.json --in claude",
  "resume evil.json --in claude --dry-run --json",
  "resume evil.json",
  "fork evil.json --in codex --dry-run",
  "show \"$(printf 'no-such\\033[31m\\302\\233name')\"",
])("nothing in a session acts on the terminal: baton %s", (command) => {
  writeHostile();
  const { text, status } = onTerminal(`baton ${command} --no-color`, { PAGER: "cat" });
  expect(status).not.toBeNull();
  expect(text.length).toBeGreaterThan(20);
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});

it("Markdown holds no control characters anywhere, and no fence is opened by taking them out", () => {
  writeHostile();
  const { stdout } = run(place, "baton convert evil.json --to markdown");
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  expect(stdout).toContain("````sh\na2Jb```c\n````");
});

it("a command to copy means the same to a shell", () => {
  writeHostile();
  const { stdout } = run(place, "baton resume evil.json --in claude");
  const [folder] = stdout.split(" && ");
  const ran = spawnSync("bash", ["-c", `cd() { printf %s "$1"; }; ${folder}`], { encoding: "utf8" });
  expect(ran.stdout).toBe("/p/a\u001b[31m\u001b]0;owned\u0007\u009b2Jb`\u001b``c");
});

it("Ctrl-C at a question ends with 130 and carries nothing", async () => {
  const command = "baton resume 11111111-1111 --in codex --thinking ask";
  const child = spawn("script", ["-qec", command, "/dev/null"], options({}));
  let said = "";
  child.stdout.on("data", (chunk) => {
    if (said.includes("to text?")) return;
    said += chunk;
    if (said.includes("to text?")) child.stdin.write("\u0003");
  });
  expect(await once(child, "exit")).toEqual([130, null]);
  expect(run(place, "baton operations --json").stdout).toBe('{\n  "operations": []\n}\n');
});

it("the question about thinking says how much there is, and asks again until it is answered", async () => {
  const command = "baton resume 11111111-1111 --in codex --thinking ask --dry-run";
  const child = spawn("script", ["-qec", command, "/dev/null"], options({}));
  const answers = ["perhaps\n", "c\n"];
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
    if (said.split("to text?").length > 3 - answers.length) child.stdin.write(answers.shift() ?? "");
  });
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(said.match(/1 thinking block is bound to claude-opus-4-5\S*\. \[d\]rop or/g)).toHaveLength(2);
  expect(said).toContain("1 thinking block will be converted to text");
});
