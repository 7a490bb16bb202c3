// `baton run` as a user has it: a prompt and a reply in a pipe, events for a program, keys in a terminal. A small
// program stands for the agent; the real ones are in test/real.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { define } from "../../../src/cli/commands/run.ts";
import { WAIT_MS } from "../../../src/run/waits.ts";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent } from "../../../src/session/events.ts";
import { type AgentHome, eventsIn, makeAgentHome, STREAM } from "./agent-home.ts";

const DOCUMENTATION = readFileSync(join(import.meta.dirname, "../../../docs/live.md"), "utf8");

let home: AgentHome;
beforeEach(() => {
  home = makeAgentHome();
});
afterEach(() => home.remove());

const start: AgentHome["start"] = (...given) => home.start(...given);
const baton: AgentHome["baton"] = (...given) => home.baton(...given);

const types = (events: readonly AgentEvent[]) => events.map((event) => event.type);

it("waits as long as the documentation says where no option says otherwise", () => {
  const command = new Command();
  define(command, async () => undefined);
  const documented = (option: string) => {
    const row = DOCUMENTATION.split("\n").find((line) => line.startsWith(`| \`${option} SECONDS\``));
    return Number(/\((\d+)[;)]/.exec(row ?? "")?.[1]);
  };
  const { timeout, approvalTimeout } = command.opts();
  expect(timeout).toBe(documented("--timeout"));
  expect(approvalTimeout).toBe(documented("--approval-timeout"));
  expect(WAIT_MS.silence).toBe(timeout * 1000);
  expect(WAIT_MS.approval).toBe(approvalTimeout * 1000);
});

describe("in a pipe", () => {
  it("the reply is all of stdout, and the rest is on stderr", async () => {
    const { status, stdout, stderr } = await baton(["run", "claude", "-p", "say Hello there."]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Hello there.\n" });
    expect(stderr).toMatch(/^done in .* · 12 tokens in, 3 out · \$0\.01 · session [0-9a-z]{12}$/m);
    expect((await baton(["run", "claude", "-p", "say Hello.", "--quiet"])).stderr).toBe("");
  });

  it("the prompt is standard input where none is given, and an empty one is refused", async () => {
    expect(await baton(["run", "claude"], "say From a pipe.")).toMatchObject({
      status: 0,
      stdout: "From a pipe.\n",
    });
    const empty = await baton(["run", "claude"], " \n");
    expect(empty).toMatchObject({ status: 2, stdout: "" });
    expect(empty.stderr).toContain("There is no prompt.");
  });

  it("what needs an approval is denied where nobody is there, and allowed with --permission-mode auto", async () => {
    const denied = await baton(["run", "claude", "-p", "run rm x"]);
    expect(denied).toMatchObject({ status: 0, stdout: "It did not run.\n" });
    expect(denied.stderr).toContain("✗ Bash rm x");
    const allowed = await baton(["run", "claude", "-p", "run rm x", "--permission-mode", "auto"]);
    expect(allowed).toMatchObject({ status: 0, stdout: "It ran.\n" });
    expect(allowed.stderr).toContain("✓ Bash rm x");
    expect(allowed.stderr).not.toContain("it ran");
    const verbose = await baton([
      "run",
      "claude",
      "-p",
      "run rm x",
      "--permission-mode",
      "auto",
      "--verbose",
    ]);
    expect(verbose.stderr).toContain("    it ran");
  });

  it("a failure has a sentence, a hint and status 1", async () => {
    const { status, stdout, stderr } = await baton(["run", "claude", "-p", "fail"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/error: .*401/);
    expect(stderr).toContain("signs in; then run it again.");
  });

  it("--json is the result as one document", async () => {
    const { status, stdout } = await baton(["run", "claude", "-p", "say Hello.", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "result", subtype: "success", result: "Hello." });
  });
});

describe("names", () => {
  it.each([
    [["run", "nobody", "-p", "x"], 2, "There is no agent called"],
    [["run", "nobody", "-p", "x"], 2, "Name one of claude, codex, gemini, opencode, or acp:COMMAND."],
    [["run", "yume", "-p", "x"], 1, "has no program that could be run"],
    [["run", "acp:", "-p", "x"], 2, "acp: names no command"],
    [["run", "claude", "-p", "x", "--cwd", "/nowhere/at/all"], 3, "There is no folder /nowhere/at/all."],
    [["run", "claude", "-p", "x", "--session", "nothing"], 3, "nothing"],
    [["run", "claude", "-p", "x", "--permission-mode", "yolo"], 2, "permission-mode"],
    [["run", "claude", "-p", "x", "--timeout", "soon"], 2, "number of seconds"],
    [["run", "acp:cat", "-p", "x", "--session", "latest"], 1, "cannot be carried into an agent"],
  ] as const)("%j end with status %i", async (args, status, words) => {
    const ran = await baton(args);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status, stdout: "" });
    expect(ran.stderr).toContain(words);
  });

  it("an agent that is not installed is status 3, and in the stream an error and a result", async () => {
    const ran = await baton(["run", "codex", "-p", "x"]);
    expect(ran).toMatchObject({ status: 3, stdout: "" });
    expect(ran.stderr).toContain("Install Codex CLI, or put it into PATH.");
    const streamed = await baton(["run", "codex", "-p", "x", ...STREAM]);
    expect(streamed.status).toBe(3);
    const events = eventsIn(streamed.stdout);
    expect(types(events)).toEqual(["system", "error", "usage", "result", "message_stop"]);
    expect(events[1]).toMatchObject({ code: "agent_missing" });
  });
});

describe("an agent that is not there", () => {
  it.each([
    ["prompted", ["-p", "x"], ""],
    ["steered", ["--input-format", "stream-json"], '{"type":"prompt","text":"x"}\n'],
  ])("is told to a program, %s", async (_, more, input) => {
    for (const name of ["codex", "acp:nosuchcommand --acp"]) {
      const ran = await home.baton(["run", name, ...more, ...STREAM], input);
      expect(ran.status).toBe(3);
      expect(eventsIn(ran.stdout).find(({ type }) => type === "result")).toMatchObject({
        error: { code: "agent_missing" },
      });
    }
  });

  it("has nothing carried to it, nor has a run without a prompt", async () => {
    const project = join(home.dir, ".claude", "projects", "-p");
    mkdirSync(project, { recursive: true });
    const facts = { uuid: "1", parentUuid: null, sessionId: "s-1", cwd: home.dir };
    const said = { type: "user", message: { role: "user", content: "Hello" } };
    writeFileSync(join(project, "s-1.jsonl"), `${JSON.stringify({ ...said, ...facts })}\n`);
    const missing = await home.baton(["run", "codex", "--session", "claude:s-1", "-p", "x", "--yes"]);
    expect(missing.status).toBe(3);
    const empty = await home.baton(["run", "codex", "--session", "claude:s-1"], " ");
    expect(empty.status).toBe(2);
    expect(existsSync(join(home.dir, ".codex"))).toBe(false);
  });
});

describe("for programs", () => {
  it("--output-format stream-json prints events and nothing else", async () => {
    const { status, stdout, stderr } = await baton(["run", "claude", "-p", "say Hello there.", ...STREAM]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(types(eventsIn(stdout))).toEqual(["system", "text", "text", "usage", "result", "message_stop"]);
  });

  it("--redact hides a key that comes in pieces", async () => {
    const key =
      "ANTHROPIC_API_KEY=sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl-AAAAAAAA";
    const { stdout } = await baton(["run", "claude", "-p", `say Here: ${key}`, ...STREAM, "--redact"]);
    eventsIn(stdout);
    expect(stdout).not.toContain("sk-ant-api03-AbCd");
    expect(stdout).toContain("Here:");
  });

  it("of a thousand lines that mean nothing each is told or counted, and a later one is told again", async () => {
    const child = start(["run", "claude", "--input-format", "stream-json", ...STREAM]);
    const seen = following(child);
    const messageOf = (event: AgentEvent) => ("message" in event ? (event.message ?? "") : "");
    const countOf = (event: AgentEvent) =>
      Number(/made no sense: (\d+)/.exec(messageOf(event))?.[1] ?? messageOf(event).includes("oops"));
    child.stdin?.write("oops\n".repeat(1000));
    const told = new Set<AgentEvent>();
    const count = () => [...told].reduce((sum, event) => sum + countOf(event), 0);
    while (count() < 1000) told.add(await seen.until((event) => countOf(event) > 0 && !told.has(event)));
    expect(count()).toBe(1000);
    child.stdin?.write("later\n");
    await seen.until((event) => messageOf(event).includes("later"));
    child.stdin?.end();
    expect(await seen.over).toMatchObject({ status: 0 });
  });

  it("--input-format stream-json takes prompts, approvals, interrupts and changes", async () => {
    const child = start(["run", "claude", "--input-format", "stream-json", ...STREAM]);
    const seen = following(child);
    const tell = (line: object) => child.stdin?.write(`${JSON.stringify(line)}\n`);
    tell({ type: "prompt", text: "run rm x" });
    const asked = await seen.until(({ type }) => type === "approval_request");
    expect(asked).toMatchObject({ name: "Bash", input: { command: "rm x" } });
    tell({ type: "approval", id: "id" in asked ? asked.id : "", decision: "allow" });
    await seen.until(({ type }) => type === "message_stop");
    tell({ type: "prompt", text: "wait" });
    await seen.until((event) => event.type === "text" && event.text.startsWith("Waiting"));
    tell({ type: "interrupt" });
    await seen.until((event) => event.type === "result" && event.subtype === "interrupted");
    tell({ type: "nonsense" });
    tell({ type: "user", message: { role: "user", content: [{ type: "text", text: "say Bye." }] } });
    child.stdin?.end();
    const { events, stderr, status } = await seen.over;
    expect(events.filter(({ type }) => type === "result")).toMatchObject([
      { subtype: "success", result: "It ran." },
      { subtype: "interrupted" },
      { subtype: "success", result: "Bye." },
    ]);
    const mistakes = events.filter((event) => event.type === "system" && event.subtype === "error");
    expect(mistakes).toMatchObject([
      { code: "bad_input", message: expect.stringContaining("not understood") },
    ]);
    expect(stderr).toContain("was not understood");
    expect(status).toBe(0);
  });

  it.each([
    [["claude", "--session", "nothing"], 3, "claude", "session_missing", /nothing/],
    [["claude", "--cwd", "/nowhere/at/all"], 3, "claude", "bad_input", /There is no folder/],
    [["nobody"], 2, "nobody", "bad_input", /There is no agent called "nobody"/],
    [["yume"], 1, "yume", "unsupported", /no program that could be run/],
    [["acp:cat --session", "--session", "latest"], 1, "acp", "unsupported", /cannot be carried/],
  ] as const)("what keeps %j from starting is told as events", async (args, status, agent, code, words) => {
    const ran = await baton(["run", ...args, "-p", "x", ...STREAM]);
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status, stderr: "" });
    const events = eventsIn(ran.stdout);
    expect(types(events)).toEqual(["system", "error", "usage", "result", "message_stop"]);
    expect(events[0]).toMatchObject({ subtype: "init", agent, session_id: "" });
    expect(events[1]).toMatchObject({
      code,
      message: expect.stringMatching(words),
      hint: expect.any(String),
    });
  });

  it("SIGINT interrupts the turn and SIGTERM ends the run; either leaves nothing behind", async () => {
    const ended = { code: "agent_killed", message: "Claude Code was ended, because the run was." };
    for (const [signal, status, result] of [
      ["SIGINT", 130, { subtype: "interrupted" }],
      ["SIGTERM", 143, { subtype: "error", error: ended }],
    ] as const) {
      const child = start(["run", "claude", "-p", "wait", ...STREAM], "ignore");
      const seen = following(child);
      await seen.until(({ type }) => type === "text");
      child.kill(signal);
      const over = await seen.over;
      expect(over.status).toBe(status);
      expect(over.events.filter(({ type }) => type === "result")).toMatchObject([result]);
    }
  });

  it("goes on where Baton's own folder cannot be one", async () => {
    writeFileSync(join(home.dir, ".baton"), "");
    const { status, stdout, stderr } = await baton(["run", "claude", "-p", "say Hello"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Hello\n" });
    expect(stderr).toContain("No record of this run can be kept");
  });

  it("a reader that goes away ends it quietly, and the run is known to be over", async () => {
    const child = start(["run", "claude", "-p", "flood", ...STREAM], "ignore");
    const stderr = text(child.stderr as never);
    await once(child.stdout as NodeJS.ReadableStream, "data");
    child.stdout?.destroy();
    const [status] = await once(child, "exit");
    expect({ status, stderr: await stderr }).toEqual({ status: 0, stderr: "" });
    const { finished } = JSON.parse((await baton(["status", "--json"])).stdout);
    expect(finished).toMatchObject([{ title: "flood", outcome: "interrupted" }]);
  });

  it("a reader that goes away between two turns ends it too, though its input goes on", async ({
    onTestFinished,
  }) => {
    const child = start(["run", "claude", "--input-format", "stream-json", ...STREAM]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const seen = following(child);
    child.stdin?.write('{"type":"prompt","text":"say Hello."}\n');
    await seen.until(({ type }) => type === "message_stop");
    child.stdout?.destroy();
    // What is said of it has no reader any more.
    child.stdin?.write("nonsense\n");
    const [status] = await once(child, "exit");
    expect(status).toBe(0);
  });

  it("where its input breaks nobody is there any more who could answer", async ({ onTestFinished }) => {
    // Of no process there is memory at its very beginning.
    const input = openSync("/proc/self/mem", "r");
    const steered = ["run", "claude", "-p", "run rm x", "--input-format", "stream-json", ...STREAM];
    const child = start(steered, input);
    onTestFinished(() => {
      closeSync(input);
      child.kill("SIGKILL");
    });
    const { events, stderr, status } = await following(child).over;
    expect(status).toBe(0);
    expect(stderr).toContain("The input broke off: EIO");
    expect(events.find(({ type }) => type === "result")).toMatchObject({
      result: "It did not run.",
      permission_denials: [{ reason: "Nobody is there to allow it." }],
    });
  });

  it("--timeout ends an agent that says nothing, --approval-timeout a question that nobody answers", async () => {
    const silent = await baton(["run", "claude", "-p", "wait", "--timeout", "0.3", ...STREAM]);
    expect(silent.status).toBe(1);
    expect(eventsIn(silent.stdout)).toContainEqual(
      expect.objectContaining({ type: "result", error: expect.objectContaining({ code: "agent_hung" }) }),
    );
    const child = start(
      ["run", "claude", "--input-format", "stream-json", "--approval-timeout", "0.2", ...STREAM],
      "pipe",
    );
    const seen = following(child);
    child.stdin?.write('{"type":"prompt","text":"run rm x"}\n');
    const answered = await seen.until(({ type }) => type === "approval");
    expect(answered).toMatchObject({ decision: "deny", by: "timeout" });
    child.stdin?.end();
    expect((await seen.over).events).toContainEqual(
      expect.objectContaining({ type: "approval_request", timeout_ms: 200 }),
    );
  });

  it("--verbose shows what the agent complains about, with its name", async () => {
    const { stderr } = await baton(["run", "claude", "-p", "complain It is late.", "--verbose"]);
    expect(stderr).toMatch(/^\[claude\] It is late\.$/m);
    expect((await baton(["run", "claude", "-p", "complain It is late."])).stderr).not.toContain("late");
  });
});

function following(child: ChildProcess) {
  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.map((line) => JSON.parse(line)));
    for (const look of waiting) look();
  });
  const stderr = text(child.stderr as never);
  const exit = once(child, "close");
  return {
    over: (async () => {
      await exit;
      const checker = newEventChecker();
      expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
      return { events, stderr: await stderr, status: child.exitCode };
    })(),
    until: (wanted: (event: AgentEvent) => boolean) =>
      new Promise<AgentEvent>((resolve, reject) => {
        const look = () => {
          const found = events.find(wanted);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        exit.then(() => reject(new Error(`it ended: ${JSON.stringify(events)}`)), reject);
        waiting.add(look);
        look();
      }),
  };
}

describe("status", () => {
  it("knows what runs, what it waits for and how it ended", async () => {
    const child = start(["run", "claude", "--input-format", "stream-json", ...STREAM]);
    const seen = following(child);
    const status = async () => JSON.parse((await baton(["status", "--json"])).stdout);
    child.stdin?.write('{"type":"prompt","text":"run rm x"}\n');
    const asked = await seen.until(({ type }) => type === "approval_request");
    await expect.poll(status).toMatchObject({
      running: [],
      waiting: [{ origin: "run", agent: "claude", waitingFor: "an approval: Bash rm x", title: "run rm x" }],
    });
    expect((await baton(["status"])).stdout).toMatch(/^waiting .*waits for an approval: Bash rm x/);
    child.stdin?.end(
      `${JSON.stringify({ type: "approval", id: "id" in asked ? asked.id : "", decision: "deny" })}\n`,
    );
    await seen.over;
    expect(await status()).toMatchObject({ waiting: [], finished: [{ outcome: "success", live: false }] });
  });
});
