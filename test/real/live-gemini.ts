// What only Gemini CLI is made to do live: its own ways of asking, tools, changes while it runs, and failures that the
// common scenarios do not show. Each ends with the run closed or about to be, like the scenarios that all agents share.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reply } from "../../src/loopback/reply.ts";
import { call } from "./gemini.ts";
import type { Followed, LiveRig, StartOptions } from "./live-rig.ts";
import { TOOLS } from "./live-scenarios.ts";

const { shell, write, read } = TOOLS.gemini;

export const EXTRA: Record<string, (rig: LiveRig) => Promise<Followed>> = {
  /** The user's own settings and policies allow all of it; in this mode it is asked for all the same. */
  async approval_allowed(rig) {
    const one = await asking(rig, [
      { text: "Making it.", calls: [read(`${rig.cwd}/a.txt`), write(`${rig.cwd}/made.txt`, "1\n")] },
      { calls: [replaced("one", "1"), shell("touch made")] },
      { text: "Made." },
    ]);
    await one.turn("Make it", { allow: true }, { allow: true }, { allow: true });
    return one;
  },

  /** The CLI says no more of a call that was denied. */
  async approval_denied(rig) {
    const one = await asking(rig, [
      { calls: [shell("touch made"), shell("echo fine")] },
      { text: "Not made." },
    ]);
    await one.turn("Make it", { allow: false, message: "Not in this folder." });
    return one;
  },

  /** The same command is not asked for again, another one is; files are not, once one was allowed for the session. */
  async approval_session(rig) {
    const one = await asking(rig, [
      { calls: [shell("touch one"), shell("touch one"), shell("touch two")] },
      { calls: [write(`${rig.cwd}/first.txt`, "1\n"), write(`${rig.cwd}/second.txt`, "2\n")] },
      { text: "Done." },
    ]);
    await one.turn(
      "Make it",
      { allow: true, always: true },
      { allow: true, always: true },
      { allow: true, always: true },
    );
    return one;
  },

  /** Nobody is asked: what changes something is denied, whatever the user's settings allow. */
  async denied_by_mode(rig) {
    const replies = [{ calls: [read(`${rig.cwd}/a.txt`), shell("touch made")] }, { text: "Only looked." }];
    const one = await asking(rig, replies, { mode: "deny", hasApprover: false });
    await one.turn("Make it");
    return one;
  },

  async every_tool(rig) {
    await rig.write("a.txt", "one\ntwo\nthree\n");
    rig.answer([
      {
        thinking: "**Looking** Let me see.",
        text: "Reading.",
        calls: [
          call("read_file", { file_path: "a.txt", start_line: 2, end_line: 3 }),
          call("grep_search", { pattern: "t.o", include_pattern: "*.txt" }),
          call("glob", { pattern: "*.txt" }),
          call("list_directory", { dir_path: "." }),
        ],
      },
      {
        calls: [
          replaced("two", "2"),
          replaced("gone", "x"),
          shell("exit 3"),
          call("run_shell_command", { command: "pwd >/dev/null", dir_path: ".", description: "Where" }),
          call("write_todos", { todos: [{ description: "first", status: "in_progress" }] }),
          call("no_such_tool", { a: 1 }),
        ],
      },
      { text: "All done." },
    ]);
    const one = rig.start();
    await one.turn("Use your tools");
    return one;
  },

  async mcp_tool(rig) {
    const server = { command: process.execPath, args: [join(import.meta.dirname, "mcp.ts")] };
    await configure(rig, (settings) => ({ ...settings, mcpServers: { catalogue: server } }));
    rig.answer([{ calls: [call("mcp_catalogue_look_up", { word: "quokka" })] }, { text: "On shelf 7." }]);
    const one = rig.start({ mode: "default", hasApprover: true });
    await one.turn("Look it up", { allow: true, always: true });
    return one;
  },

  /** Subagents are refused by its own policy over ACP. */
  async subagent(rig) {
    const input = { agent_name: "generalist", prompt: "Count the files of this project" };
    rig.answer([{ text: "Delegating.", calls: [call("invoke_agent", input)] }, { text: "It may not." }]);
    const one = rig.start();
    await one.turn("Delegate please");
    return one;
  },

  async model_change(rig) {
    rig.answer([{ text: "By the first." }, { text: "By the second." }]);
    const one = rig.start();
    await one.turn("Who?");
    one.run.setModel("gemini-2.5-flash");
    await one.until((event) => event.type === "system" && event.subtype === "model");
    await one.turn("And now?");
    return one;
  },

  async mode_change(rig) {
    rig.answer([
      { calls: [write(`${rig.cwd}/first.txt`, "1\n")] },
      { text: "Made." },
      { calls: [write(`${rig.cwd}/second.txt`, "2\n")] },
      { text: "Not made." },
    ]);
    const one = rig.start();
    await one.turn("Make one");
    one.run.setMode("deny");
    await one.turn("Make another");
    return one;
  },

  async interrupt_hanging(rig) {
    rig.answer([
      { text: "A long reply that never comes to its end.", hang: 2 },
      { text: "Going on after it." },
    ]);
    const one = rig.start();
    await one.interrupted("Say something long", "text");
    await one.turn("And now?");
    return one;
  },

  async interrupt_tool(rig) {
    rig.answer([{ calls: [shell("touch started; sleep 60")] }, { text: "Going on after it." }]);
    const one = rig.start();
    await one.interrupted("Run something long", "tool_use");
    await one.turn("And now?");
    return one;
  },

  async interrupt_asking(rig) {
    // Whether the model is still told of the refusal is a matter of luck.
    rig.answer(({ messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes("And now?")) return { text: "Going on after it." };
      return asked.includes("tool_result") ? { text: "Stopped." } : { calls: [shell("touch made")] };
    });
    const one = rig.start({ mode: "interactive", hasApprover: true });
    await one.interrupted("Make it", "approval_request");
    await one.turn("And now?");
    return one;
  },

  /** Asked for four times, then passed over in silence. */
  async no_answer(rig) {
    rig.answer(() => ({ text: "", stopReason: "refusal" }));
    const one = rig.start();
    await one.turn("Say nothing");
    return one;
  },

  async too_long(rig) {
    const message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    rig.answer(() => ({ error: { status: 400, message } }));
    const one = rig.start();
    await one.turn("Say a lot");
    return one;
  },

  async unknown_model(rig) {
    rig.answer(() => ({
      error: { status: 404, message: "models/nope is not found for API version v1beta" },
    }));
    const one = rig.start({ model: "nope" });
    await one.turn("Who are you?");
    return one;
  },

  async no_key(rig) {
    const one = rig.start({ env: { GEMINI_API_KEY: "" } });
    await one.turn("Who am I?");
    return one;
  },

  async session_missing(rig) {
    const one = rig.start({ session: "00000000-0000-4000-8000-000000000099" });
    await one.turn("Where were we?");
    return one;
  },

  /** Every resume begins another file beside the session's own; it is still the same session. */
  async resume_twice(rig) {
    rig.answer([{ text: "The word is Quokka.", calls: [shell("echo once")] }, { text: "Said." }]);
    const first = rig.start();
    const { session_id } = await first.turn("Remember a word");
    await first.close();
    rig.answer([{ text: "It was Quokka." }]);
    const second = rig.start({ session: session_id });
    await second.turn("Which one was it?");
    await second.close();
    rig.answer([{ text: "Still Quokka." }]);
    const third = rig.start({ session: session_id });
    await third.turn("And now?");
    return third;
  },
};

/** With a user who has allowed everything, in the settings and by a policy of his own. */
async function asking(rig: LiveRig, replies: Reply[], options: StartOptions = {}): Promise<Followed> {
  await rig.write("a.txt", "one\ntwo\nthree\n");
  await configure(rig, (settings) => ({
    ...settings,
    general: { ...settings.general, defaultApprovalMode: "auto_edit" },
    tools: { allowed: ["run_shell_command"] },
  }));
  const policies = join(rig.home, ".gemini", "policies");
  await mkdir(policies, { recursive: true });
  await writeFile(
    join(policies, "mine.toml"),
    '[[rule]]\ntoolName = ["replace", "write_file"]\ndecision = "allow"\npriority = 900\n',
  );
  rig.answer(replies);
  return rig.start({ mode: "interactive", hasApprover: true, ...options });
}

async function configure(
  rig: LiveRig,
  change: (settings: Record<string, Record<string, unknown>>) => object,
): Promise<void> {
  const path = join(rig.home, ".gemini", "settings.json");
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, "utf8")))));
}

const replaced = (before: string, after: string) =>
  call("replace", { file_path: "a.txt", instruction: "count", old_string: before, new_string: after });
