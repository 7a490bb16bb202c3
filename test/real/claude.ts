// The kinds of sessions that Claude Code writes, each made by the real CLI.
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { Rig } from "./harness.ts";
import { PDF, PNG } from "./media.ts";
import type { Scenarios } from "./scenarios.ts";

export const bash = (command: string, id?: string): Call => ({
  name: "Bash",
  input: { command, description: "a test" },
  ...(id && { id }),
});
export const file = (rig: Rig, name: string) => `${rig.cwd}/${name}`;

export const claudeScenarios: Scenarios = {
  async plain(rig) {
    const { id } = await rig.start("Grüße, 世界 🌍! What is 6 × 7?", [
      { thinking: "Easy.", text: "It is 42." },
    ]);
    await rig.resume(id, "And\nin\n\nfour lines?", [{ text: "4\n2" }]);
    return id;
  },

  async tools(rig) {
    await rig.write("a.txt", "one\ntwo\nthree\n");
    const { id } = await rig.start("Use your tools", toolReplies(rig));
    return id;
  },

  /** Files that the prompt names and the project's instructions are context that the user did not type. */
  async mentioned(rig) {
    await rig.write("note.txt", "a note\nof two lines\n");
    await rig.write("CLAUDE.md", "In this project one is brief.\n");
    const { id } = await rig.start("Look at @note.txt and be brief", [{ text: "Seen." }]);
    await rig.resume(id, "Go on", [{ text: "Gone on." }]);
    return id;
  },

  async media(rig) {
    await rig.write("dot.png", PNG);
    await rig.write("page.pdf", PDF);
    const { id } = await rig.start("Look at the files", [
      { text: "Looking.", calls: [{ name: "Read", input: { file_path: file(rig, "dot.png") } }] },
      { calls: [{ name: "Read", input: { file_path: file(rig, "page.pdf") } }] },
      { text: "A dot and a page." },
    ]);
    await sayMedia(rig, id, "And these?");
    return id;
  },

  async compacted(rig) {
    const { id } = await rig.start("The very first prompt of all", [{ text: "The very first reply of all" }]);
    await rig.resume(id, "The second prompt of them", [{ text: "The second reply of them" }]);
    await compact(rig, id, "They said something twice.");
    await rig.resume(id, "After the summary", [
      { text: "Going on after the summary", calls: [bash("echo after")] },
    ]);
    return id;
  },

  async branched(rig) {
    const first = await rig.start("Start of both branches", [{ text: "Ready for both branches" }]);
    await rig.resume(first.id, "This way was given up", [
      { text: "Going the wrong way", calls: [bash("echo wrong way")] },
      { text: "Went the wrong way" },
    ]);
    await rewind(rig, first.id, first.stdout, "This way is taken", [
      { calls: [bash("echo right way", "toolu_right_way")] },
      { text: "Went the right way" },
    ]);
    return first.id;
  },

  /** Back to the branch that was given up, as the terminal's rewind leaves it: a note of where the session ends. */
  async rewound(rig) {
    const first = await rig.start("Start of both branches", [{ text: "Ready for both branches" }]);
    await rig.resume(first.id, "This way is taken again", [{ text: "Went this way" }]);
    const end = (await rig.records(first.id)).findLast(({ type }) => type === "last-prompt");
    await rewind(rig, first.id, first.stdout, "This way was given up", [{ text: "Went the wrong way" }]);
    await rig.append(first.id, end);
    return first.id;
  },

  async orphaned(rig) {
    const { id } = await rig.start(
      "Run something long",
      [{ text: "Two at once", calls: [bash("echo quick-$((6 * 7))"), bash(afterOutput("quick-42"))] }],
      { signal: { name: "SIGKILL", file: "started" } },
    );
    return id;
  },

  async interrupted(rig) {
    const { id } = await rig.run(
      [...rig.driver.start("Say something long"), "--include-partial-messages"],
      [{ text: "A long reply that never comes to its end, however long one waits for it.", hang: 5 }],
      { signal: { name: "SIGINT", output: "text_delta" } },
    );
    return id;
  },

  async delegated(rig) {
    const { id } = await rig.start("Delegate please", delegatingReplies());
    return id;
  },
};

/** Waits until the other call's output is on record, so that only this one is left open. */
function afterOutput(text: string): string {
  return `for i in $(seq 200); do grep -rqs ${text} "$HOME/.claude/projects" && break; sleep 0.05; done; touch started; sleep 60`;
}

export function toolReplies(rig: Rig): Reply[] {
  const path = file(rig, "a.txt");
  return [
    {
      thinking: "Let me see.",
      text: "Reading.",
      calls: [{ name: "Read", input: { file_path: path } }, bash("printf 'ünï %s\\n' \"it's\"")],
    },
    {
      text: "Changing.",
      calls: [
        { name: "Edit", input: { file_path: path, old_string: "two\nthree", new_string: "2\nthree\nfour" } },
      ],
    },
    {
      calls: [
        { name: "Edit", input: { file_path: path, old_string: "o", new_string: "0", replace_all: true } },
      ],
    },
    {
      calls: [
        {
          name: "Write",
          input: { file_path: file(rig, "new dir/b.txt"), content: "first line\n\nlast line\n" },
        },
      ],
    },
    {
      text: "Failing.",
      calls: [
        bash("echo out; echo err >&2; exit 3"),
        { name: "Read", input: { file_path: file(rig, "missing.txt") } },
      ],
    },
    { calls: [{ name: "Edit", input: { file_path: path, old_string: "not there", new_string: "x" } }] },
    {
      calls: [
        { name: "Grep", input: { pattern: "a\"b'c", path: rig.cwd, glob: "*.txt" } },
        { name: "NoSuchTool", input: { deep: { list: ["x", "ÿ"] } } },
      ],
    },
    // Tools that this version or this set-up does not have: the call stays on record with its failure.
    { calls: otherCalls(rig) },
    { calls: [bash("seq 1 5; sleep 0")] },
    { text: "All done." },
  ];
}

function otherCalls(rig: Rig): Call[] {
  const path = file(rig, "a.txt");
  const edits = [
    { old_string: "one", new_string: "uno" },
    { old_string: "three", new_string: "tre", replace_all: true },
  ];
  return [
    { name: "Glob", input: { pattern: "**/*.{ts,tsx}", path: rig.cwd } },
    { name: "LS", input: { path: rig.cwd } },
    { name: "MultiEdit", input: { file_path: path, edits } },
    { name: "NotebookEdit", input: { notebook_path: file(rig, "n.ipynb"), new_source: "print('ü')" } },
    {
      name: "TodoWrite",
      input: { todos: [{ content: "a task", status: "pending", activeForm: "doing it" }] },
    },
    { name: "WebFetch", input: { url: "http://127.0.0.1:1/page", prompt: "What does it say?" } },
    { name: "WebSearch", input: { query: "what to look for" } },
    { name: "mcp__files__stat", input: { path: "x", follow: true } },
  ];
}

/** An image and a PDF in the prompt itself go in through the stream of messages. */
export async function sayMedia(rig: Rig, id: string, prompt: string): Promise<void> {
  const source = (type: string, bytes: Buffer) => ({
    type: "base64",
    media_type: type,
    data: bytes.toString("base64"),
  });
  const content = [
    { type: "text", text: prompt },
    { type: "image", source: source("image/png", PNG) },
    { type: "document", source: source("application/pdf", PDF) },
  ];
  const message = {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    session_id: "",
  };
  const args = rig.driver.resume(id, "").slice(0, -1);
  await rig.run([...args, "--input-format", "stream-json"], [{ text: "Seen them." }], {
    stdin: `${JSON.stringify(message)}\n`,
  });
}

export async function compact(rig: Rig, id: string, summary: string): Promise<void> {
  await rig.resume(id, "/compact", [{ text: `<analysis>All.</analysis><summary>${summary}</summary>` }]);
}

/** Goes on after an earlier reply, whose id an earlier run printed. */
export async function rewind(
  rig: Rig,
  id: string,
  stdout: string,
  prompt: string,
  replies: Reply[],
): Promise<void> {
  await rig.run([...rig.driver.resume(id, prompt), "--resume-session-at", lastReply(stdout)], replies);
}

function lastReply(stdout: string): string {
  const printed = stdout.split("\n").filter((line) => line.includes('"type":"assistant"'));
  return JSON.parse(printed.at(-1) ?? "{}").uuid;
}

export function delegatingReplies(): (request: { messages: unknown }) => Reply {
  let turn = 0;
  return ({ messages }) => {
    const asked = JSON.stringify(messages);
    if (!asked.includes("Delegate please")) return { text: "The subagent counted three files in all." };
    turn++;
    if (turn > 1) return { text: `Delegated, step ${turn}.` };
    const input = {
      description: "count",
      prompt: "Count the files of this project",
      subagent_type: "general-purpose",
    };
    return { text: "Delegating.", calls: [{ name: "Agent", input }] };
  };
}
