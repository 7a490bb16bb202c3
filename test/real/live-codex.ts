// What only Codex is made to do live: what it asks, its scripts and subagents, commands that go on, compaction, changes
// while it runs, and failures. Each ends with the run closed or about to be, like the scenarios that all agents share.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Call, Reply } from "../../src/loopback/reply.ts";
import { patch, shell } from "./codex.ts";
import type { Followed, LiveRig, StartOptions } from "./live-rig.ts";
import { SHOP } from "./live-shop.ts";
import { PNG } from "./media.ts";

const failing = (status: number, message: string, type?: string): Reply => ({
  error: { status, message, ...(type !== undefined && { type }) },
});
const script = (input: string): Call => ({ name: "exec", custom: true, input });
/** Models from this one on do everything by scripts. */
const SCRIPTED = "gpt-6.1-sol";

export const EXTRA: Record<string, (rig: LiveRig) => Promise<Followed>> = {
  async approval_allowed(rig) {
    const one = asking(rig, [
      { text: "Making it.", calls: [shell("echo made > made.txt")] },
      { calls: [patch("*** Update File: made.txt", "@@", "-made", "+changed")] },
      { text: "Made." },
    ]);
    await one.turn("Make it", { allow: true }, { allow: true });
    return one;
  },

  async approval_denied(rig) {
    const one = asking(rig, [
      { calls: [shell("touch made.txt")] },
      { calls: [patch("*** Add File: made.txt", "+made")] },
      { text: "Not made." },
    ]);
    await one.turn("Make it", { allow: false, message: "Not in this folder." }, { allow: false });
    return one;
  },

  /** The same command is not asked for again, another one is. */
  async approval_session(rig) {
    const commands = ["echo one", "echo one", "echo two"];
    const one = asking(rig, [...commands.map((cmd) => ({ calls: [shell(cmd)] })), { text: "Done." }]);
    await one.turn("Say it", { allow: true, always: true }, { allow: true });
    return one;
  },

  /** The sandbox stops a command, and Codex asks whether it may run without; in this mode it may. */
  async approval_escalated(rig) {
    rig.answer([{ calls: [shell("touch made.txt && echo made")] }, { text: "Made." }]);
    const one = rig.start({ mode: "auto" });
    await one.turn("Make it");
    return one;
  },

  /** Interrupted while it waits for an answer. */
  async approval_withdrawn(rig) {
    const one = asking(rig, []);
    // Whether the model is still told of the refusal is a matter of luck.
    rig.answer(({ messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes("And now?")) return { text: "Going on." };
      return asked.includes("tool_result") ? { text: "Stopped." } : { calls: [shell("touch made.txt")] };
    });
    await one.interrupted("Make it", "approval_request");
    await one.turn("And now?");
    return one;
  },

  /** Nobody is asked: what changes something is denied, in the user's own settings or not. */
  async mode_deny(rig) {
    await serve(rig, 'default_tools_approval_mode = "approve"');
    rig.answer([
      { calls: [shell("touch made.txt")] },
      { calls: [{ name: "look_up", namespace: "mcp__shop", input: { word: "x" } }] },
      { text: "Neither was allowed." },
    ]);
    const one = rig.start({ mode: "deny" });
    await one.turn("Make it");
    return one;
  },

  async question(rig) {
    await configure(rig, (config) =>
      config.replace("[features]", "[features]\ndefault_mode_request_user_input = true"),
    );
    const options = [
      { label: "Red", description: "like a rose" },
      { label: "Blue", description: "like the sea" },
    ];
    const questions = [{ id: "colour", header: "Colour", question: "Which colour?", options }];
    const one = asking(rig, [
      { calls: [{ name: "request_user_input", input: { questions } }] },
      { text: "Blue it is." },
    ]);
    await one.turn("Ask me", { allow: true, answers: { "Which colour?": "Blue" } });
    return one;
  },

  /** A tool of an MCP server has to be allowed, and then asks the user itself. */
  async form(rig) {
    await serve(rig);
    const one = asking(rig, [
      { calls: [{ name: "sign_up", namespace: "mcp__shop", input: {} }] },
      { calls: [{ name: "fails", namespace: "mcp__shop", input: {} }] },
      { text: "Signed up." },
    ]);
    const answers = { "Who you are": "Ada", Size: "large", Newsletter: "No", age: "36" };
    await one.turn("Sign me up", { allow: true }, { allow: true, answers }, { allow: true, always: true });
    return one;
  },

  async other_tools(rig) {
    await writeFile(join(rig.cwd, "dot.png"), PNG);
    await rig.write("a.txt", "one\ntwo\nthree\n");
    rig.answer([
      { calls: [{ name: "view_image", input: { path: join(rig.cwd, "dot.png") } }] },
      { calls: [patch("*** Update File: a.txt", "@@", " one", "-two", "+2", "*** Delete File: b.txt")] },
      { calls: [{ name: "no_such_tool", input: { deep: { list: ["x"] } } }] },
      { calls: [{ name: "exec_command", input: "{not json" }] },
      { text: "That is all." },
    ]);
    const one = rig.start();
    await one.turn("Use them");
    return one;
  },

  /** A resumed thread tells only items: what they know has to do. */
  async resumed_tools(rig) {
    rig.answer([{ text: "Ready." }]);
    const first = rig.start();
    const { session_id } = await first.turn("Get ready");
    await first.close();
    await writeFile(join(rig.cwd, "dot.png"), PNG);
    rig.answer([
      { calls: [shell(`printf '%s\\n' "it's" 'a "quoted" $word'`)] },
      { calls: [shell("echo there", { workdir: "/tmp" })] },
      { calls: [patch("*** Add File: a.txt", "+one", "+two")] },
      { calls: [patch("*** Update File: a.txt", "@@", " one", "-two", "+2")] },
      { calls: [{ name: "view_image", input: { path: join(rig.cwd, "dot.png") } }] },
      { calls: [shell("echo waiting; sleep 3", { yield_time_ms: 300 })] },
      { calls: [shell("exit 4")] },
      { text: "That is all." },
    ]);
    const second = rig.start({ session: session_id });
    await second.turn("Use them");
    return second;
  },

  /** A command that goes on holds nothing up. */
  async background(rig) {
    rig.answer([
      { calls: [shell("echo waiting; sleep 5", { yield_time_ms: 300 })] },
      { calls: [shell("echo meanwhile")] },
      { text: "It is still going on." },
    ]);
    const one = rig.start();
    await one.turn("Start it");
    return one;
  },

  /** The command stops with the turn. */
  async interrupt_command(rig) {
    rig.answer([{ calls: [shell("echo begun; sleep 60; echo over")] }, { text: "Stopped." }]);
    const one = rig.start();
    const turn = one.turn("Start it");
    await one.until(({ type }) => type === "tool_use");
    await begun(one);
    one.run.interrupt();
    await turn;
    await one.turn("And now?");
    return one;
  },

  async scripts(rig) {
    rig.answer([
      {
        text: "Scripting.",
        calls: [script('text((await tools.exec_command({ cmd: "echo from-a-script" })).output);')],
      },
      { calls: [script('text("computed " + 6 * 7);')] },
      { calls: [script('throw new Error("bad");')] },
      { text: "Scripted." },
    ]);
    const one = rig.start({ model: SCRIPTED });
    await one.turn("Write scripts");
    return one;
  },

  async subagent(rig) {
    rig.answer(delegating("multi_agent_v1", (agent) => ({ targets: [agent], timeout_ms: 10_000 })));
    const one = rig.start();
    await one.turn("Delegate please");
    return one;
  },

  /** The second version of subagents, which newer models have. */
  async subagent_second(rig) {
    rig.answer(delegating("collaboration", () => ({ timeout_ms: 10_000 })));
    const one = rig.start({ model: SCRIPTED });
    await one.turn("Delegate please");
    return one;
  },

  async compaction(rig) {
    rig.answer([
      { text: "Much was said.", calls: [shell("echo much")], usage: { input: 250_000, output: 10 } },
      { text: "A summary of it all." },
      { text: "Going on after the summary." },
    ]);
    const one = rig.start();
    await one.turn("Say much");
    return one;
  },

  /** A model of another kind goes on with a summary. */
  async model_change(rig) {
    rig.answer([{ text: "The first." }, { text: "A summary of it." }, { text: "The second." }]);
    const one = rig.start();
    await one.turn("Who is it?");
    one.run.setModel("gpt-5.6-sol");
    await one.turn("And now?");
    return one;
  },

  /** What ran by itself is asked for in the next turn, and runs by itself again in the last. */
  async mode_change(rig) {
    const replies = ["one", "two", "three"].flatMap((word) => [
      { calls: [shell(`echo ${word}`)] },
      { text: `Said ${word}.` },
    ]);
    rig.answer(replies);
    const one = rig.start({ mode: "default", hasApprover: true });
    await one.turn("Say one");
    one.run.setMode("interactive");
    await one.turn("Say two", { allow: true });
    one.run.setMode("default");
    await one.turn("Say three");
    return one;
  },

  async server_errors(rig) {
    await impatient(rig);
    rig.answer(() => failing(500, "Something broke."));
    return failed(rig);
  },

  async rate_limited(rig) {
    await impatient(rig);
    rig.answer(() => failing(429, "Too many requests."));
    return failed(rig);
  },

  async usage_limit(rig) {
    rig.answer(() => failing(429, "The usage limit has been reached", "usage_limit_reached"));
    return failed(rig);
  },

  async bad_request(rig) {
    rig.answer(() => failing(400, "Something is wrong with it."));
    return failed(rig);
  },

  async unknown_model(rig) {
    await impatient(rig);
    rig.answer(() => failing(404, "The model `gpt-none` does not exist.", "model_not_found"));
    return failed(rig, { model: "gpt-none" });
  },

  async context_too_long(rig) {
    const error = { status: 400, message: "Your input is too long.", type: "context_length_exceeded" };
    rig.answer(() => ({ error: { ...error, after: 2 } }));
    return failed(rig);
  },

  async offline(rig) {
    await impatient(rig);
    await configure(rig, (config) => config.replace(/base_url = .*/, 'base_url = "http://127.0.0.1:9/v1"'));
    return failed(rig);
  },

  async not_signed_in(rig) {
    return failed(rig, { env: { SIM_KEY: "" } });
  },

  async session_missing(rig) {
    return failed(rig, { session: "01a00000-0000-7000-8000-0000000000ff" });
  },

  async session_busy(rig) {
    rig.answer([{ text: "It is mine." }]);
    const first = rig.start();
    const { session_id } = await first.turn("Take it");
    const second = await failed(rig, { session: session_id });
    await second.close();
    await first.close();
    return second;
  },
};

function asking(rig: LiveRig, replies: Reply[], options: StartOptions = {}): Followed {
  rig.answer(replies);
  return rig.start({ mode: "interactive", hasApprover: true, ...options });
}

async function failed(rig: LiveRig, options: StartOptions = {}): Promise<Followed> {
  const one = rig.start(options);
  await one.turn("Try it");
  return one;
}

async function configure(rig: LiveRig, edit: (config: string) => string): Promise<void> {
  const path = join(rig.home, ".codex", "config.toml");
  await writeFile(path, edit(await readFile(path, "utf8")));
}

/** Gives up after one try instead of thirty. */
async function impatient(rig: LiveRig): Promise<void> {
  const tries = "request_max_retries = 0\nstream_max_retries = 1\n";
  await configure(rig, (config) => config.replace("wire_api =", `${tries}wire_api =`));
}

/** The call is told before there is a process; Codex says when there is, and no event of ours does. */
async function begun(one: Followed): Promise<void> {
  const isBegun = () => one.inputs.some((input) => "text" in input && input.text.includes('"processId":"'));
  while (!isBegun()) await new Promise((resolve) => setImmediate(resolve));
}

function delegating(namespace: string, waiting: (agent: string) => Record<string, unknown>) {
  let asked = 0;
  return ({ messages }: { messages: unknown }): Reply => {
    const all = JSON.stringify(messages);
    if (!all.includes("Delegate please"))
      return all.includes("sub-echo")
        ? { text: "There are three." }
        : { thinking: "One moment.", text: "Counting.", calls: counting(namespace) };
    asked++;
    const task = { message: "Count the files", ...(namespace === "collaboration" && SECOND) };
    if (asked === 1) return { text: "Delegating.", calls: [{ name: "spawn_agent", namespace, input: task }] };
    if (asked > 2) return { text: "It counted three." };
    const agent = /agent_id\W+([0-9a-f-]{36})/.exec(all)?.[1] ?? "";
    return { calls: [{ name: "wait_agent", namespace, input: waiting(agent) }] };
  };
}

const SECOND = { task_name: "count", fork_turns: "none" };

function counting(namespace: string): Call[] {
  const isScripted = namespace === "collaboration";
  return [
    isScripted
      ? script('await tools.exec_command({ cmd: "echo sub-echo" });text("sub-echo");')
      : shell("echo sub-echo"),
  ];
}

/** An MCP server with a tool that asks its user. */
async function serve(rig: LiveRig, settings = ""): Promise<void> {
  const path = join(rig.home, "shop.mjs");
  await writeFile(path, SHOP);
  await configure(
    rig,
    (config) =>
      `${config}[mcp_servers.shop]\ncommand = "node"\nargs = [${JSON.stringify(path)}]\n${settings}\n`,
  );
}
