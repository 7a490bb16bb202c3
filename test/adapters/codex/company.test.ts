// A thread that is spread over several rollouts takes all of them along: those it goes on from and its subagents.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { codex } from "../../../src/adapters/codex/index.ts";
import { BatonError } from "../../../src/session/error.ts";
import type { Session } from "../../../src/session/session.ts";
import { collect, type Source, sourceOf } from "../../../src/session/source.ts";
import { entryText } from "../../../src/session/text.ts";
import { bundle } from "../../../src/switch/bundle.ts";
import { thread } from "../../../src/transform/visible.ts";
import { applied, fixtureNames, fixtureRefs, privateHome, targetIn, writeAll } from "./store.ts";

const everySession = (await Promise.all(fixtureNames.map(fixtureRefs))).flat();

/** What it says, and what its subagents say. */
function contentOf({ timeline, children = [] }: Session): unknown {
  return [timeline, ...(children as Session[]).map(contentOf)];
}

async function converted(ref: SessionRef, name: string): Promise<Source> {
  const dir = await mkdtemp(join(tmpdir(), "baton-test-company-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const home = { dir: "/nowhere", env: { CODEX_HOME: `${ref.path.split("/native/")[0]}/native` } };
  const path = join(dir, name);
  const { pieces } = await bundle({ source: await codex.open(ref), to: codex, home, path });
  for await (const piece of pieces) await writeFile(piece.path, piece.bytes, { flag: "a" });
  const found = await codex.recognise(path);
  if (!found) throw new Error(`${path} is not recognised`);
  return codex.open(found);
}

describe.each(everySession)("$originalId", (ref) => {
  test("as files elsewhere it is whole, although its store is not there", async () => {
    const name = ref.path.endsWith(".json") ? "out.json" : "out.jsonl";
    const copy = await collect(await converted(ref, name));
    expect(contentOf(copy)).toEqual(contentOf(await collect(await codex.open(ref))));
  });
});

test("a file that would take the name of one that it goes on from is refused", async () => {
  const [ref] = await fixtureRefs("reverted");
  const base = ref!.files[1]!.path.split("/").at(-1)!;
  await expect(converted(ref!, base)).rejects.toThrow(BatonError);
});

async function fromFile(name: string, records: boolean): Promise<Source> {
  const refs = await fixtureRefs(name);
  const main = refs.find(({ parent }) => parent === undefined);
  const session = await collect(await codex.open(main!), { records });
  return sourceOf(JSON.parse(JSON.stringify(session)));
}

const textsOf = async (source?: Source) =>
  (await Array.fromAsync(source?.entries() ?? [])).filter(({ note }) => !note).map(entryText);

describe.each(["subagent", "subagent-v2"])("%s out of a universal file", (name) => {
  test.each([true, false])("brings its subagents along (records: %s)", async (records) => {
    const source = await fromFile(name, records);
    const target = targetIn(await privateHome());
    const found = await writeAll(thread(source), target);
    const { source: copy } = await applied(found, target);
    const children = await Array.fromAsync(copy.children());
    const given = await Array.fromAsync(source.children());
    expect(children.map(({ header }) => header.source.originalId)).toEqual(
      given.map(({ header }) => header.source.originalId),
    );
    expect(children[0]?.header.links).toContainEqual(
      expect.objectContaining({ type: "parent", session: `codex:${target.originalId}` }),
    );
    expect(await textsOf(children[0])).toEqual(await textsOf(given[0]));
    expect(found.losses.map(({ kind }) => kind)).toContain("subagent_linked");
  });

  test("leaves alone those that the store has", async () => {
    const source = await fromFile(name, true);
    const home = await privateHome();
    const first = targetIn(home);
    await applied(await writeAll(thread(source), first), first);
    const second = targetIn(home, { originalId: "01a1e000-0000-7000-8000-000000000002" });
    const found = await writeAll(thread(source), second);
    expect(new Set(found.records.map(({ file }) => file))).toEqual(new Set(["main"]));
    const { source: copy } = await applied(found, second);
    expect(await Array.fromAsync(copy.children())).toHaveLength(1);
  });
});
