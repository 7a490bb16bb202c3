// What is on record of a result besides its words survives a fork, and a result without an id can be edited.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../../src/session/session.ts";
import type { Source } from "../../../src/session/source.ts";
import { edited, editsFor } from "../../../src/transform/edit.ts";
import { thread } from "../../../src/transform/visible.ts";
import { called, model, opened, privateHome, response, targetIn, user, writtenTo } from "./store.ts";

const OTHER = "99999999-2222-4333-8444-555555555555";
const DIFF = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";

async function forked(source: Source, replace: Record<string, string> = {}, drop: string[] = []) {
  const wanted = Object.entries(replace).map(([entry, content]) => ({ entry, content }));
  const stream = edited(thread(source), editsFor(source, { drop, replace: wanted }));
  const { lines } = await writtenTo(stream, targetIn(await privateHome(), { originalId: OTHER }));
  return { lines, copy: await opened(...lines.slice(1)) };
}

const results = async (source: Source) =>
  (await Array.fromAsync(source.entries())).filter(({ type }) => type === "tool_result").map(said);
const said = ({ records: _, ...entry }: Entry) => entry;

describe("a result that the CLI keeps with its call", () => {
  const edit = { ...called("c", "replace", { file_path: "a" }, "done"), resultDisplay: { fileDiff: DIFF } };
  const failed = { ...called("d", "replace", { file_path: "b" }, "no such text"), status: "error" };
  const stopped = { ...called("e", "run_shell_command", { command: "x" }, "stopped"), status: "cancelled" };
  const all = [user("u", "Q"), model("m", "A", { toolCalls: [edit, failed, stopped] }), user("v", "R")];

  it("is the same after a fork", async () => {
    const source = await opened(...all);
    const before = await results(source);
    expect(before).toMatchObject([{ details: {} }, { success: false }, { interrupted: true }]);
    expect(await results((await forked(source)).copy)).toEqual(before);
  });

  it("is the same after a fork that changes another one of its message", async () => {
    const source = await opened(...all);
    const [first, , third] = await results(source);
    const { copy } = await forked(source, { "d-result": "something else" });
    const now = await results(copy);
    expect(now[0]).toEqual(first);
    expect(now[1]).toMatchObject({ output: "something else", success: false });
    expect(now[2]).toEqual(third);
  });
});

describe("results without ids", () => {
  const named = (name: string, output: string) => ({ functionResponse: { name, response: { output } } });
  const calls = { functionCall: { name: "glob", args: {} } };
  const records = [
    user("u", "Q"),
    { ...model("m", ""), content: [calls, calls] },
    {
      ...user("r", ""),
      content: [
        named("glob", "one"),
        { inlineData: { mimeType: "image/png", data: "AA==" } },
        named("glob", "two"),
      ],
    },
    model("n", "A"),
  ];

  it("are told apart by their order when one is changed", async () => {
    const source = await opened(...records);
    const [, second] = await results(source);
    const { copy } = await forked(source, { [second?.id ?? ""]: "changed" });
    expect(await results(copy)).toMatchObject([{ output: "one" }, { output: "changed" }]);
  });
});

it("bytes beside a result go with it", async () => {
  const image = { inlineData: { mimeType: "image/png", data: "AA==" } };
  const pair = (id: string) => ({ functionCall: { id, name: "glob", args: {} } });
  const source = await opened(
    user("u", "Q"),
    { ...model("m", ""), content: [pair("c"), pair("d")] },
    { ...user("r", ""), content: [response("c", "glob", "one"), image, response("d", "glob", "two")] },
    model("n", "A"),
  );
  const { lines } = await forked(source, {}, ["c"]);
  expect(JSON.stringify(lines)).toContain("two");
  expect(JSON.stringify(lines)).not.toContain("inlineData");
});
