// A private copy of a session lies where the CLI looks for it, whatever project it is of.
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { ID, lines, metadata, model, privateHome, put, user } from "./store.ts";

it("lies in the folder of the other project, under its whole id, with its subagents", async () => {
  const home = await privateHome();
  const chats = ".gemini/tmp/project/chats";
  const log = lines(metadata, user("u", "Hello"), model("m", "Hi"));
  await put(home, ".gemini/tmp/project/.project_root", "/home/dev/project");
  await put(home, `${chats}/session-2026-01-02T03-04-11111111.jsonl`, log);
  await put(home, `${chats}/${ID}/agent.jsonl`, lines({ ...metadata, sessionId: "agent" }, user("a", "Go")));
  const found = await Array.fromAsync(gemini.discover(home));
  const ref = found.find(({ parent }) => parent === undefined) as SessionRef;
  const other = await privateHome();
  const cwd = join(other.dir, "Some Place");
  const copy = (await gemini.copy?.(ref, other, cwd)) as SessionRef;
  expect(copy.path).toBe(
    join(other.dir, ".gemini/tmp/some-place/chats", `session-2026-01-02T03-04-${ID}.jsonl`),
  );
  expect(await readFile(copy.path, "utf8")).toBe(log);
  expect(await readFile(join(dirname(copy.path), "../.project_root"), "utf8")).toBe(cwd);
  expect(copy.files.map(({ path, role }) => [basename(path), role])).toEqual([
    [basename(copy.path), "main"],
    ["agent.jsonl", "subagent"],
  ]);
  const source = await gemini.open(copy);
  expect(source.header.project.path).toBe(cwd);
  expect(await Array.fromAsync(source.children())).toHaveLength(1);
});
