// The kinds of sessions that OpenCode writes, each made by the real CLI.
import { join } from "node:path";
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { Replies, Rig, Turn } from "./harness.ts";
import { PDF, PNG } from "./media.ts";
import type { Scenarios } from "./scenarios.ts";
import type { HttpStep } from "./serve.ts";

export const bash = (command: string): Call => ({ name: "bash", input: { command, description: "a test" } });
const file = (rig: Rig, name: string) => `${rig.cwd}/${name}`;

export const openCodeScenarios: Scenarios = {
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

  async media(rig) {
    await rig.write("dot.png", PNG);
    await rig.write("page.pdf", PDF);
    await rig.write("note.txt", "a note\n");
    const attached = ["dot.png", "page.pdf", "note.txt"].flatMap((name) => ["-f", file(rig, name)]);
    const { id } = await rig.run(
      ["run", "--format", "json", "--auto", "--title", "A_test", ...attached, "--", "Look", "at", "these"],
      [
        { text: "Looking.", calls: [{ name: "read", input: { filePath: file(rig, "dot.png") } }] },
        { calls: [{ name: "read", input: { filePath: file(rig, "page.pdf") } }] },
        { text: "A dot and a page." },
      ],
    );
    return id;
  },

  async compacted(rig) {
    const { id } = await rig.start("The very first prompt of all", [
      { text: "The very first reply of all", calls: [bash("echo compacted away")] },
      { text: "That was it" },
    ]);
    await rig.resume(id, "The second prompt of them", [{ text: "The second reply of them" }]);
    await compact(rig, id, "They said something twice.");
    await rig.resume(id, "After the summary", [
      { text: "Going on after the summary", calls: [bash("echo after")] },
      { text: "Done after it" },
    ]);
    return id;
  },

  /** Gone back in the terminal: what came after stays until the next prompt. */
  async rewound(rig) {
    const { id } = await rig.start("Start of everything", [{ text: "Ready for everything" }]);
    await rig.resume(id, "This was taken back", [
      { text: "Done what was taken back", calls: [bash("echo taken back")] },
      { text: "Went the wrong way" },
    ]);
    await rewindTo(rig, id, "This was taken back");
    return id;
  },

  async branched(rig) {
    const { id } = await rig.start("Start of both branches", [{ text: "Ready for both branches" }]);
    const fork = await rig.run(
      ["run", "--format", "json", "--fork", "-s", id, "--", "This", "way", "is", "taken"],
      [{ text: "Going the right way" }],
    );
    await rig.resume(id, "This way belongs to the other branch", [{ text: "Went the other way" }]);
    return fork.id;
  },

  async orphaned(rig) {
    const { id } = await rig.start(
      "Run something long",
      [
        {
          text: "Two at once",
          calls: [bash("echo quick-$((6 * 7))"), bash("sleep 1; touch started; sleep 60")],
        },
      ],
      { signal: { name: "SIGKILL", file: "started" } },
    );
    return id === "" ? newestOf(rig) : id;
  },

  async failed(rig) {
    const { id } = await rig.start("Say something", [{ text: "Something." }]);
    await rig.resume(id, "Fail now", [{ error: { status: 400, message: "no such thing" } }]);
    await rig.resume(id, "Go on after it", [{ text: "Gone on." }]);
    return id;
  },

  async delegated(rig) {
    const { id } = await rig.start("Delegate please", delegatingReplies());
    return id;
  },
};

function toolReplies(rig: Rig): Replies {
  return [
    {
      thinking: "Let me see.",
      text: "Reading.",
      calls: [{ name: "read", input: { filePath: file(rig, "a.txt") } }, bash("printf 'ünï %s\\n' \"it's\"")],
    },
    {
      text: "Changing.",
      calls: [
        { name: "edit", input: { filePath: file(rig, "a.txt"), oldString: "two", newString: "2" } },
        { name: "write", input: { filePath: file(rig, "b.txt"), content: "new\n\nfile\n" } },
      ],
    },
    {
      calls: [
        { name: "edit", input: { filePath: file(rig, "a.txt"), oldString: "not there", newString: "x" } },
      ],
    },
    { text: "Failing.", calls: [bash("echo out; echo err >&2; exit 3"), bash("true")] },
    {
      calls: [
        { name: "grep", input: { pattern: "on", path: rig.cwd, include: "*.txt" } },
        { name: "glob", input: { pattern: "*.txt" } },
        {
          name: "todowrite",
          input: { todos: [{ content: "first ÿ", status: "completed", priority: "high" }] },
        },
        { name: "no_such_tool", input: { deep: { list: ["x", "ÿ"] } } },
      ],
    },
    { text: "All done." },
  ];
}

export async function ask(rig: Rig, steps: readonly HttpStep[], replies: Replies = []): Promise<Turn> {
  const program = join(import.meta.dirname, "serve.ts");
  const serve = [rig.cli.path, "serve", "--port", "0", "--hostname", "127.0.0.1"];
  return rig.exec(["node", program, JSON.stringify(steps), ...serve], replies);
}

export async function compact(rig: Rig, id: string, summary: string): Promise<void> {
  const body = { providerID: "sim", modelID: "sim-model" };
  await ask(rig, [{ method: "POST", path: `/session/${id}/summarize`, body }], [{ text: summary }]);
}

interface ListedMessage {
  info: { id: string };
  parts: { text?: string }[];
}

export async function rewindTo(rig: Rig, id: string, prompt: string): Promise<void> {
  const { stdout } = await ask(rig, [{ method: "GET", path: `/session/${id}/message` }]);
  const [messages] = JSON.parse(stdout) as [ListedMessage[]];
  const message = messages.find(({ parts }) => parts.some(({ text }) => text === prompt));
  await ask(rig, [{ method: "POST", path: `/session/${id}/revert`, body: { messageID: message?.info.id } }]);
}

/** A process that was killed has printed nothing. */
async function newestOf(rig: Rig): Promise<string> {
  const { stdout } = await rig.run(["session", "list", "--format", "json"]);
  return (JSON.parse(stdout) as { id: string }[])[0]?.id ?? "";
}

function delegatingReplies(): (request: { messages: unknown }) => Reply {
  let turn = 0;
  return ({ messages }) => {
    const asked = JSON.stringify(messages);
    if (!asked.includes("Delegate please")) return { text: "The subagent counted three files in all." };
    turn++;
    if (turn > 1) return { text: "Delegated." };
    const input = {
      description: "Count files",
      prompt: "Count the files of this project",
      subagent_type: "general",
    };
    return { text: "Delegating.", calls: [{ name: "task", input }] };
  };
}
