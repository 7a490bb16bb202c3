// The kinds of sessions that Gemini CLI writes, each made by the real CLI.
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { Replies, Rig } from "./harness.ts";
import { PDF, PNG } from "./media.ts";
import type { Scenarios } from "./scenarios.ts";

export const call = (name: string, input: Record<string, unknown>): Call => ({ name, input });
export const shell = (command: string): Call => call("run_shell_command", { command });

export const geminiScenarios: Scenarios = {
  async plain(rig) {
    const { id } = await rig.start("Grüße, 世界 🌍! What is 6 × 7?", [
      { thinking: "**Easy** It is easy.", text: "It is 42." },
    ]);
    await rig.resume(id, "And\nin\n\nfour lines?", [{ text: "4\n2" }]);
    return id;
  },

  async tools(rig) {
    await files(rig);
    const { id } = await rig.start("Use your tools", toolReplies(rig));
    return id;
  },

  async media(rig) {
    await rig.write("dot.png", PNG);
    await rig.write("page.pdf", PDF);
    const { id } = await rig.start("Look at @dot.png please", [
      {
        text: "Looking.",
        calls: [call("read_file", { file_path: "dot.png" }), call("read_file", { file_path: "page.pdf" })],
      },
      { text: "A dot and a page." },
    ]);
    return id;
  },

  async compacted(rig) {
    const { id } = await rig.start("The very first prompt of all", [{ text: "The very first reply of all" }]);
    await rig.resume(id, "The second prompt of them", [{ text: "The second reply of them" }]);
    await compact(rig, id, "The third prompt of them", "Twice.");
    await rig.resume(id, "After the summary", [
      { text: "Going on after the summary", calls: [shell("echo after")] },
      { text: "Gone on." },
    ]);
    return id;
  },

  async rewound(rig) {
    const { id } = await rig.start("Start of everything", [{ text: "Ready for everything" }]);
    await rig.resume(id, "This was taken back", [{ text: "Done what was taken back" }]);
    const taken = (await rig.records(id)).findLast(
      ({ type, content }) => type === "user" && JSON.stringify(content).includes("taken back"),
    );
    await rig.append(id, { $rewindTo: taken?.id });
    await rig.resume(id, "This came instead", [{ text: "Done this instead" }]);
    return id;
  },

  /** What begins like a command is sent once and then left out. */
  async commanded(rig) {
    const { id } = await rig.start("A prompt that stays", [{ text: "A reply that stays" }]);
    await rig.resume(id, "? is what it begins with", [{ text: "A reply to nothing" }]);
    return id;
  },

  /** A turn that fails is taken back by the CLI itself. */
  async failed(rig) {
    const { id } = await rig.start("Before the failure", [{ text: "All is well" }]);
    const error = { status: 400, message: "No." };
    await rig.resume(id, "This one fails", () => ({ error }));
    await rig.resume(id, "This one works", [{ text: "It did" }]);
    return id;
  },

  /** The CLI is killed while one of two tools runs. */
  async orphaned(rig) {
    const { id } = await rig.start(
      "Run something long",
      [
        { text: "A step first.", calls: [shell("echo quick-$((6 * 7))")] },
        { text: "Now the long one.", calls: [shell("touch started; sleep 60")] },
      ],
      { signal: { name: "SIGKILL", file: "started" } },
    );
    return id;
  },

  async delegated(rig) {
    const { id } = await rig.start("Delegate please", delegatingReplies);
    return id;
  },
};

/**
 * Without a terminal `/compress` is but a prompt. The CLI compacts by itself when the last request took up more of
 * the context than its settings allow, which it knows of none before the first answer: so a tool is called.
 */
export async function compact(rig: Rig, id: string, prompt: string, summary: string): Promise<void> {
  let before = "";
  await rig.configure((settings) => {
    before = settings;
    const { model, ...rest } = JSON.parse(settings);
    return JSON.stringify({ ...rest, model: { ...model, compressionThreshold: 0.001 } });
  });
  await rig.resume(id, prompt, ({ messages }) => {
    const asked = JSON.stringify(messages.at(-1));
    if (asked.includes("state_snapshot")) return { text: `<state_snapshot>${summary}</state_snapshot>` };
    return asked.includes(prompt) ? { text: "A step.", calls: [shell("echo step")] } : { text: "Compacted." };
  });
  await rig.configure(() => before);
}

export async function files(rig: Rig): Promise<void> {
  await rig.write("a.txt", "one\ntwo\nthree\n");
  await rig.write("two words.txt", "ünï\n");
}

export function toolReplies(rig: Rig): Replies {
  return [
    {
      thinking: "**Looking** Let me see.",
      text: "Reading.",
      calls: [
        call("read_file", { file_path: "a.txt", start_line: 2, end_line: 3 }),
        shell("printf 'ünï %s\\n' \"it's\""),
      ],
    },
    {
      text: "Changing.",
      calls: [
        call("replace", { file_path: "a.txt", instruction: "count", old_string: "two", new_string: "2" }),
        call("write_file", { file_path: "new dir/b.txt", content: "first line\n\nlast line" }),
      ],
    },
    {
      calls: [call("replace", { file_path: "a.txt", instruction: "x", old_string: "gone", new_string: "x" })],
    },
    {
      text: "Failing.",
      calls: [
        shell("echo out; echo err >&2; exit 3"),
        call("read_file", { file_path: "missing.txt" }),
        call("run_shell_command", { command: "pwd", dir_path: rig.cwd, description: "Where" }),
      ],
    },
    {
      calls: [
        call("grep_search", { pattern: "2", include_pattern: "*.txt" }),
        call("glob", { pattern: "*.txt" }),
        call("list_directory", { dir_path: "." }),
        call("write_todos", { todos: [{ description: "first ÿ", status: "in_progress" }] }),
      ],
    },
    // Tools that this set-up does not have: the call stays on record with its failure.
    {
      calls: [
        call("no_such_tool", { deep: { list: ["x", "ÿ"] } }),
        call("mcp_files_stat", { path: "x", follow: true }),
        call("ask_user", { questions: [{ question: "Which?", header: "Pick", type: "text" }] }),
      ],
    },
    { text: "All done." },
  ];
}

function delegatingReplies({ messages }: { messages: unknown }): Reply {
  const asked = JSON.stringify(messages);
  if (!asked.includes("Delegate please"))
    return { calls: [call("complete_task", { result: { summary: "The subagent counted three files." } })] };
  if (asked.includes("tool_result")) return { text: "Delegated." };
  const input = { agent_name: "generalist", prompt: "Count the files of this project" };
  return { text: "Delegating.", calls: [call("invoke_agent", input)] };
}

/** A rewind needs a terminal, so the record that it leaves is added by hand. */
export async function rewindTo(rig: Rig, id: string, prompt: string): Promise<void> {
  const taken = (await rig.records(id)).findLast(
    ({ type, content }) => type === "user" && JSON.stringify(content).includes(prompt),
  );
  await rig.append(id, { $rewindTo: taken?.id });
}
