// The summary of a compaction is replaced in a fork: in its own agent and in every other one the model sees the new
// one, and nothing of the old.
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { carry } from "../../src/switch/carry.ts";
import { editsFor } from "../../src/transform/edit.ts";
import { find, named, newWorld, seen } from "./world.ts";

const AGENTS = adapters.filter(({ write }) => write).map(({ id }) => id);
const SAMPLES = join(import.meta.dirname, "../../samples");
const OLD = "There was a word, and a reply";

it.each(AGENTS.flatMap((from) => AGENTS.map((into) => [from, into] as const)))(
  "from %s into %s",
  async (from, into) => {
    const world = await newWorld();
    await mkdir(world.home.dir, { recursive: true });
    await cp(join(SAMPLES, from, "native"), world.home.dir, { recursive: true });
    const refs = await Array.fromAsync(named(from).discover(world.home));
    const ref = refs.find(({ parent }) => parent === undefined);
    const { source } = await find(world, { agent: named(from), id: ref?.originalId ?? "" });
    const entries = await Array.fromAsync(source.entries());
    const { id = "" } = entries.findLast(({ type }) => type === "compaction") ?? {};
    const edits = editsFor(source, { drop: [], replace: [{ entry: id, content: "In short" }] });
    const to = named(into);
    const { originalId } = await carry({ ...world, source, to, edits, kind: "fork", cwd: "/elsewhere" });
    const words = (await seen(world, { agent: to, id: originalId })).join("\n");
    expect(words).toContain("In short");
    expect(words).not.toContain(OLD);
  },
);
