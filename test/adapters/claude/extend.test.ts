// The end of a file that others go on from: calls of its last message that have no results are known.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { endOf } from "../../../src/adapters/claude/extend.ts";
import { claude } from "../../../src/adapters/claude/index.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const line = (n: number, type: string, message: object) => ({
  ...{ type, uuid: uuid(n), parentUuid: n === 1 ? null : uuid(n - 1), sessionId: SESSION, cwd: "/p" },
  ...{ version: "2.1.325", timestamp: `2026-01-02T03:04:0${n}.000Z`, isSidechain: false, message },
});
const call = (n: number, id: string) =>
  line(n, "assistant", {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use" },
    content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }],
  });
const answer = (n: number, id: string) =>
  line(n, "user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] });

it.each([
  ["none", [], ["toolu_1", "toolu_2"]],
  ["the first", ["toolu_1"], ["toolu_2"]],
  ["the second", ["toolu_2"], ["toolu_1"]],
  ["both", ["toolu_1", "toolu_2"], []],
])("when %s of two calls is answered", async (_, answered, open) => {
  const lines = [
    line(1, "user", { role: "user", content: "go" }),
    call(2, "toolu_1"),
    call(3, "toolu_2"),
    ...answered.map((id, at) => answer(4 + at, id)),
  ];
  const path = join(await mkdtemp(join(tmpdir(), "baton-end-")), `${SESSION}.jsonl`);
  await writeFile(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const end = await endOf({ ref: (await claude.recognise(path)) as SessionRef });
  expect(end.open.map((one) => one.call.id)).toEqual(open);
});
