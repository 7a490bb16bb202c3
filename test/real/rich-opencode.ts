// The rich session of OpenCode. Attachments, the compaction and the rewind are asked of its server, which can do
// more than the command line. Once a session goes on after a rewind, what was taken back is deleted, so the rewind
// is the last thing that happens.
import { join } from "node:path";
import type { Call, Reply } from "../../src/loopback/reply.ts";
import type { ModelRequest } from "../../src/loopback/request.ts";
import type { Rig } from "./harness.ts";
import { PDF, PNG } from "./media.ts";
import { ask, bash, compact, rewindTo } from "./opencode.ts";
import {
  LANGUAGES,
  MCP_INPUT,
  MCP_PROMPT,
  MCP_SERVER,
  STEPS,
  STEPS_PROMPT,
  step,
  WINDOWS,
} from "./rich-words.ts";
import type { HttpStep } from "./serve.ts";

const MODEL = { providerID: "sim", modelID: "sim-model" };
const call = (name: string, input: Record<string, unknown>): Call => ({ name, input });

export async function richOpencode(rig: Rig): Promise<string> {
  for (const name of ["a.txt", "b.txt"]) await rig.write(name, "one\ntwo\nthree\n");
  await rig.write("dot.png", PNG);
  await rig.write("page.pdf", PDF);
  await rig.configure(withServer);
  const { id } = await rig.start(
    "Before everything",
    inOrder([{ text: "A reply that nobody shall hear again" }]),
  );
  const say = (...parts: object[]): HttpStep => ({
    method: "POST",
    path: `/session/${id}/message`,
    body: { model: MODEL, parts },
  });
  const text = (words: string) => ({ type: "text", text: words });
  await compact(rig, id, "There was a word, and a reply.");
  await ask(
    rig,
    [
      ...LANGUAGES.map(([prompt]) => say(text(prompt))),
      say(text("Use your tools")),
      say(
        text("Look at these"),
        attached("dot.png", "image/png", PNG),
        attached("page.pdf", "application/pdf", PDF),
      ),
      say(text(MCP_PROMPT)),
      say(text("Delegate please")),
      say(text(WINDOWS.prompt)),
      say(text(STEPS_PROMPT)),
    ],
    inOrder([
      ...LANGUAGES.map(([, reply]): Reply => ({ thinking: "Let me think.", text: reply })),
      ...toolReplies(rig),
      { calls: [call("read", { filePath: file(rig, "dot.png") })] },
      { text: "A dot and a page." },
      { calls: [call("catalogue_look_up", MCP_INPUT)] },
      { text: "On shelf 7." },
      { text: "Delegating.", calls: [call("task", TASK)] },
      { text: "The subagent counted three files in all." },
      { text: "Delegated." },
      { calls: [bash(WINDOWS.command), call("read", { filePath: WINDOWS.missing })] },
      { text: WINDOWS.reply },
      ...Array.from({ length: STEPS }, (_, at): Reply => ({ calls: [bash(step(at + 1))] })),
      { text: "Counted." },
    ]),
  );
  await rig.resume(id, "Run something long", inOrder([{ calls: [bash("touch started; sleep 60")] }]), {
    signal: { name: "SIGKILL", file: "started" },
  });
  await ask(rig, [say(text("This way was given up"))], inOrder([{ text: "Went the wrong way" }]));
  await rewindTo(rig, id, "This way was given up");
  return id;
}

const TASK = {
  description: "count",
  prompt: "Count the files of this project",
  subagent_type: "general",
};

const file = (rig: Rig, name: string) => join(rig.cwd, name);

function attached(filename: string, mime: string, bytes: Buffer): object {
  return { type: "file", mime, filename, url: `data:${mime};base64,${bytes.toString("base64")}` };
}

function toolReplies(rig: Rig): Reply[] {
  const path = file(rig, "a.txt");
  const edit = (name: string, oldString: string, newString: string) =>
    call("edit", { filePath: file(rig, name), oldString, newString });
  return [
    {
      thinking: "Let me see.",
      text: "Reading.",
      calls: [
        call("read", { filePath: path }),
        call("read", { filePath: file(rig, "b.txt") }),
        bash("printf 'ünï %s\\n' \"it's\""),
      ],
    },
    { text: "Changing.", calls: [edit("a.txt", "two\nthree", "2\nthree\nfour")] },
    {
      calls: [
        edit("b.txt", "one\n", "eins\n\teingerückt\n"),
        call("write", { filePath: file(rig, "new dir/c.txt"), content: "first line\n\nlast line" }),
      ],
    },
    {
      text: "Failing.",
      calls: [
        bash("echo out; echo err >&2; exit 3"),
        call("read", { filePath: file(rig, "missing.txt") }),
        edit("a.txt", "not there", "x"),
      ],
    },
    {
      calls: [
        call("grep", { pattern: "2", path: rig.cwd, include: "*.txt" }),
        call("glob", { pattern: "**/*.txt" }),
        call("todowrite", { todos: [{ content: "first ÿ", status: "in_progress", priority: "high" }] }),
        call("no_such_tool", { deep: { list: ["x", "ÿ"] } }),
      ],
    },
    { text: "All done." },
  ];
}

/** The title of a session is asked for beside the conversation, without tools. */
function inOrder(replies: readonly Reply[]): (request: ModelRequest) => Reply {
  const queue = [...replies];
  return ({ tools }) =>
    tools.length === 0 ? { text: "Everything at once" } : (queue.shift() ?? { text: "Done." });
}

function withServer(config: string): string {
  const { command, args } = MCP_SERVER;
  const catalogue = { type: "local", command: [command, ...args], enabled: true };
  const more = { mcp: { catalogue }, permission: { "*": "allow" }, snapshot: false };
  return JSON.stringify({ ...JSON.parse(config), ...more });
}
