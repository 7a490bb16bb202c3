// A session given back to Claude Code: what nobody touched stays as it was, byte for byte.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Entry, Session } from "../../../src/session/session.ts";
import { collect, type Source, type Stream, sourceOf } from "../../../src/session/source.ts";
import { entryText } from "../../../src/session/text.ts";
import { forkAt } from "../../../src/transform/fork.ts";
import { thread, visible } from "../../../src/transform/visible.ts";
import { user } from "../../session/build.ts";
import { FIXTURES, openFixture, pathOf } from "./open.ts";
import { writtenAndRead } from "./written.ts";

const names = readdirSync(FIXTURES);
/** A cut-off last line stays cut off; nothing is added to files that are only copied. */
const sameTitle = (stream: Stream) => ({ title: stream.header.title ?? "" });

async function copied(stream: Stream, more = {}) {
  return writtenAndRead(stream, { ...sameTitle(stream), ...more });
}

const mainOf = (files: ReadonlyMap<string, Buffer>) =>
  [...files].find(([path]) => path.endsWith("000001.jsonl"))?.[1] ?? Buffer.alloc(0);

describe.each(names)("%s", (name) => {
  it("comes back byte for byte, under its own id or another, straight or through JSON", async () => {
    const native = readFileSync(await pathOf(name));
    const source = await openFixture(name);
    const session = JSON.parse(JSON.stringify(await collect(source, { records: true }))) as Session;
    for (const stream of [source, sourceOf(session)]) {
      const { files } = await copied(stream);
      expect(mainOf(files).equals(native)).toBe(true);
    }
  });

  it("shows the model the same as before", async () => {
    const source = await openFixture(name);
    for (const stream of [thread(source), visible(source)]) {
      const again = await copied(stream);
      expect(await seen(again.source)).toEqual(await seen(source));
      expect((await collect(again.source)).timeline.map(saying)).toEqual(again.says);
    }
  });
});

async function seen(source: Source): Promise<unknown[]> {
  return (await Array.fromAsync(visible(source).entries())).map((entry) => [entry.id, ...saying(entry)]);
}

function saying(entry: Entry): [string, string] {
  return [entry.type, entryText(entry)];
}

it("subagents are copied with it", async () => {
  const source = await openFixture("subagent");
  const { files, source: again } = await copied(source);
  const [child] = await Array.fromAsync(source.children());
  const [copy] = await Array.fromAsync(again.children());
  const raw = await Array.fromAsync(child?.records?.() ?? []);
  const file = [...files].find(([path]) => path.endsWith("agent-abc7cbfa94353b3c8.jsonl"));
  expect(String(file?.[1])).toBe(raw.map((record) => record.raw).join(""));
  expect(copy?.header.source.originalId).toBe("0c0ffee0-0000-4000-8000-000000000001/agent-abc7cbfa94353b3c8");
  expect(again.losses.filter(({ kind }) => kind === "file_missing")).toEqual([]);
});

it("a fork ends where it was cut, and names its last message", async () => {
  const source = await openFixture("tools");
  const { source: fork, lines } = await copied(thread(forkAt(source, "toolu_02write")));
  const ids = (await seen(fork)).map((entry) => (entry as string[])[0]);
  expect(ids).toContain("toolu_02write");
  expect(ids).not.toContain("toolu_03a");
  const call = lines.find((line) => JSON.stringify(line.message)?.includes('"id":"toolu_02write"'));
  expect(lines.at(-1)).toMatchObject({ type: "last-prompt", leafUuid: call?.uuid });
});

it("a changed message is written anew in its place, the others are copied", async () => {
  const source = await openFixture("tools");
  const change = (entry: Entry): Entry =>
    entry.type === "assistant" && entry.content === "I will read the file."
      ? { ...entry, content: "I read it." }
      : entry;
  const { source: again, files } = await copied({ ...source, entries: () => mapped(source, change) });
  const before = readFileSync(await pathOf("tools"), "utf8").split("\n");
  const after = String(mainOf(files)).split("\n");
  const changed = after.filter((line, at) => line !== before[at] && line !== "");
  expect(changed).toHaveLength(2);
  expect(JSON.parse(changed[0] ?? "")).toMatchObject({
    message: { content: [{ type: "text", text: "I read it." }] },
  });
  expect(JSON.parse(changed[1] ?? "")).toMatchObject({ type: "last-prompt" });
  expect(JSON.stringify(await seen(again))).toContain("I read it.");
});

it("a dropped message leaves no hole in the thread", async () => {
  const source = await openFixture("branches");
  const without = (entry: Entry) =>
    "content" in entry && entry.content === "Root reply" ? undefined : entry;
  const { source: again, lines } = await copied({ ...source, entries: () => mapped(source, without) });
  expect((await seen(again)).map((entry) => (entry as string[])[2])).toEqual(["Root", "Left", "Left reply"]);
  const uuids = new Set(lines.map(({ uuid }) => uuid));
  for (const { parentUuid } of lines) if (parentUuid) expect(uuids).toContain(parentUuid);
});

it("new messages follow the old ones, also behind a line without its end", async () => {
  for (const name of ["tools", "oddities"]) {
    const source = await openFixture(name);
    const stream = { ...source, entries: () => followed(source, user("new")) };
    const { source: again, files } = await copied(stream);
    expect((await seen(again)).at(-1)).toMatchObject([expect.any(String), "user", "says new"]);
    expect(String(mainOf(files))).toContain(readFileSync(await pathOf(name), "utf8"));
  }
});

async function* mapped(source: Source, change: (entry: Entry) => Entry | undefined): AsyncGenerator<Entry> {
  for await (const entry of source.entries()) {
    const now = change(entry);
    if (now) yield now;
  }
}

async function* followed(source: Source, entry: Entry): AsyncGenerator<Entry> {
  yield* source.entries();
  yield entry;
}
