// The rich session of Claude Code. It has no tool that changes several files at once: a message with several
// edits is the nearest.
import type { Reply } from "../../src/loopback/reply.ts";
import { bash, compact, delegatingReplies, file, rewind, sayMedia, toolReplies } from "./claude.ts";
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

export async function richClaude(rig: Rig): Promise<string> {
  for (const name of ["a.txt", "b.txt"]) await rig.write(name, "one\ntwo\nthree\n");
  await rig.write("dot.png", PNG);
  await rig.write("page.pdf", PDF);
  const { id } = await rig.start("Before everything: a word nobody shall hear again", [
    { text: "A reply that nobody shall hear again" },
  ]);
  await compact(rig, id, "There was a word, and a reply.");
  for (const [prompt, text] of LANGUAGES) await rig.resume(id, prompt, [{ thinking: "Let me think.", text }]);
  await rig.resume(id, "Use your tools", toolReplies(rig));
  const before = await rig.resume(id, "Change both files", severalFiles(rig));
  await rig.resume(id, "This way was given up", [
    { text: "Going the wrong way", calls: [bash("echo wrong way")] },
    { text: "Went the wrong way" },
  ]);
  await rewind(rig, id, before.stdout, "This way is taken", [{ text: "Went the right way" }]);
  await rig.resume(id, "Look at the files", [
    { text: "Looking.", calls: [{ name: "Read", input: { file_path: file(rig, "dot.png") } }] },
    { calls: [{ name: "Read", input: { file_path: file(rig, "page.pdf") } }] },
    { text: "A dot and a page." },
  ]);
  await sayMedia(rig, id, "And these?");
  const servers = JSON.stringify({ mcpServers: { catalogue: MCP_SERVER } });
  await rig.run(
    [...rig.driver.resume(id, MCP_PROMPT), "--mcp-config", servers],
    [{ calls: [{ name: "mcp__catalogue__look_up", input: MCP_INPUT }] }, { text: "On shelf 7." }],
  );
  await rig.resume(id, "Delegate please", delegatingReplies());
  await rig.resume(id, WINDOWS.prompt, [
    { calls: [bash(WINDOWS.command), { name: "Read", input: { file_path: WINDOWS.missing } }] },
    { text: WINDOWS.reply },
  ]);
  const steps = Array.from({ length: STEPS }, (_, at): Reply => ({ calls: [bash(step(at + 1))] }));
  await rig.resume(id, STEPS_PROMPT, [...steps, { text: "Counted." }]);
  await rig.resume(id, "Run something long", [{ calls: [bash("touch started; sleep 60")] }], {
    signal: { name: "SIGKILL", file: "started" },
  });
  return id;
}

function severalFiles(rig: Rig): Reply[] {
  const edit = (name: string, from: string, to: string) => ({
    name: "Edit",
    input: { file_path: file(rig, name), old_string: from, new_string: to },
  });
  return [
    {
      text: "Reading both.",
      calls: ["a.txt", "b.txt"].map((name) => ({ name: "Read", input: { file_path: file(rig, name) } })),
    },
    {
      calls: [
        edit("b.txt", "one\n", "eins\n\teingerückt\n"),
        edit("b.txt", "three\n", ""),
        { name: "Write", input: { file_path: file(rig, "c.txt"), content: "ohne Zeilenende" } },
      ],
    },
    { text: "Changed." },
  ];
}
