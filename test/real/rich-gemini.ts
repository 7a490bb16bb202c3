// The rich session of Gemini CLI. It has no tool that changes several files at once, so a message with several
// edits is the nearest; its rewind is a command of the terminal, so the record that it leaves is added by hand.
import type { Call, Reply } from "../../src/loopback/reply.ts";
import { call, compact, files, rewindTo, shell, toolReplies } from "./gemini.ts";
import type { Rig } from "./harness.ts";
import { PDF, PNG } from "./media.ts";
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

export async function richGemini(rig: Rig): Promise<string> {
  await files(rig);
  await rig.write("b.txt", "one\ntwo\nthree\n");
  await rig.write("dot.png", PNG);
  await rig.write("page.pdf", PDF);
  await rig.configure(withServer);
  const { id } = await rig.start("Before everything: a word nobody shall hear again", [
    { text: "A reply that nobody shall hear again" },
  ]);
  await rig.resume(id, "And another one", [{ text: "Another reply that nobody shall hear again" }]);
  await compact(rig, id, "And one that stays", "There was a word, and a reply.");
  for (const [prompt, text] of LANGUAGES)
    await rig.resume(id, prompt, [{ thinking: "**Thinking** Let me think.", text }]);
  await rig.resume(id, "Use your tools", toolReplies(rig));
  await rig.resume(id, "Change both files", [{ calls: severalFiles() }, { text: "Changed." }]);
  await rig.resume(id, "This was taken back", [
    { text: "Done what was taken back", calls: [shell("echo taken back")] },
    { text: "Went the wrong way" },
  ]);
  await rewindTo(rig, id, "This was taken back");
  await rig.resume(id, "This came instead", [{ text: "Went the right way" }]);
  await rig.resume(id, "Look at @dot.png and @page.pdf please", [
    {
      text: "Looking.",
      calls: ["dot.png", "page.pdf"].map((path) => call("read_file", { file_path: path })),
    },
    { text: "A dot and a page." },
  ]);
  await rig.resume(id, MCP_PROMPT, [
    { calls: [call("mcp_catalogue_look_up", MCP_INPUT)] },
    { text: "On shelf 7." },
  ]);
  await rig.resume(id, "Delegate please", delegating());
  await rig.resume(id, WINDOWS.prompt, [
    { calls: [shell(WINDOWS.command), call("read_file", { file_path: WINDOWS.missing })] },
    { text: WINDOWS.reply },
  ]);
  const steps = Array.from({ length: STEPS }, (_, at): Reply => ({ calls: [shell(step(at + 1))] }));
  // Every run writes the whole history down again, so the call that is cut off comes in the same one.
  await rig.resume(id, STEPS_PROMPT, [...steps, { calls: [shell("touch started; sleep 60")] }], {
    signal: { name: "SIGKILL", file: "started" },
  });
  return id;
}

/** Its own check for loops would ask the model in between. */
function withServer(settings: string): string {
  return JSON.stringify({
    ...JSON.parse(settings),
    mcpServers: { catalogue: { ...MCP_SERVER, trust: true } },
    model: { disableLoopDetection: true },
  });
}

function severalFiles(): Call[] {
  return [
    call("replace", {
      file_path: "b.txt",
      instruction: "in German",
      old_string: "one\n",
      new_string: "eins\n\teingerückt\n",
    }),
    call("replace", { file_path: "b.txt", instruction: "shorter", old_string: "three\n", new_string: "" }),
    call("write_file", { file_path: "c.txt", content: "ohne Zeilenende" }),
  ];
}

function delegating(): (request: { messages: unknown }) => Reply {
  let turn = 0;
  return ({ messages }) => {
    const result = { summary: "The subagent counted three files in all." };
    if (!JSON.stringify(messages).includes("Delegate please"))
      return { calls: [call("complete_task", { result })] };
    const input = { agent_name: "generalist", prompt: "Count the files of this project" };
    return turn++ > 0
      ? { text: "Delegated." }
      : { text: "Delegating.", calls: [call("invoke_agent", input)] };
  };
}
