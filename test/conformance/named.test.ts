// A session's file is recognised by what stands in it: on stdin, and wherever somebody copied it, it has another name.
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { collect } from "../../src/session/source.ts";
import { cases, laidOut, privateHome } from "./fixtures.ts";

/** Databases hold many sessions, and a tree is many files. */
const files = cases.filter(({ adapter }) => adapter.id !== "opencode");

describe.each(files.map((one) => [one.adapter.id, one.fixture, one] as const))("%s %s", (_, __, one) => {
  it.each(["input.jsonl", "input.json", "copy.of-it"])("is the same session as %s", async (name) => {
    for (const ref of await laidOut(one)) {
      const file = ref.files.find(({ role }) => role === "main");
      // Whose subagent it is, only its place in the store tells.
      if (!file || ref.parent !== undefined || !(await one.adapter.recognise(file.path))) continue;
      const path = join((await privateHome()).dir, name);
      await copyFile(file.path, path);
      const found = await one.adapter.recognise(path);
      expect(found).toBeDefined();
      if (!found) return;
      const alone = { ...ref, files: [file] };
      const source = await one.adapter.open(found);
      const { timeline } = await collect(source);
      // It builds on another file, and says that it is not there.
      if (source.losses.some(({ kind }) => kind === "file_missing")) continue;
      expect(timeline.map(({ type }) => type)).toEqual(
        (await collect(await one.adapter.open(alone))).timeline.map(({ type }) => type),
      );
    }
  });
});
