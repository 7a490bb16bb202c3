// Shells complete what there is: commands, options, their values and sessions, in a real shell where it is installed.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTerminal, type Terminal } from "../terminal.ts";
import { newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

describe("what is offered", () => {
  const values = (line: string) => {
    const { stdout, stderr, status } = run(place, `baton completion bash -- ${line}`);
    expect([stderr, status]).toEqual(["", 0]);
    return stdout.split("\n").flatMap((row) => (row === "" ? [] : [row.split("\t")[0]]));
  };

  it("commands, and their own commands", () => {
    expect(values("re")).toEqual(expect.arrayContaining(["resume", "return", "restore", "replay"]));
    expect(values("''")).toEqual(expect.arrayContaining(["list", "show", "completion", "doctor"]));
    expect(values("archive pr")).toEqual(["prune"]);
    expect(values("completion ''")).toEqual(["bash", "zsh", "fish"]);
    expect(values("nonsense ''")).toEqual([]);
    expect(values("hel")).toEqual(["help"]);
    expect(values("help re")).toEqual(["resume", "return", "restore", "replay"]);
    expect(values("help archive pr")).toEqual(["prune"]);
    expect(values("help show ''")).toEqual([]);
  });

  it("what can be taken back", () => {
    expect(values("undo ''")).toEqual([]);
    const { operation } = JSON.parse(run(place, "baton resume latest:codex --in claude --json").stdout);
    expect(values("undo ''")).toEqual([operation]);
    expect(run(place, `baton undo ${operation}`).status).toBe(0);
    expect(values("undo ''")).toEqual([]);
  });

  it("options of the command and of every command, each once", () => {
    expect(values("list --s")).toEqual(["--since", "--sort", "--subagents"]);
    expect(values("list --json --j")).toEqual([]);
    expect(values("show --f")).toEqual(["--format"]);
    expect(values("show x --ho")).toEqual(["--home"]);
    expect(values("list --agent codex --ag")).toEqual(["--agent"]);
    expect(values("show -- --f")).toEqual([]);
  });

  it("values of options", () => {
    expect(values("list --sort m")).toEqual(["model", "messages"]);
    expect(values("list --sort=up")).toEqual(["--sort=updated"]);
    expect(values("list --agent co")).toEqual(["codex", "conversation"]);
    expect(values("list --agent codex ge")).toEqual(["gemini"]);
    expect(values("resume x --in ''")).toEqual(["claude", "codex", "gemini", "opencode"]);
    expect(values("fork x --in=c")).toEqual(["--in=claude", "--in=codex"]);
    expect(values("list --provider ''").sort()).toEqual(["claude", "openai"]);
    expect(values("search word --scope t")).toEqual(["thinking", "tool_input", "tool_output"]);
    expect(values("search word --scope prompt,r")).toEqual(["prompt,reply"]);
    expect(values("search word --scope=prompt,p")).toEqual([]);
    expect(values("list --agent claude,co")).toEqual(["claude,codex", "claude,conversation"]);
    expect(values("usage --by p")).toEqual(["project"]);
    expect(values("list --format s")).toEqual(["session-index"]);
    expect(values("convert x --to uni")).toEqual(["universal", "universal-jsonl"]);
    expect(values("show x --format m")).toEqual(["markdown"]);
    expect(values("list --project ''")).toEqual([]);
    expect(values("list --since ''")).toEqual(["1d", "7d", "4w"]);
    expect(values("resume x --model claude-opus-4-5")).toContain("claude-opus-4-5-20251101");
  });

  it("what a run is started with", () => {
    expect(values("run ''")).toEqual(["claude", "codex", "gemini", "opencode"]);
    expect(values("run cl")).toEqual(["claude"]);
    expect(values("run claude ''")).toEqual([]);
    expect(values("run codex --session vj")).toEqual(["vjz3zzzdv9zg"]);
    expect(values("run codex --session=claude:11111111-1111")).toEqual([
      "--session=claude:11111111-1111-4111-8111-111111111111",
    ]);
    expect(values("run codex --permission-mode ''")).toEqual(["default", "interactive", "auto", "deny"]);
    expect(values("run --output-format=s")).toEqual(["--output-format=stream-json"]);
    expect(values("run codex --input-format ''")).toEqual(["text", "stream-json"]);
  });

  it("recent sessions with their titles, by any name", () => {
    const { stdout } = run(place, "baton completion bash -- show ''");
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "et8pwv8nnh56\tcodex: List the files",
      "vjz3zzzdv9zg\tclaude: Price rounding",
    ]);
    expect(values("show vj")).toEqual(["vjz3zzzdv9zg"]);
    expect(values("compare vjz3 et")).toEqual(["et8pwv8nnh56"]);
    expect(values("show --verbose et")).toEqual(["et8pwv8nnh56"]);
    expect(values("show claude:11111111-1")).toEqual(["claude:11111111-1111-4111-8111-111111111111"]);
    expect(values("show latest:co")).toEqual(["latest:codex", "latest:conversation"]);
    expect(values("show vjz3 ''")).toEqual([]);
  });

  it("what can be restored: sessions that are archived and gone", () => {
    expect(values("restore ''")).toEqual([]);
    expect(run(place, "baton archive").status).toBe(0);
    expect(values("restore ''")).toEqual([]);
    rmSync(join(place.home, ".claude/projects/-home-me-shop"), { recursive: true });
    expect(run(place, "baton completion bash -- restore ''").stdout).toMatch(
      /^vjz3zzzdv9zg\tclaude: Price rounding\n/,
    );
    expect(values("restore claude:11111111-1")).toEqual(["claude:11111111-1111-4111-8111-111111111111"]);
    expect(values("restore et")).toEqual([]);
    expect(values("show vj")).toEqual([]);
  });

  it("paths are left to the shell, and what is wrong is not told in the middle of a line", () => {
    expect(values("show ./se")).toEqual([]);
    expect(values("--home /no/such/folder show ''")).toEqual([]);
    writeFileSync(join(place.home, ".baton"), "in the way");
    expect(values("show vj")).toEqual(["vjz3zzzdv9zg"]);
  });

  it("no title acts on the terminal or breaks a line", () => {
    const title = "one\\ttwo\\u001b]0;owned\\u0007\\nthree";
    const record = `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"33333333-3333-4333-8333-333333333333","cwd":"/p","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"${title}"}}\n`;
    const folder = join(place.home, ".claude/projects/-home-me-shop");
    writeFileSync(join(folder, "33333333-3333-4333-8333-333333333333.jsonl"), record);
    const [first = ""] = run(place, "baton completion bash -- show ''").stdout.split("\n");
    expect(first).toMatch(/^[a-z0-9]{12}\tclaude: one two/);
    expect(first).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
  });

  it("--json is one document, for the script and for what is offered", () => {
    const { script, shell } = JSON.parse(run(place, "baton completion bash --json").stdout);
    expect([shell, script]).toEqual(["bash", run(place, "baton completion bash").stdout]);
    expect(JSON.parse(run(place, "baton --json completion fish -- doc").stdout)).toEqual({
      candidates: [{ value: "doctor", about: "agents, stores and what is wrong with them" }],
    });
  });

  it("another shell is an error", () => {
    expect(run(place, "baton completion tcsh")).toMatchObject({ stdout: "", status: 2 });
  });
});

describe("bash", () => {
  let shell: Terminal;
  beforeEach(async () => {
    shell = openTerminal("/bin/bash", ["--norc", "--noprofile", "-i"], {
      cwd: join(place.root, "work"),
      env: { ...place.env, PS1: "ready> " },
      columns: 100,
    });
    await shell.until("ready>");
    shell.send('eval "$(baton completion bash)"; clear; echo loaded\r');
    await shell.until(/^loaded\nready>/m);
  });
  afterEach(() => shell.close());

  /** Types, presses the key, and waits for the line to be so. */
  async function completes(typed: string, line: string): Promise<string> {
    shell.send(`${typed}\t`);
    const rows = await shell.until((screen) => screen.includes(`ready> ${line}`));
    shell.send("\u0015");
    return rows.join("\n");
  }

  it("completes commands, options, values and sessions", async () => {
    expect(await completes("baton doc", "baton doctor ")).toContain("baton doctor");
    expect(await completes("baton list --sub", "baton list --subagents ")).toContain("--subagents");
    expect(await completes("baton list --sort cr", "baton list --sort created ")).toContain("created");
    expect(await completes("baton list --sort=cr", "baton list --sort=created ")).toContain("=created");
    expect(await completes("baton show vj", "baton show vjz3zzzdv9zg ")).toContain("vjz3zzzdv9zg");
    expect(await completes("baton show latest:op", "baton show latest:opencode ")).toContain(
      "latest:opencode",
    );
    expect(
      await completes(
        "baton show claude:11111111-1",
        "baton show claude:11111111-1111-4111-8111-111111111111",
      ),
    ).toContain("claude:11111111-1111-4111-8111-111111111111");
  });

  it("lists sessions with their titles, newest first", async () => {
    shell.send("baton show \t\t");
    const rows = await shell.until("Write a post");
    const first = rows.findIndex((row) => row.startsWith("et8pwv8nnh56  (codex: List the files)"));
    expect(first).toBeGreaterThan(0);
    expect(rows.join("\n")).toContain("vjz3zzzdv9zg  (claude: Price rounding)");
  });

  it("completes paths where no candidate is", async () => {
    writeFileSync(join(place.root, "work/exported.json"), "{}");
    expect(await completes("baton show ./exp", "baton show ./exported.json ")).toContain("./exported.json");
    expect(await completes("baton convert x -o exp", "baton convert x -o exported.json ")).toContain(
      "exported.json",
    );
  });

  it("never runs what is being typed", async () => {
    const mark = join(place.root, "work/ran");
    shell.send("baton show $(touch ran) `touch ran` vj\t\t");
    shell.send("\u0015echo still here\r");
    expect((await shell.until(/^still here$/m)).length).toBeGreaterThan(0);
    expect(existsSync(mark)).toBe(false);
  });
});

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** How each other shell is started without anybody's settings, and told to complete. */
const OTHERS = [
  {
    name: "zsh",
    argv: ["-f", "-i"],
    load: `PS1='ready> '; autoload -Uz compinit; compinit -u; eval "$(baton completion zsh)"; clear; echo loaded\r`,
  },
  {
    name: "fish",
    argv: ["--no-config", "-i"],
    load: "function fish_prompt; echo -n 'ready> '; end; baton completion fish | source; clear; echo loaded\r",
  },
];

describe.each(OTHERS)("$name", ({ name, argv, load }) => {
  // Machines need not have it: what it asks for is tested above, and bash is everywhere.
  it.skipIf(!isInstalled(name))("completes commands, options, values and sessions", async () => {
    const shell = openTerminal(name, argv, {
      cwd: join(place.root, "work"),
      env: { ...place.env, TERM: "xterm-256color" },
      columns: 100,
    });
    try {
      shell.send(load);
      await shell.until(/^loaded\s+ready>/m);
      for (const [typed, line] of [
        ["baton doc", "baton doctor"],
        ["baton list --sub", "baton list --subagents"],
        ["baton list --sort cr", "baton list --sort created"],
        ["baton list --sort=cr", "baton list --sort=created"],
        ["baton resume x --in op", "baton resume x --in opencode"],
        ["baton show vj", "baton show vjz3zzzdv9zg"],
        ["baton show claude:11111111-1", "baton show claude:11111111-1111-4111-8111-111111111111"],
      ] as const) {
        shell.send(`${typed}\t`);
        expect((await shell.until(`ready> ${line}`)).join("\n")).toContain(line);
        shell.send("\u0015");
        await shell.until(/ready>\s*$/);
      }
      shell.send("baton show \t");
      await shell.until(/vjz3zzzdv9zg .*claude: Price rounding/);
    } finally {
      await shell.close();
    }
  });
});
