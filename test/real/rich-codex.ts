// The rich session of Codex. Its command line takes no PDF, so there is none in it.
import type { Reply } from "../../src/loopback/reply.ts";
import { compact, delegatingReplies, files, patch, rewindTo, shell, toolReplies } from "./codex.ts";
import type { Rig } from "./harness.ts";
import { PNG } from "./media.ts";
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

export async function richCodex(rig: Rig): Promise<string> {
  await files(rig);
  await rig.write("b.txt", "one\ntwo\nthree\n");
  const image = await rig.write("dot.png", PNG);
  await rig.configure(
    (config) =>
      `${config}[mcp_servers.catalogue]\ncommand = "node"\nargs = ${JSON.stringify(MCP_SERVER.args)}\n`,
  );
  const { id } = await rig.start("Before everything: a word that stays", [
    { text: "A reply that nobody shall hear again" },
  ]);
  await compact(rig, id, "There was a word, and a reply.");
  for (const [prompt, text] of LANGUAGES) await rig.resume(id, prompt, [{ thinking: "Let me think.", text }]);
  await rig.resume(id, "Use your tools", toolReplies(rig));
  await rig.resume(id, "Change both files", [{ calls: [severalFiles()] }, { text: "Changed." }]);
  await rig.resume(id, "This was taken back", [
    { text: "Done what was taken back", calls: [shell("echo taken back")] },
    { text: "Went the wrong way" },
  ]);
  await rewindTo(rig, id, "This was taken back");
  await rig.resume(id, "This came instead", [{ text: "Went the right way" }]);
  await rig.run(
    [...rig.driver.resume(id, "").slice(0, -2), "-i", image, "--", id, "Look at this"],
    [{ text: "Looking.", calls: [{ name: "view_image", input: { path: image } }] }, { text: "A dot." }],
  );
  await rig.resume(id, MCP_PROMPT, [
    { calls: [{ name: "look_up", namespace: "mcp__catalogue", input: MCP_INPUT }] },
    { text: "On shelf 7." },
  ]);
  await rig.resume(id, "Delegate please", delegatingReplies());
  await rig.resume(id, WINDOWS.prompt, [
    { calls: [shell(WINDOWS.command), shell(`cat '${WINDOWS.missing}'`)] },
    { text: WINDOWS.reply },
  ]);
  const steps = Array.from({ length: STEPS }, (_, at): Reply => ({ calls: [shell(step(at + 1))] }));
  await rig.resume(id, STEPS_PROMPT, [...steps, { text: "Counted." }]);
  await rig.resume(
    id,
    "Run something long",
    [{ calls: [shell("touch started; sleep 60", { yield_time_ms: 30_000 })] }],
    {
      signal: { name: "SIGKILL", file: "started" },
    },
  );
  return id;
}

function severalFiles() {
  return patch(
    "*** Update File: b.txt",
    "@@",
    "-one",
    "+eins",
    "+\teingerückt",
    " two",
    "-three",
    "*** Add File: c.txt",
    "+neue Zeile",
  );
}
