// A session of the CLI's own with something taken out or replaced: the model is told exactly the rest.
import { expect, it } from "vitest";
import type { Source } from "../../../src/session/source.ts";
import { type EditRequest, edited, editsFor } from "../../../src/transform/edit.ts";
import { thread } from "../../../src/transform/visible.ts";
import { called, model, opened, openedText, privateHome, targetIn, told, user, writtenTo } from "./store.ts";

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
