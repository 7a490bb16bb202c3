// What only Claude Code is made to do live: its own ways of asking, subagents, compaction, changes while it runs, and
// failures that last. Each ends with the run closed or about to be, like the scenarios that all agents share.
import type { Reply } from "../../src/loopback/reply.ts";
import { layDown } from "../../src/verify/run.ts";
import type { Followed, LiveRig, StartOptions } from "./live-rig.ts";
import { TOOLS } from "./live-scenarios.ts";

const { shell, write } = TOOLS.claude;

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

  /** The same command is not asked for again, another one is. */
  async approval_session(rig) {
    const commands = ["echo one > made", "echo one > made", "echo two > made"];
    const one = await asking(rig, [
      ...commands.map((command) => ({ calls: [shell(command)] })),
      { text: "Done." },
    ]);
    await one.turn("Make it", { allow: true, always: true }, { allow: true });
    return one;
  },

  async approval_changed(rig) {
    const one = await asking(rig, [{ calls: [shell("echo wrong-$((1 + 1))")] }, { text: "Done." }]);
    const input = { command: "echo right-$((1 + 1))", description: "a test" };
    await one.turn("Say it", { allow: true, input });
    return one;
  },

  /** The agent's own settings: a file that it writes is asked for, with what it suggests for the session. */
  async approval_suggested(rig) {
    rig.answer([
      { calls: [write(`${rig.cwd}/first.txt`, "1\n")] },
      { calls: [write(`${rig.cwd}/second.txt`, "2\n")] },
      { text: "Both are there." },
    ]);
    const one = rig.start({ mode: "default", hasApprover: true });
    await one.turn("Write both", { allow: true, always: true });
    return one;
  },

  async approval_interrupted(rig) {
    const one = await asking(rig, []);
    // Whether the model is still told of the refusal is a matter of luck.
    rig.answer(({ messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes("Leave it")) return { text: "What else?" };
      return asked.includes("tool_result") ? { text: "Stopped." } : { calls: [shell("touch made")] };
    });
    await one.interrupted("Make it", "approval_request");
    await one.turn("Leave it");
    return one;
  },

  async denying(rig) {
    await allowAll(rig);
    rig.answer([{ calls: [shell("touch made")] }, { calls: [shell("touch more")] }, { text: "Neither." }]);
    const one = rig.start({ mode: "deny" });
    await one.turn("Make them");
    return one;
  },

  async question(rig) {
    const options = ["Red", "Blue"].map((label) => ({ label, description: `It is ${label}.` }));
    const questions = [
      { question: "Which colour?", header: "Colour", options, multiSelect: false },
      { question: "Which ones?", header: "Ones", options, multiSelect: true },
    ];
    rig.answer([
      { text: "Asking.", calls: [{ name: "AskUserQuestion", input: { questions } }] },
      { text: "Red, then." },
    ]);
    const one = rig.start({ mode: "default", hasApprover: true });
    await one.turn("Ask me", {
      allow: true,
      answers: { "Which colour?": "Red", "Which ones?": ["Red", "Blue"] },
    });
    return one;
  },

  /** Subagents run in the background unless they are told not to: the turn is over when they are. */
  async subagent(rig) {
    rig.answer(delegating({}));
    const one = rig.start();
    await one.turn("Delegate please");
    return one;
  },

  async subagent_awaited(rig) {
    rig.answer(delegating({ run_in_background: false }));
    const one = rig.start();
    await one.turn("Delegate please");
    return one;
  },

  async subagent_asking(rig) {
    await allowAll(rig);
    rig.answer(delegating({ run_in_background: false }));
    const one = rig.start({ mode: "interactive", hasApprover: true });
    await one.turn("Delegate please", { allow: true });
    return one;
  },

  /** A command in the background ends after the turn has, and the agent begins one by itself. */
  async background_shell(rig) {
    const call = shell("sleep 0.4; echo late");
    const background = { ...call, input: { ...(call.input as object), run_in_background: true } };
    rig.answer([{ calls: [background] }, { text: "It runs." }, { text: "It has ended." }]);
    const one = rig.start();
    const { seq } = await one.turn("Run it");
    await one.until((event) => event.type === "message_stop" && event.seq > seq + 1);
    return one;
  },

  async compaction(rig) {
    const summary: Reply = { text: "<analysis>All.</analysis><summary>They greeted each other.</summary>" };
    rig.answer([{ text: "Good day." }, summary, { text: "Going on." }]);
    const one = rig.start();
    await one.turn("Hello");
    await one.turn("/compact");
    await one.turn("And now?");
    return one;
  },

  async model_change(rig) {
    // Another model is tried before it is taken.
    rig.answer(({ model }) => ({ text: `I am ${model}.` }));
    const one = rig.start({ model: "claude-opus-4-8" });
    await one.turn("Who are you?");
    one.run.setModel("claude-haiku-4-5");
    await one.until((event) => event.type === "system" && event.subtype === "model");
    await one.turn("And now?");
    return one;
  },

  /** From the agent's own rules, which allow it, to a mode that denies, and back. */
  async mode_change(rig) {
    await allowAll(rig);
    rig.answer([{ calls: [shell("touch one")] }, { text: "Denied." }, { calls: [shell("touch two")] }]);
    const one = rig.start({ mode: "default" });
    one.run.setMode("deny");
    await one.turn("Make one");
    one.run.setMode("default");
    await one.turn("Make two");
    return one;
  },

  async cleared(rig) {
    rig.answer([{ text: "Before." }, { text: "After." }]);
    const one = rig.start();
    await one.turn("Say before");
    await one.turn("/clear");
    await one.turn("Say after");
    return one;
  },

  async refusal(rig) {
    rig.answer(() => ({ text: "No.", stopReason: "refusal" }));
    const one = rig.start();
    await one.turn("Something bad");
    return one;
  },

  async interrupted_tool(rig) {
    rig.answer([{ calls: [shell("touch started; sleep 30")] }, { text: "Stopped." }]);
    const one = rig.start();
    await one.interrupted("Wait long", "tool_use");
    await one.turn("And now?");
    return one;
  },

  /** After an answer that fails in the middle the agent asks again without a stream: the text comes in one piece. */
  async failed_stream(rig) {
    let asked = 0;
    const error = { status: 529, message: "Overloaded", after: 4 };
    const text = "This is said as a whole.";
    rig.answer(() => (asked++ === 0 ? { text, error } : { text }));
    const one = rig.start();
    await one.turn("Fail in the middle");
    return one;
  },

  rate_limit_lasting: failing(
    { status: 429, message: "Too many requests.", retryAfter: 1 },
    { env: { CLAUDE_CODE_MAX_RETRIES: "1" } },
  ),
  server_error: failing({ status: 500, message: "Broken." }, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } }),
  overloaded: failing({ status: 529, message: "Overloaded" }, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } }),
  forbidden: failing({ status: 403, message: "Not for you." }),
  context_too_long: failing({
    status: 400,
    message: "prompt is too long: 250000 tokens > 200000 maximum",
  }),
  model_unknown: failing({ status: 404, message: "model: claude-none" }, { model: "claude-none" }),
  not_signed_in: failing(undefined, { env: { ANTHROPIC_API_KEY: "" } }),
  async session_missing(rig) {
    const one = rig.start({ session: "00000000-0000-4000-8000-00000000beef" });
    await one.turn("Are you there?");
    return one;
  },
  offline: failing(undefined, {
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", CLAUDE_CODE_MAX_RETRIES: "1" },
  }),
};

function failing(error: Reply["error"], options: StartOptions = {}) {
  return async (rig: LiveRig): Promise<Followed> => {
    rig.answer(() => (error ? { error } : { text: "It works." }));
    const one = rig.start(options);
    await one.turn("Does it work?");
    return one;
  };
}

async function asking(rig: LiveRig, replies: Reply[]): Promise<Followed> {
  await allowAll(rig);
  rig.answer(replies);
  return rig.start({ mode: "interactive", hasApprover: true });
}

/** As users have it who do not want to be asked. */
async function allowAll(rig: LiveRig): Promise<void> {
  const permissions = { allow: ["Bash(*)", "Write", "Edit"] };
  await layDown(rig.home, { ".claude/settings.json": JSON.stringify({ permissions }) });
}

/** The subagent runs a command, tells what came of it, and the agent says that it knows. */
function delegating(more: object): (request: { messages: unknown }) => Reply {
  let turn = 0;
  return ({ messages }) => {
    const asked = JSON.stringify(messages);
    if (!asked.includes("Delegate please"))
      return asked.includes("tool_result")
        ? { text: "There are three files." }
        : {
            thinking: "I have to look.",
            text: "Counting.",
            calls: [shell("echo three > counted; cat counted")],
          };
    turn++;
    if (turn > 1) return { text: `Delegated, step ${turn}.` };
    const input = {
      description: "count",
      prompt: "Count the files of this project",
      subagent_type: "general-purpose",
      ...more,
    };
    return { text: "Delegating.", calls: [{ name: "Agent", input }] };
  };
}
