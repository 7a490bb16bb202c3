// What is to be found in the project once a scenario of an agent's own is over, and what its tools have said: that
// something was allowed or denied is one thing, whether it was done another.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CliName } from "./install.ts";
import type { Followed, LiveRig } from "./live-rig.ts";

interface Left {
  /** Files and what is in them. */
  there?: Readonly<Record<string, string>>;
  absent?: readonly string[];
  said?: readonly string[];
  unsaid?: readonly string[];
}

const LEFT: Record<CliName, Readonly<Record<string, Left>>> = {
  claude: {
    approval_allowed: { there: { made: "" } },
    approval_changed: { said: ["right-2"], unsaid: ["wrong-2"] },
    approval_denied: { absent: ["made"], said: ["Not in this folder."] },
    approval_interrupted: { absent: ["made"] },
    approval_session: { there: { made: "two\n" } },
    approval_suggested: { there: { "first.txt": "1\n", "second.txt": "2\n" } },
    denying: { absent: ["made", "more"] },
    mode_change: { absent: ["one"], there: { two: "" } },
    question: { said: ["Red", "Blue"] },
    subagent: { there: { counted: "three\n" }, said: ["three"] },
    subagent_asking: { there: { counted: "three\n" }, said: ["There are three files."] },
    subagent_awaited: { there: { counted: "three\n" }, said: ["There are three files."] },
  },
  codex: {
    approval_allowed: { there: { "made.txt": "changed\n" } },
    approval_denied: { absent: ["made.txt"] },
    approval_escalated: { there: { "made.txt": "" } },
    approval_withdrawn: { absent: ["made.txt"] },
    form: { said: ["Ada"] },
    interrupt_command: { unsaid: ["over"] },
    mode_deny: { absent: ["made.txt"] },
    mode_change: { said: ["one", "two", "three"] },
    question: { said: ["Blue"] },
    resumed_tools: { there: { "a.txt": "one\n2\n" }, said: ["it's"] },
    scripts: { said: ["from-a-script", "computed 42", "bad"] },
  },
  gemini: {
    approval_allowed: { there: { "made.txt": "1\n", "a.txt": "1\ntwo\nthree\n", made: "" } },
    approval_denied: { absent: ["made"], said: ["fine"] },
    approval_session: { there: { one: "", two: "", "first.txt": "1\n", "second.txt": "2\n" } },
    denied_by_mode: { absent: ["made"] },
    every_tool: { there: { "a.txt": "one\n2\nthree\n" } },
    interrupt_asking: { absent: ["made"] },
    mode_change: { there: { "first.txt": "1\n" }, absent: ["second.txt"] },
  },
  opencode: {
    approval_allowed: { there: { made: "" } },
    approval_denied: { absent: ["made"] },
    approval_interrupted: { absent: ["made"] },
    approval_parallel: { said: ["two-2"], unsaid: ["one-2"] },
    approval_session: { there: { three: "" }, said: ["one", "two"] },
    denying: { absent: ["made.txt"], there: { "there.txt": "here\n" }, said: ["here"] },
    mode_change: { said: ["two", "three"] },
    own_rules: { there: { "made.txt": "1\n" } },
    question: { said: ["Red", "S, L"] },
    subagent: { said: ["counted-3", "There are three."] },
  },
};

export function expectLeft(scenario: string, { events }: Followed, { name, cwd }: LiveRig): void {
  const { there = {}, absent = [], said = [], unsaid = [] } = LEFT[name][scenario] ?? {};
  for (const [file, content] of Object.entries(there))
    expect([file, contentOf(join(cwd, file))]).toEqual([file, content]);
  expect(absent.filter((file) => existsSync(join(cwd, file)))).toEqual([]);
  const output = events.flatMap((event) => (event.type === "tool_result" ? [event.content] : [])).join("\n");
  for (const words of said) expect(output).toContain(words);
  for (const words of unsaid) expect(output).not.toContain(words);
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The scenarios that it knows of, so that none is misspelt. */
export const leftOf = (name: CliName): string[] => Object.keys(LEFT[name]);
