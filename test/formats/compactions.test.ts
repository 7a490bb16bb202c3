// What a compaction left is content like any other: it stands in every format that shows the branch, and a model
// that goes on from an ATIF file sees what it would have seen.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { formats } from "../../src/formats/index.ts";
import { mention, partsOf, textOf } from "../../src/formats/parts.ts";
import { outputOf, turnsOf } from "../../src/formats/turns.ts";
import type { Entry, Part } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { thread, visible } from "../../src/transform/visible.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
const SAMPLES = join(import.meta.dirname, "../../samples");

function format(id: string) {
  const found = formats.find((one) => one.id === id);
  if (!found) throw new Error(`no format ${id}`);
  return found;
}

async function written(source: Source, id: string): Promise<string> {
  return (await Array.fromAsync(format(id).write(thread(source)))).join("");
}

let files = 0;
async function throughAtif(source: Source): Promise<Source> {
  const text = await written(source, "atif");
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, text);
  const back = await format("atif").read?.(path);
  if (!back) throw new Error("ATIF is not read");
  return back;
}

/** What the model would see, message by message; where bytes have no place, a note that says so is the same. */
async function seen(source: Source): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const turn of turnsOf(visible(source).entries())) {
    if (turn.type === "entry") {
      if (turn.entry.type === "user" || turn.entry.type === "system")
        found.push({ [turn.entry.type]: textIn(partsOf(turn.entry)), injected: turn.entry.injected });
      continue;
    }
    const parts = turn.said.flatMap((entry) => partsOf(entry));
    const thinking = parts.flatMap((part) => (part.type === "thinking" && part.text ? [part.text] : []));
    const calls = turn.pairs.map(({ call: one, result: answer }) => ({
      id: one.id,
      tool: one.tool,
      name: one.originalTool ?? one.tool,
      input: one.input,
      output: answer && (answer.parts ? textIn(partsOf(answer)) : outputOf(answer)),
      success: answer?.success,
      hosted: one.hosted,
    }));
    const reply = textIn(parts.filter(({ type }) => type !== "thinking"));
    if (reply !== "" || calls.length > 0) found.push({ reply, thinking: thinking.join("\n\n"), calls });
  }
  return found;
}

function textIn(parts: readonly Part[]): string {
  return parts
    .map((part) => (part.type === "image" || part.type === "document" ? mention(part) : (textOf(part) ?? "")))
    .join("\n");
}

async function sampleSources(name: string): Promise<Source[]> {
  const dir = await mkdtemp(join(tmpdir(), "baton-samples-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await cp(join(SAMPLES, name, "native"), dir, { recursive: true });
  const adapter = adapters.find(({ id }) => id === name);
  if (!adapter) throw new Error(`no agent ${name}`);
  const refs = await Array.fromAsync(adapter.discover({ dir, env: {}, projects: [join(dir, "project")] }));
  return Promise.all(refs.map((ref) => adapter.open(ref)));
}

const compacted = sourceOf(
  session([
    user("u"),
    call("c1"),
    result("c1"),
    compaction("k", {
      replacement: [
        { ...user("u"), content: "A word of before" } as Entry,
        { ...assistant("a", { turn: "t" }), content: "A reply of before" } as Entry,
        { ...call("c1", { turn: "t" }), input: { command: "echo before" } } as Entry,
        { ...result("c1"), output: "Output of before" } as Entry,
      ],
    }),
    user("u2"),
  ]),
);

it.each(["atif", "markdown", "html"])("%s holds what a compaction left", async (id) => {
  const text = await written(compacted, id);
  for (const words of ["A word of before", "A reply of before", "echo before", "Output of before"])
    expect(text).toContain(words);
});

it("what it left is told apart from what followed", async () => {
  const back = await throughAtif(compacted);
  const entries = await Array.fromAsync(back.entries());
  expect(entries.map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result", "compaction", "user"]);
  expect(await seen(back)).toEqual(await seen(compacted));
});

it("leaving nothing is not the same as leaving a summary", async () => {
  const made = sourceOf(
    session([user("u"), compaction("k", { summary: "All.", replacement: [] }), user("u2")]),
  );
  const back = await throughAtif(made);
  expect(await seen(back)).toEqual([{ user: "says u2" }]);
});

describe("a model sees the same after ATIF", () => {
  it.each(["claude", "codex", "gemini", "opencode"])("as in the sample of %s", async (name) => {
    const sources = await sampleSources(name);
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      const back = await throughAtif(source);
      expect(await seen(back)).toEqual(await seen(source));
    }
  });

  it.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))(
    "as in %s",
    async (_, one) => {
      for (const ref of await laidOut(one)) {
        const source = await one.adapter.open(ref);
        const back = await throughAtif(source);
        expect(await seen(back)).toEqual(await seen(source));
      }
    },
  );
});
