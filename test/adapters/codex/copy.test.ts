// A Codex session back into Codex: the same id gives the same bytes, a new id gives a thread that is whole in
// itself and says the same, and a cut or a change is honoured.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { Entry } from "../../../src/session/session.ts";
import { collect, type Source, type Stream, sourceOf } from "../../../src/session/source.ts";
import { forkAt } from "../../../src/transform/fork.ts";
import { thread, visible } from "../../../src/transform/visible.ts";
import { applied, fixtureNames, fixtureRefs, privateHome, targetIn, writeAll } from "./store.ts";

const everySession = (await Promise.all(fixtureNames.map(fixtureRefs))).flat();
const lineOf = (entry: Entry) => {
  const text = "content" in entry ? entry.content : "output" in entry ? entry.output : "";
  return `${entry.type} ${entry.type === "tool_call" ? entry.originalTool : text}`;
};
/** Withheld thinking without a seal is nothing that could be written. */
const isNothing = ({ parts }: Entry) =>
  parts?.every((part) => part.type === "thinking" && part.hidden && !part.signature) ?? false;
const saidBy = async (stream: Stream) =>
  (await Array.fromAsync(stream.entries())).filter((entry) => !entry.note && !isNothing(entry)).map(lineOf);

/** Through the universal form and out again, as `convert` would. */
async function throughJson(source: Source): Promise<Source> {
  const session = await collect(source, { records: true });
  return sourceOf(JSON.parse(JSON.stringify(session)));
}

describe.each(everySession)("$originalId", (ref) => {
  test("under its own id it is the same file, byte for byte", async () => {
    const home = {
      dir: "/nowhere",
      env: { CODEX_HOME: `${ref.path.slice(0, ref.path.lastIndexOf("/native/"))}/native` },
    };
    for (const source of [await codex.open(ref), await throughJson(await codex.open(ref))]) {
      const target = targetIn(home, { originalId: source.header.source.originalId ?? "" });
      const bytes = await bytesOf(thread(source), target);
      expect(bytes.equals(await readFile(ref.path))).toBe(true);
    }
  });

  test("under a new id it says the same", async () => {
    const home = await privateHome();
    const source = await codex.open(ref);
    const target = targetIn(home);
    const found = await writeAll(thread(source), target);
    const copy = await applied(found, target);
    expect(copy.source.header.source.originalId).toBe(target.originalId);
    expect(await saidBy(visible(copy.source))).toEqual(await saidBy(visible(source)));
    const first = found.lines[0]?.payload;
    expect(first).toMatchObject({ id: target.originalId, source: "cli" });
    expect(first).not.toHaveProperty("history_base");
    const said = found.records.flatMap(({ file, says }) =>
      file === "main" ? says.map(([type]) => type) : [],
    );
    expect((await Array.fromAsync(copy.source.entries())).map(({ type }) => type)).toEqual(said);
  });
});

async function bytesOf(stream: Stream, target: ReturnType<typeof targetIn>): Promise<Buffer> {
  const bytes: Buffer[] = [];
  for await (const written of codex.write?.(stream, target) ?? []) {
    if (written.type === "loss") throw new Error(`${written.loss.kind} ${written.loss.detail}`);
    bytes.push(Buffer.from(written.bytes as string));
  }
  return Buffer.concat(bytes);
}

async function fixture(name: string): Promise<Source> {
  const [ref] = await fixtureRefs(name);
  return codex.open(ref!);
}

const withoutMeta = (text: string) => text.split("\n").slice(1);

test("a copy keeps every other line as it was", async () => {
  const [ref] = await fixtureRefs("paginated-tools");
  const target = targetIn(await privateHome(), { configuration: { provider: "sim", mcpServers: [] } });
  const { main } = await writeAll(thread(await codex.open(ref!)), target);
  expect(withoutMeta(main)).toEqual(withoutMeta(await readFile(ref!.path, "utf8")));
});

test("settings of a provider that is not set up stay behind", async () => {
  const target = targetIn(await privateHome(), { configuration: { provider: "another", mcpServers: [] } });
  const { main } = await writeAll(thread(await fixture("paginated-tools")), target);
  expect(main).not.toContain("thread_settings_applied");
  expect(main).not.toContain('"model_provider"');
});

test("a fork at an entry keeps what came before it and closes the turn", async () => {
  const source = await fixture("paginated-tools");
  const at = Array.from({ length: source.skeleton.length }, (_, position) => position).find(
    (position) => source.skeleton.type(position) === "tool_result",
  );
  const cut = forkAt(source, source.skeleton.id(at!));
  const target = targetIn(await privateHome());
  const found = await writeAll(thread(cut), target);
  const { source: copy } = await applied(found, target);
  expect(copy.skeleton.id(copy.skeleton.head)).toBe(source.skeleton.id(at!));
  expect(found.lines.at(-1)?.payload.type).toBe("task_complete");
  const ordinals = found.lines.map(({ ordinal }) => ordinal ?? -1);
  expect(ordinals).toEqual(ordinals.toSorted((a, b) => a - b));
  expect(new Set(ordinals).size).toBe(ordinals.length);
});

test("a changed entry is written anew, the rest says the same", async () => {
  const source = await fixture("legacy");
  const changed: Stream = {
    ...thread(source),
    async *entries() {
      for await (const entry of thread(source).entries())
        yield entry.type === "user" && entry.content === "Q2" ? { ...entry, content: "Changed" } : entry;
    },
  };
  const target = targetIn(await privateHome());
  const { source: copy } = await applied(await writeAll(changed, target), target);
  const all = (stream: Stream) => saidBy(stream);
  const expected = (await all(thread(source))).map((line) => (line === "user Q2" ? "user Changed" : line));
  expect(await all(thread(copy))).toEqual(expected);
});

test("reasoning with its seal survives being written anew", async () => {
  const source = await fixture("envelope-less");
  const { lines } = await writeAll(thread(source), targetIn(await privateHome()));
  const reasoning = lines.find(({ payload }) => payload.type === "reasoning")?.payload;
  expect(reasoning).toEqual({
    ...{ type: "reasoning", summary: [{ type: "summary_text", text: "**Listing**" }] },
    ...{ content: null, encrypted_content: "gAAAA" },
  });
});
