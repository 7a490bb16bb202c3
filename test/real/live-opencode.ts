// What only OpenCode is made to do live: its permissions and whose rules hold, questions, subagents, compaction, changes
// while it runs, and failures. Each ends with the run closed or about to be, like the scenarios that all agents share.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reply } from "../../src/loopback/reply.ts";
import type { ModelRequest } from "../../src/loopback/request.ts";
import type { Followed, LiveRig, StartOptions } from "./live-rig.ts";
import { TOOLS } from "./live-scenarios.ts";

const { shell, write, read } = TOOLS.opencode;

export const EXTRA: Record<string, (rig: LiveRig) => Promise<Followed>> = {
  /** The user's own rules allow it; in this mode it is asked for all the same. */
  async approval_allowed(rig) {
    const one = await asking(rig, [{ text: "Making it.", calls: [shell("touch made")] }, { text: "Made." }]);
    await one.turn("Make it", { allow: true });
    return one;
  },

  async approval_denied(rig) {
    const one = await asking(rig, [{ calls: [shell("touch made")] }, { text: "Not made." }]);
    await one.turn("Make it", { allow: false, message: "Not in this folder." });
    return one;
  },

  /** A command of the same kind is not asked for again, another one is. */
  async approval_session(rig) {
    const commands = ["echo one", "echo two", "touch three"];
    const one = await asking(rig, [
      ...commands.map((command) => ({ calls: [shell(command)] })),
      { text: "Done." },
    ]);
    await one.turn("Make it", { allow: true, always: true }, { allow: true });
    return one;
  },

  /** Denied first, the other one allowed later: the refusal waits for it, since it would take it along. */
  async approval_parallel(rig) {
    const calls = [shell("echo one-$((1 + 1))"), shell("echo two-$((1 + 1))")];
    const one = await asking(rig, [{ calls }, { text: "One of them." }]);
    const turn = one.turn("Run both");
    const first = await one.ask();
    const second = await one.ask(first.seq);
    const [denied, allowed] = JSON.stringify(first.input).includes("one-")
      ? [first, second]
      : [second, first];
    one.run.decide(denied.id, { allow: false });
    one.run.decide(allowed.id, { allow: true });
    await turn;
    return one;
  },

  async approval_interrupted(rig) {
    const one = await asking(rig, [{ calls: [shell("touch made")] }, { text: "Going on." }]);
    await one.interrupted("Make it", "approval_request");
    await one.turn("And now?");
    return one;
  },

  /** Changes are denied, looking is not, and the user's own prohibitions hold. */
  async denying(rig) {
    await configure(rig, { permission: { "*": "allow", bash: { "*": "allow", "rm *": "deny" } } });
    await rig.write("there.txt", "here\n");
    rig.answer([
      {
        calls: [write(`${rig.cwd}/made.txt`, "1\n"), read(`${rig.cwd}/there.txt`), shell("rm -f there.txt")],
      },
      { text: "Only looked." },
    ]);
    const one = rig.start({ mode: "deny" });
    await one.turn("Change something");
    return one;
  },

  /** The agent's own settings, and nobody there to be asked. */
  async own_rules(rig) {
    await configure(rig, { permission: { bash: "ask" } });
    rig.answer([
      { calls: [shell("echo one"), write(`${rig.cwd}/made.txt`, "1\n")] },
      { text: "One of two." },
    ]);
    const one = rig.start({ mode: "default" });
    await one.turn("Do both");
    return one;
  },

  /** An agent of the user's allows what its settings would have asked for: the session has to hold the rules. */
  async overruled(rig) {
    await configure(rig, { agent: { ...UNTITLED, build: { permission: { bash: "allow" } } } });
    rig.answer([{ calls: [shell("echo one")] }, { text: "Asked." }]);
    const one = rig.start({ mode: "interactive", hasApprover: true });
    await one.turn("Run it", { allow: true });
    return one;
  },

  async question(rig) {
    rig.answer([{ text: "A question.", calls: [QUESTION] }, { text: "Red, small and large." }]);
    const one = await started(rig, { mode: "default", hasApprover: true });
    await one.turn("Ask me", {
      allow: true,
      answers: { "Which colour?": "Red", "Which sizes?": ["S", "L"] },
    });
    return one;
  },

  async question_to_nobody(rig) {
    rig.answer([{ calls: [QUESTION] }, { text: "Then I choose." }]);
    const one = await started(rig, { mode: "auto" });
    await one.turn("Ask me");
    return one;
  },

  /** What a subagent does, and what it asks. */
  async subagent(rig) {
    rig.answer(delegating());
    const one = await started(rig, { mode: "interactive", hasApprover: true });
    await one.turn("Delegate please", { allow: true }, { allow: true });
    return one;
  },

  async compaction(rig) {
    await configure(rig, {}, { limit: { context: 12_000, output: 1000 } });
    rig.answer([
      { text: "Much was said.", usage: { input: 20_000, output: 5 } },
      { text: "They said much." },
      { text: "Going on after the summary." },
    ]);
    const one = rig.start();
    await one.turn("Say much");
    return one;
  },

  /** The vendor refuses what is too long; OpenCode makes it shorter by itself. */
  async context_too_long(rig) {
    const tooLong: Reply = { error: { status: 400, message: "prompt is too long: 300000 tokens > 200000" } };
    rig.answer([tooLong, { text: "They said much." }, { text: "It fits now." }]);
    const one = await started(rig);
    await one.turn("Say much");
    return one;
  },

  async model_change(rig) {
    await configure(rig, {}, { name: "Other" }, "other");
    rig.answer([{ text: "One model." }, { text: "Another one." }]);
    const one = rig.start({ model: "sim/sim-model" });
    await one.turn("Who are you?");
    one.run.setModel("sim/other");
    await one.turn("And now?");
    return one;
  },

  /** The second prompt comes before OpenCode has told the first failure twice. */
  async model_unknown(rig) {
    rig.answer([{ text: "This one is known." }]);
    const one = await started(rig, { model: "sim/nothing" });
    await one.turn("Who are you?");
    one.run.setModel("sim/sim-model");
    await one.turn("And now?");
    return one;
  },

  /** More is asked from the next prompt on, and the run itself allows it again. */
  async mode_change(rig) {
    rig.answer([
      { text: "Ready." },
      { calls: [shell("echo two")] },
      { text: "Asked." },
      { calls: [shell("echo three")] },
      { text: "Not asked." },
    ]);
    const one = await started(rig, { mode: "default", hasApprover: true });
    await one.turn("Be ready");
    one.run.setMode("interactive");
    await one.turn("Run two", { allow: true });
    one.run.setMode("auto");
    await one.turn("Run three");
    return one;
  },

  async rate_limit_lasting(rig) {
    rig.answer(() => ({ error: { status: 429, message: "Too many requests.", retryAfter: 0 } }));
    const one = await started(rig);
    await one.turn("Ask too much");
    return one;
  },

  async server_error(rig) {
    rig.answer(() => ({ error: { status: 500, message: "It is broken.", retryAfter: 0 } }));
    const one = await started(rig);
    await one.turn("Break it");
    return one;
  },

  /** It would go on trying for a minute. */
  async offline(rig) {
    await configure(rig, {}, {}, "sim-model", { baseURL: "http://127.0.0.1:9/v1" });
    const one = rig.start();
    await one.interrupted("Is anybody there?", "retry");
    return one;
  },

  async not_signed_in(rig) {
    await configure(rig, {}, {}, "sim-model", { apiKey: undefined });
    const one = rig.start();
    await one.turn("Who am I?");
    return one;
  },

  async refused(rig) {
    rig.answer([{ text: "I will", stopReason: "refusal" }]);
    const one = await started(rig);
    await one.turn("Do something bad");
    return one;
  },

  /** The words before the break are told, and then the whole again. */
  async cut_text(rig) {
    const words = "These words were told before the connection broke, and they stay where they are.";
    rig.answer([{ text: words, cut: 7, pace: 100 }, { text: "The whole again." }]);
    const one = await started(rig);
    await one.turn("Break off later");
    return one;
  },

  async interrupted_tool(rig) {
    rig.answer([{ calls: [shell("echo begun; sleep 60")] }, { text: "Going on." }]);
    const one = await started(rig);
    await one.interrupted("Run it", "tool_use");
    await one.turn("And now?");
    return one;
  },

  /** Before OpenCode has begun to work on the prompt. */
  async interrupted_at_once(rig) {
    rig.answer([{ text: "First." }, { text: "Going on." }]);
    const one = await started(rig);
    await one.turn("Say something");
    const turn = one.turn("And more");
    one.run.interrupt();
    await turn;
    await one.turn("And now?");
    return one;
  },

  async session_missing(rig) {
    const one = await started(rig, { session: "ses_00000000000000000000000000" });
    await one.turn("Which one was it?");
    return one;
  },

  async settings_broken(rig) {
    await configure(rig, { permission: { bash: "perhaps" } });
    const one = rig.start();
    await one.turn("Say something");
    return one;
  },
};

const QUESTION = {
  name: "question",
  input: {
    questions: [
      {
        question: "Which colour?",
        header: "Colour",
        options: [
          { label: "Red", description: "as blood" },
          { label: "Blue", description: "as the sky" },
        ],
      },
      {
        question: "Which sizes?",
        header: "Sizes",
        multiple: true,
        options: [
          { label: "S", description: "small" },
          { label: "L", description: "large" },
        ],
      },
    ],
  },
};

/** A title would be asked of the same model, and take a reply away. */
const UNTITLED = { title: { disable: true } };

type Fields = Record<string, unknown>;

/** Changes the settings, and the model or the provider that they name. */
async function configure(
  rig: LiveRig,
  settings: Fields,
  facts: Fields = {},
  model = "sim-model",
  provider: Fields = {},
): Promise<void> {
  const path = join(rig.home, ".config/opencode/opencode.json");
  const config = JSON.parse(await readFile(path, "utf8"));
  const { sim } = config.provider;
  sim.models[model] = { ...sim.models["sim-model"], ...facts };
  Object.assign(sim.options, provider);
  await writeFile(path, JSON.stringify({ ...config, agent: UNTITLED, ...settings }));
}

async function started(rig: LiveRig, options: StartOptions = {}): Promise<Followed> {
  await configure(rig, {});
  return rig.start(options);
}

async function asking(rig: LiveRig, replies: readonly Reply[]): Promise<Followed> {
  await configure(rig, { permission: "allow" });
  rig.answer(replies);
  return rig.start({ mode: "interactive", hasApprover: true });
}

function delegating(): (request: ModelRequest) => Reply {
  let asked = 0;
  return ({ messages }) => {
    const words = JSON.stringify(messages);
    if (!words.includes("Delegate please"))
      return asked++ === 0
        ? { thinking: "I count.", text: "Counting.", calls: [shell("echo counted-$((1 + 2))")] }
        : { text: "There are three." };
    const input = { description: "Count", prompt: "Count the files", subagent_type: "general" };
    return words.includes("There are three.")
      ? { text: "Delegated." }
      : { text: "Delegating.", calls: [{ name: "task", input }] };
  };
}
