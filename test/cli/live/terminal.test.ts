// `baton run` on a terminal, as a person has it: prompts, questions and keys, and what the screen shows.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent } from "../../run/fake.ts";
import { openTerminal, type Terminal } from "../../terminal.ts";
import { type AgentHome, LAUNCHER, makeAgentHome } from "./agent-home.ts";

let home: AgentHome;
let terminal: Terminal;
beforeEach(() => {
  home = makeAgentHome();
});
afterEach(async () => {
  await terminal.close();
  home.remove();
});

function start(program: string, argv: readonly string[], columns = 100): Terminal {
  const env = { ...home.env, TERM: "xterm-256color" };
  terminal = openTerminal(program, argv, { cwd: home.dir, env, columns, rows: 30 });
  return terminal;
}

const open = (...args: string[]) => start(process.execPath, [LAUNCHER, "run", "claude", ...args]);
/** By a shell, which redirects something. */
const openShell = (words: string) =>
  start("/bin/sh", ["-c", `exec "${process.execPath}" "${LAUNCHER}" run claude ${words}`]);

const CHOICES = "[y]es, [a]lways in this session, [n]o?";
const PROMPT = /\n> $/m;
const [INTERRUPT, EOF] = ["\u0003", "\u0004"];

/** With which status. */
function leave(): Promise<number> {
  terminal.send(EOF);
  return terminal.ended;
}

describe("a conversation", () => {
  it("prompts are typed one after the other, text is live, tools are folded, Ctrl-D ends it", async () => {
    open("--permission-mode", "auto");
    await terminal.until("> ");
    terminal.send("say Hello there.\r");
    await terminal.until(/Hello there\.\ndone in [^\n]*\n> /);
    terminal.send("run ls\r");
    const screen = await terminal.until(/It ran\.\ndone in [^\n]*\n> $/m);
    expect(screen.join("\n")).toContain("✓ Bash ls");
    expect(await leave()).toBe(0);
  });

  it("what is typed while the agent works is there at the next prompt, and not sent by itself", async () => {
    open();
    await terminal.until("> ");
    terminal.send("slow rm x\r");
    await terminal.until("waiting for the model");
    terminal.send("say Next.\r");
    await terminal.until(CHOICES);
    terminal.send("n");
    await terminal.until(/\n> say Next\.$/m);
    terminal.send("\r");
    await terminal.until(/\nNext\.\n+done in [^\n]*\n> $/m);
    expect(await leave()).toBe(0);
  });

  it("what is pasted is one prompt, however many lines it has", async () => {
    open();
    await terminal.until("> ");
    terminal.send("\u001b[200~say one\ntwo\rthree\u001b[201~");
    await terminal.until("> say one⏎two⏎three");
    terminal.send("\r");
    await terminal.until(/\none\ntwo\nthree\ndone in/);
    terminal.send("say four\rfive\r");
    await terminal.until(/\nfour\nfive\ndone in [^\n]*\n> $/m);
    expect(await leave()).toBe(0);
  });

  it("a prompt may be of any length, also one that is typed while a turn is under way", async () => {
    open();
    await terminal.until("> ");
    terminal.send("wait\r");
    await terminal.until("Waiting for ever.");
    terminal.send(`count ${"x".repeat(6000)}`);
    terminal.send(INTERRUPT);
    await terminal.until(/x+y?$/m);
    terminal.send("yz");
    await terminal.until(/xyz/);
    terminal.send("\r");
    await terminal.until("6002 characters");
    await terminal.until(PROMPT);
    expect(await leave()).toBe(0);
  });

  it("the line is edited with the usual keys, and Up brings the last prompt back", async () => {
    open();
    await terminal.until("> ");
    terminal.send("say won");
    terminal.send("\u001b[D\u007f\u001b[H");
    terminal.send("\u0015say no\u0017b");
    await terminal.until("> say bsay wn");
    terminal.send("\u0001\u000bsay One.\r");
    await terminal.until(/One\.\ndone in [^\n]*\n> $/m);
    terminal.send("\u001b[A");
    await terminal.until(/\n> say One\.$/m);
    terminal.send("\u0015");
    await terminal.until(PROMPT);
    expect(await leave()).toBe(0);
  });

  it("what the agent complains of stands on lines of its own, above what is drawn or typed", async () => {
    const file = join(home.dir, "complaint");
    open("--verbose");
    await terminal.until("> ");
    terminal.send(`mutter ${file}\r`);
    await terminal.until("Waiting for ever.");
    writeFileSync(file, "It is late.\n");
    await terminal.until(/\nWaiting for ever\. *\n\[claude\] It is late\.\nwriting/);
    terminal.send(INTERRUPT);
    await terminal.until(/interrupted in [^\n]*\n> $/m);
    terminal.send("half");
    await terminal.until("> half");
    writeFileSync(file, "Later still.\n");
    await terminal.until(/\n\[claude\] Later still\.\n> half$/m);
    terminal.send(INTERRUPT);
    await terminal.until(/\n> half\n> $/m);
    expect(await leave()).toBe(130);
  });

  it("Ctrl-C stops the turn and leaves the terminal as it was", async () => {
    open();
    await terminal.until("> ");
    terminal.send("wait\r");
    await terminal.until("Waiting for ever.");
    terminal.send(INTERRUPT);
    await terminal.until(/interrupted in [^\n]*\n> /);
    terminal.send("say Still here.\r");
    await terminal.until("Still here.");
    await terminal.until(/done in [^\n]*\n> $/m);
    expect(await leave()).toBe(0);
  });

  it("Ctrl-C at an empty prompt says how to leave, and leaves when it is pressed again", async () => {
    open();
    await terminal.until("> ");
    terminal.send("half");
    await terminal.until("> half");
    terminal.send(INTERRUPT);
    await terminal.until(/> half\n> $/m);
    terminal.send(INTERRUPT);
    await terminal.until(/Ctrl-C once more, or Ctrl-D, leaves\.\n> $/m);
    terminal.send(INTERRUPT);
    expect(await terminal.ended).toBe(130);
  });

  it("what is typed stays while the agent begins a turn by itself, and is asked for once", async () => {
    open();
    await terminal.until("> ");
    terminal.send("later By the way.\r");
    await terminal.until(PROMPT);
    terminal.send("say N");
    await terminal.until(/\nBy the way\.\ndone in [^\n]*\n> say N$/m);
    terminal.send("ow.\r");
    await terminal.until(/> say Now\.\nNow\.\ndone in [^\n]*\n> $/m);
    expect(await leave()).toBe(0);
  });

  it("an agent that dies between two turns is told, and ends the run with status 1", async () => {
    open();
    await terminal.until("> ");
    terminal.send("leave\r");
    await terminal.until(/error: Claude Code ended with status 3/);
    expect(await terminal.ended).toBe(1);
  });
});

describe("a permission", () => {
  it.each([
    ["y", "It ran.", "allow"],
    ["a", "It ran.", "allow_session"],
    ["n", "It did not run.", "deny"],
  ])("is given or denied with the key %s", async (key, words, decision) => {
    open("-p", "run rm x");
    await terminal.until(CHOICES);
    expect(terminal.screen().join("\n")).toContain(
      "Claude Code asks: Bash\n    rm x\n    description: a test\n",
    );
    terminal.send(key);
    await terminal.until(words);
    expect(await terminal.ended).toBe(0);
    await terminal.close();
    open("-p", "run rm x", "--output-format", "stream-json");
    await terminal.until(CHOICES);
    terminal.send(key);
    expect(await terminal.ended).toBe(0);
    expect(terminal.written()).toContain(`"decision":"${decision}"`);
  });

  it("is not given by what was typed before it was asked for", async () => {
    open();
    await terminal.until("> ");
    terminal.send("slow rm x\r");
    await terminal.until("waiting for the model");
    terminal.send("yes, always");
    await terminal.until(CHOICES);
    expect(terminal.screen().join("\n")).toMatch(/\n\[y\]es[^\n]*\? *$/m);
    terminal.send("n");
    await terminal.until("It did not run.");
    await terminal.until(/\n> yes, always$/m);
  });

  it("is not given by what was typed before, where there is only one prompt", async () => {
    open("-p", "run rm x");
    terminal.send("yes\ry");
    await terminal.until(CHOICES);
    terminal.send("n");
    await terminal.until("It did not run.");
    expect(await terminal.ended).toBe(0);
  });

  it("is about something that is seen whole, also in a narrow window, or on request", async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `echo ${at}`).join("; ");
    start(process.execPath, [LAUNCHER, "run", "claude", "-p", `run ${lines}; touch TAIL`], 40);
    await terminal.until(/touch\n {6}TAIL\n {4}description: a test\n\[y\]es/);
    terminal.send("n");
    expect(await terminal.ended).toBe(0);
  });

  it("--bell rings when one is waited for", async () => {
    open("-p", "run rm x", "--bell");
    await terminal.until(CHOICES);
    expect(terminal.written()).toContain("\u0007");
    terminal.send("n");
    expect(await terminal.ended).toBe(0);
  });

  it("is not asked for any more once the agent takes it back", async () => {
    open();
    await terminal.until("> ");
    terminal.send("until withdrawn\r");
    await terminal.until(CHOICES);
    writeFileSync(join(home.dir, "withdrawn"), "");
    await terminal.until(/It did not run\.\ndone in [^\n]*\n> $/m);
    expect(terminal.screen().join("\n")).not.toContain(CHOICES);
    expect(await leave()).toBe(0);
  });

  it("Ctrl-C denies it and stops the turn, and what else was asked is not asked any more", async () => {
    open("-p", "both");
    await terminal.until(CHOICES);
    terminal.send(INTERRUPT);
    expect(await terminal.ended).toBe(130);
    expect(terminal.written().match(/asks:/g)).toHaveLength(1);
  });
});

describe("questions", () => {
  it("are answered with numbers or words, one or several", async () => {
    const acp = `acp:node ${agent("acp-agent.ts")}`;
    start(process.execPath, [LAUNCHER, "run", acp, "-p", "form"]);
    for (const [question, answer] of [
      ["Who are you?", "Ada"],
      ["2. Large", "2"],
      ["age", "36"],
      ["Sure?", "1"],
      ["2. b", "2, 1"],
    ] as const) {
      await terminal.until((screen) => screen.slice(screen.lastIndexOf(question)).includes("> "));
      terminal.send(`${answer}\r`);
    }
    await terminal.until(/"size":"l"/);
    expect(terminal.screen().join("")).toContain('"tags":["b","a"]');
    expect(await terminal.ended).toBe(0);
  });
});

describe("other streams", () => {
  it("without a terminal for the prompt it says so, before the agent is started", async () => {
    openShell("2>err.log");
    expect(await terminal.ended).toBe(2);
    expect(readFileSync(join(home.dir, "err.log"), "utf8")).toMatch(
      /^error: There is no prompt, and nowhere/,
    );
  });

  it("each stream has its own colours", async () => {
    openShell("-p fail 2>err.log");
    expect(await terminal.ended).toBe(1);
    const words = readFileSync(join(home.dir, "err.log"), "utf8");
    expect(words).toContain("error: ");
    expect(words).not.toContain("\u001b");
    await terminal.close();
    openShell("-p fail >out.log");
    expect(await terminal.ended).toBe(1);
    expect(terminal.written()).toContain("\u001b[31merror:");
  });
});

describe("the ding", () => {
  it("--bell rings when it has finished", async () => {
    open("-p", "say Hello.", "--bell");
    await terminal.until("Hello.");
    expect(await terminal.ended).toBe(0);
    expect(terminal.written()).toContain("\u0007");
  });

  it("--notify tells the desktop, with words as arguments", async () => {
    const told = join(home.dir, "told");
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}.new' && mv '${told}.new' '${told}'\n`;
    writeFileSync(join(home.dir, "bin", "notify-send"), script, { mode: 0o755 });
    open("-p", "say $(touch x) `y`", "--notify");
    expect(await terminal.ended).toBe(0);
    const read = () => readFileSync(told, "utf8");
    await expect
      .poll(() => Promise.resolve().then(read).catch(String))
      .toContain("has finished: $(touch x) `y`");
    expect(read()).toContain("Baton: Claude Code");
  });
});
