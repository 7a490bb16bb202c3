// A session of the CLI's own with something taken out or replaced: the model is told exactly the rest.
import { expect, it } from "vitest";
import type { Source } from "../../../src/session/source.ts";
import { type EditRequest, edited, editsFor } from "../../../src/transform/edit.ts";
import { thread } from "../../../src/transform/visible.ts";
import {
  called,
  model,
  opened,
  openedText,
  privateHome,
  response,
  targetIn,
  told,
  user,
  writtenTo,
} from "./store.ts";

const OTHER = "99999999-2222-4333-8444-555555555555";

/** The session as it is written under another id, read again. */
async function after(source: Source, request: Partial<EditRequest>) {
  const stream = edited(thread(source), editsFor(source, { drop: [], replace: [], ...request }));
  const target = targetIn(await privateHome(), { originalId: OTHER });
  const { main, losses } = await writtenTo(stream, target);
  return { main, losses, told: await told(await openedText(main)) };
}

it("a message keeps its words when all its calls are dropped, and nothing of the calls", async () => {
  const calls = [
    called("c1", "glob", { pattern: "*" }, "a.txt"),
    called("c2", "glob", { pattern: "?" }, "b"),
  ];
  const source = await opened(
    user("u1", "one"),
    model("g1", "look", { toolCalls: calls }),
    user("u2", "two"),
  );
  const { main, told } = await after(source, { drop: ["c1", "c2"] });
  expect(told).toEqual(["user one", "assistant look", "user two"]);
  expect(main).not.toContain("a.txt");
  expect(main).not.toContain("c1");
});

const CALL = { functionCall: { id: "c1", name: "glob", args: { pattern: "*" } } };

/** The CLI compressed between a call and its result. */
const compressed = () =>
  opened(
    user("u1", "one"),
    model("g1", "look", { toolCalls: [called("c1", "glob", { pattern: "*" }, "a.txt")] }),
    {
      $set: {
        messages: [
          user("s1", "<state_snapshot>so far</state_snapshot>"),
          model("s2", "Got it. Thanks for the additional context!"),
          { ...model("g1b", ""), content: [{ text: "look" }, CALL] },
        ],
      },
    },
    { ...user("r1", ""), content: [response("c1", "glob", "a.txt")] },
    model("g2", "done"),
  );

it.each(["c1", "c1-result-again"])(
  "dropping %s takes the call out of what a compression left",
  async (id) => {
    const { told, main } = await after(await compressed(), { drop: [id] });
    expect(told).toEqual([
      "user <state_snapshot>so far</state_snapshot>",
      "assistant Got it. Thanks for the additional context!",
      "assistant look",
      "assistant done",
    ]);
    expect(main).not.toContain("functionCall");
    expect(main).not.toContain("functionResponse");
  },
);

it("what was changed or taken out is so in a list that repeats it", async () => {
  const kept = [user("u2", "stays"), model("g2", "goes"), user("u3", "changes"), model("g3", "end")];
  const source = await opened(user("u1", "one"), model("g1", "two"), ...kept, {
    $set: { messages: [user("s1", "<state_snapshot>so far</state_snapshot>"), ...kept] },
  });
  const { told } = await after(source, { drop: ["g2"], replace: [{ entry: "u3", content: "changed" }] });
  expect(told).toEqual([
    "user <state_snapshot>so far</state_snapshot>",
    "user stays",
    "user changed",
    "assistant end",
  ]);
});
