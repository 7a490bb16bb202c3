// The kinds of sessions that Codex writes, each made by the real CLI.
import { join } from "node:path";
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { Replies, Rig, Turn } from "./harness.ts";
import { PNG } from "./media.ts";
import type { Step } from "./rpc.ts";
import type { Scenarios } from "./scenarios.ts";

export const shell = (cmd: string, more: Record<string, unknown> = {}): Call => ({
  name: "exec_command",
  input: { cmd, ...more },
});
export const patch = (...lines: string[]): Call => ({
  name: "apply_patch",
  custom: true,
  input: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n"),
});

export const codexScenarios: Scenarios = {
  async plain(rig) {
    const { id } = await rig.start("Grüße, 世界 🌍! What is 6 × 7?", [
      { thinking: "Easy.", text: "It is 42." },
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
    const path = await rig.write("dot.png", PNG);
    const { id } = await rig.run(
      [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "-i",
        path,
        "--",
        "Look at this",
      ],
      [{ text: "Looking.", calls: [{ name: "view_image", input: { path } }] }, { text: "A dot." }],
    );
    return id;
  },

  async compacted(rig) {
    const { id } = await rig.start("The very first prompt of all", [
      { text: "The very first reply of all", calls: [shell("echo compacted away")] },
    ]);
    await rig.resume(id, "The second prompt of them", [{ text: "The second reply of them" }]);
    await compact(rig, id, "They said something twice.");
    await rig.resume(id, "After the summary", [
      { text: "Going on after the summary", calls: [shell("echo after")] },
    ]);
    return id;
  },

  /** A fork refers to its parent's file, which goes on in another direction. */
  async branched(rig) {
    const { id } = await rig.start("Start of both branches", [{ text: "Ready for both branches" }]);
    const fork = await rig.run(
      ["exec", "fork", "--json", "--skip-git-repo-check", id, "This way is taken"],
      [{ text: "Going the right way" }],
    );
    await rig.resume(id, "This way belongs to the other branch", [{ text: "Went the other way" }]);
    return fork.id;
  },

  async rewound(rig) {
    const { id } = await rig.start("Start of everything", [{ text: "Ready for everything" }]);
    await rig.resume(id, "This was taken back", [
      { text: "Done what was taken back", calls: [shell("echo taken back")] },
    ]);
    await rig.resume(id, "This was taken back as well", [{ text: "Done that too" }]);
    await rewindTo(rig, id, "This was taken back");
    await rig.resume(id, "This came instead", [{ text: "Done this instead" }]);
    return id;
  },

  async orphaned(rig) {
    const { id } = await rig.start(
      "Run something long",
      [
        {
          text: "Two at once",
          calls: [shell("echo quick-$((6 * 7))"), shell(afterOutput("quick-42"), { yield_time_ms: 30_000 })],
        },
      ],
      { signal: { name: "SIGKILL", file: "started" } },
    );
    return id;
  },

  async interrupted(rig) {
    const { id } = await rig.start(
      "Say something long",
      [
        { text: "First a step.", calls: [shell("echo a step")] },
        { text: "A long reply that never comes to its end, however long one waits for it.", hang: 5 },
      ],
      { signal: { name: "SIGINT", output: "item.completed" } },
    );
    return id;
  },

  /** Newer models run everything from scripts; what a script ran is shown to the user, not to the model. */
  async scripted(rig) {
    const script =
      'const { output } = await tools.exec_command({ cmd: "echo from a script" });\ntext(output.toUpperCase());';
    // Codex compacts a session that is resumed with a model of another kind, so it stays with this one.
    await rig.configure((config) => config.replace(/^model = .*$/m, 'model = "gpt-5.6-sol"'));
    const { id } = await rig.start("Write a script", [
      { text: "Scripting.", calls: [{ name: "exec", custom: true, input: script }] },
      { text: "Scripted." },
    ]);
    return id;
  },

  async delegated(rig) {
    const { id } = await rig.start("Delegate please", delegatingReplies());
    return id;
  },
};

/** Waits until the other call's output is on record, so that only this one is left open. */
function afterOutput(text: string): string {
  return `for i in $(seq 200); do grep -rqs ${text} "$CODEX_HOME/sessions" && break; sleep 0.05; done; touch started; sleep 60`;
}

export async function files(rig: Rig): Promise<void> {
  await rig.write("a.txt", "one\ntwo\nthree\n");
  await rig.write("old.txt", "to be moved\nand changed\n");
  await rig.write("gone.txt", "to be deleted\n");
}

export function toolReplies(rig: Rig): Replies {
  return [
    {
      thinking: "Let me see.",
      text: "Reading.",
      calls: [shell("cat a.txt"), shell("printf 'ünï %s\\n' \"it's\"")],
    },
    {
      text: "Changing.",
      calls: [
        patch(
          "*** Update File: a.txt",
          "@@",
          " one",
          "-two",
          "+2",
          " three",
          "+four",
          "*** Add File: new dir/b.txt",
          "+first line",
          "+",
          "+last line",
          "*** Delete File: gone.txt",
          "*** Update File: old.txt",
          "*** Move to: moved.txt",
          "@@",
          " to be moved",
          "-and changed",
          "+and has changed",
        ),
      ],
    },
    { calls: [patch("*** Update File: a.txt", "@@", "-not there", "+x")] },
    {
      text: "Failing.",
      calls: [shell("echo out; echo err >&2; exit 3"), shell("cat missing.txt", { workdir: rig.cwd })],
    },
    { calls: [{ name: "update_plan", input: { plan: [{ step: "first ÿ", status: "completed" }] } }] },
    // Tools that this version or this set-up does not have: the call stays on record with its failure.
    { calls: otherCalls(rig) },
    { calls: [shell('read line; echo "got $line"', { tty: true, yield_time_ms: 500 })] },
    ({ messages }) => {
      const session = /running with session ID (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1];
      const input = { session_id: Number(session), chars: "hello\n", yield_time_ms: 500 };
      return { calls: [{ name: "write_stdin", input }] };
    },
    { calls: [{ name: "exec_command", input: "{not json" }] },
    { text: "All done." },
  ];
}

function otherCalls(rig: Rig): Call[] {
  return [
    { name: "no_such_tool", input: { deep: { list: ["x", "ÿ"] } } },
    { name: "shell", input: { command: ["bash", "-lc", "echo 'in a shell'"], workdir: rig.cwd } },
    { name: "shell", input: { command: ["rg", "-n", 'it\'s "quoted"', "src dir"] } },
    { name: "read_file", input: { path: "a.txt", offset: 2, limit: 1 } },
    { name: "stat", namespace: "mcp__files", input: { path: "x", follow: true } },
  ];
}

/** Asks the app server, which can do more than the command line. */
export async function ask(rig: Rig, steps: readonly Step[], replies: Reply[] = []): Promise<Turn> {
  const program = join(import.meta.dirname, "rpc.ts");
  return rig.exec(["node", program, JSON.stringify(steps), rig.cli.path, "app-server"], replies);
}

export async function compact(rig: Rig, id: string, summary: string): Promise<void> {
  const steps = [
    { method: "thread/resume", params: { threadId: id } },
    { method: "thread/compact/start", params: { threadId: id }, until: "turn/completed" },
  ];
  await ask(rig, steps, [{ text: summary }]);
}

export async function rewindTo(rig: Rig, id: string, prompt: string): Promise<void> {
  const resumed = { method: "thread/resume", params: { threadId: id } };
  const listed = await ask(rig, [resumed, { method: "thread/turns/list", params: { threadId: id } }]);
  const turns: { id: string; items: { content?: { text?: string }[] }[] }[] = JSON.parse(listed.stdout)[1]
    .data;
  const turn = turns.find(({ items }) =>
    items.some(({ content }) => content?.some(({ text }) => text === prompt)),
  );
  await ask(rig, [resumed, { method: "thread/revert", params: { threadId: id, beforeTurnId: turn?.id } }]);
}

export function delegatingReplies(): (request: { messages: unknown }) => Reply {
  let turn = 0;
  const namespace = "multi_agent_v1";
  return ({ messages }) => {
    const asked = JSON.stringify(messages);
    if (!asked.includes("Delegate please")) return { text: "The subagent counted three files in all." };
    turn++;
    if (turn === 1)
      return {
        text: "Delegating.",
        calls: [{ name: "spawn_agent", namespace, input: { message: "Count the files of this project" } }],
      };
    if (turn > 2) return { text: "Delegated." };
    const agent = /agent_id\W+([0-9a-f-]{36})/.exec(asked)?.[1];
    return { calls: [{ name: "wait_agent", namespace, input: { targets: [agent], timeout_ms: 10_000 } }] };
  };
}
