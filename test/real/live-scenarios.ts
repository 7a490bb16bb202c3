// What every agent is made to do live: the scenarios that recordings, their replays and the tests with the real CLIs
// share. Each ends with the run closed; whoever runs it looks at the events.
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { CliName } from "./install.ts";
import type { Followed, LiveRig } from "./live-rig.ts";

export const SCENARIOS = {
  async text(rig) {
    rig.answer([{ text: "It is 42, and that is all there is to say about it." }]);
    const one = rig.start();
    await one.turn("What is 6 × 7?");
    return one;
  },

  async single_tool(rig) {
    const { shell } = TOOLS[rig.name];
    rig.answer([{ text: "Looking.", calls: [shell("printf 'one-%s' 42")] }, { text: "It says one-42." }]);
    const one = rig.start();
    await one.turn("Run it");
    return one;
  },

  async several_tools(rig) {
    const { shell, write } = TOOLS[rig.name];
    rig.answer([
      { calls: [write(`${rig.cwd}/made.txt`, "first\nsecond\n")] },
      { text: "Written.", calls: [shell("cat made.txt")] },
      { text: "Both are done." },
    ]);
    const one = rig.start();
    await one.turn("Write it and look");
    return one;
  },

  async parallel_tools(rig) {
    const { shell } = TOOLS[rig.name];
    // The first one takes longer, so that their results come in the other order where they run at the same time.
    rig.answer([
      { text: "Both at once.", calls: [shell("sleep 0.3; echo slow-1"), shell("echo quick-2")] },
      { text: "Both have ended." },
    ]);
    const one = rig.start();
    await one.turn("Run both");
    return one;
  },

  async tool_error(rig) {
    const { shell, read } = TOOLS[rig.name];
    rig.answer([
      { calls: [shell("echo before; echo wrong >&2; exit 3")] },
      { calls: [read(`${rig.cwd}/missing.txt`)] },
      { text: "Neither worked." },
    ]);
    const one = rig.start();
    await one.turn("Fail twice");
    return one;
  },

  async thinking(rig) {
    rig.answer([{ thinking: "Six sevens are forty-two.", text: "42." }]);
    const one = rig.start();
    await one.turn("Think about 6 × 7");
    return one;
  },

  async interrupt(rig) {
    const text = "A long reply that never comes to its end, however long one waits for it.";
    rig.answer([{ text, hang: 6 }, { text: "Going on after it." }]);
    const one = rig.start();
    await one.interrupted("Say something long", "text");
    await one.turn("And now?");
    return one;
  },

  async auth_failure(rig) {
    rig.answer(() => ({ error: { status: 401, message: "The key is not valid." } }));
    const one = rig.start();
    await one.turn("Who am I?");
    return one;
  },

  async rate_limit(rig) {
    let asked = 0;
    const limited: Reply = { error: { status: 429, message: "Too many requests.", retryAfter: 1 } };
    rig.answer(() => (asked++ === 0 ? limited : { text: "Now it works." }));
    const one = rig.start();
    await one.turn("Ask too much");
    return one;
  },

  async cut_stream(rig) {
    let asked = 0;
    // Some answers come in fewer events.
    const cut: Reply = {
      text: "This breaks off in the middle of what it says.",
      cut: rig.name === "gemini" ? 2 : 6,
      // What came before the break has to be read before the connection is gone.
      pace: 100,
    };
    rig.answer(() => (asked++ === 0 ? cut : { text: "This is whole." }));
    const one = rig.start();
    await one.turn("Break off");
    return one;
  },

  /** The first run is closed before the second goes on with its session. */
  async resume(rig) {
    rig.answer([{ text: "The word is Quokka." }, { text: "It was Quokka." }]);
    const first = rig.start();
    const { session_id } = await first.turn("Remember a word");
    await first.close();
    const second = rig.start({ session: session_id });
    await second.turn("Which one was it?");
    return second;
  },
} satisfies Record<string, (rig: LiveRig) => Promise<Followed>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

export interface Tools {
  shell(command: string): Call;
  read(path: string): Call;
  write(path: string, content: string): Call;
}

/** The calls that a model makes, in each agent's own tools. */
export const TOOLS: Record<CliName, Tools> = {
  claude: {
    shell: (command) => ({ name: "Bash", input: { command, description: "a test" } }),
    read: (file_path) => ({ name: "Read", input: { file_path } }),
    write: (file_path, content) => ({ name: "Write", input: { file_path, content } }),
  },
  codex: {
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    read: (path) => ({ name: "view_image", input: { path } }),
    write: (path, content) => ({ name: "apply_patch", input: patchOf(path, content), custom: true }),
  },
  gemini: {
    shell: (command) => ({ name: "run_shell_command", input: { command, description: "a test" } }),
    read: (file_path) => ({ name: "read_file", input: { file_path } }),
    write: (file_path, content) => ({ name: "write_file", input: { file_path, content } }),
  },
  opencode: {
    shell: (command) => ({ name: "bash", input: { command, description: "a test" } }),
    read: (filePath) => ({ name: "read", input: { filePath } }),
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
  },
};

function patchOf(path: string, content: string): string {
  const added = content
    .trimEnd()
    .split("\n")
    .map((line) => `+${line}`);
  return ["*** Begin Patch", `*** Add File: ${path}`, ...added, "*** End Patch", ""].join("\n");
}
