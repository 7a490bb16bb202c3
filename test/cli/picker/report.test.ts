// What the picker says before a session is carried: nothing that happens to it goes without a word.
import { expect, it } from "vitest";
import { reportOf } from "../../../src/cli/picker/actions.ts";
import { type LossName, loss } from "../../../src/session/losses.ts";

const reported = (...kinds: LossName[]) =>
  reportOf({
    agent: "gemini",
    originalId: "one",
    path: "/store/one",
    command: { argv: [], cwd: "", env: {} },
    losses: kinds.map((kind, at) => loss(kind, {}, `detail ${at}`)),
    warnings: ["The folder is not here."],
    operation: null,
    backup: null,
    done: "This would carry 1 prompt.",
  }).lines;

it("lists the minor notes, the same ones once", () => {
  expect(reported("call_unanswered", "call_unanswered", "context_dropped")).toEqual([
    "This would carry 1 prompt.",
    "",
    "Nothing would be lost.",
    "",
    "Worth knowing:",
    "- The folder is not here.",
    "",
    "Minor notes:",
    expect.stringMatching(/^- .+ \(2 times\): detail 0$/),
    expect.stringMatching(/^- .+: detail 2$/),
  ]);
});
