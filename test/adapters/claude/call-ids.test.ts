// Claude Code takes a call id that ends in `_2` for a second copy of the one without it and drops its result.
import { expect, it } from "vitest";
import type { Target } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { call, result, session, user } from "../../session/build.ts";

const target: Target = {
  home: { dir: "/home", env: {} },
  originalId: "0c0ffee0-0000-4000-8000-000000000001",
  cwd: "/project",
  version: "2.1.325",
  now: new Date("2026-01-02T03:04:05Z"),
  configuration: { mcpServers: [] },
};

async function callIds(...entries: Parameters<typeof session>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const written of claude.write?.(sourceOf(session(entries)), target) ?? []) {
    if (written.type !== "record") continue;
    const content: unknown = JSON.parse(String(written.bytes)).message?.content;
    if (Array.isArray(content)) for (const { type, id } of content) if (type === "tool_use") ids.push(id);
  }
  return ids;
}

it("does not number the parts of a split call that way", async () => {
  const changes = ["a", "b", "c"].map((path) => ({ kind: "add", path, content: path }));
  const patch = { ...call("c1"), tool: "edit" as const, input: { path: "a", changes } };
  expect(await callIds(user("u1"), patch as ReturnType<typeof call>, result("c1"))).toEqual([
    "c1",
    "c1-2",
    "c1-3",
  ]);
});

it("does not keep such an id, whichever comes first", async () => {
  const pairs = ["x_1", "x", "x_2"].flatMap((id) => [call(id), result(id, {}, `r${id}`)]);
  expect(await callIds(user("u1"), ...pairs)).toEqual(["x-1", "x", "x-2"]);
});
