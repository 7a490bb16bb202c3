// A session that was carried into another agent compares as equal to its original, except where the other agent has
// other means and says so.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Source } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { compare } from "../../src/transform/compare.ts";
import { visible } from "../../src/transform/visible.ts";
import { find, named, newWorld } from "./world.ts";

const writers = adapters.filter(({ write }) => write);
const pairs = writers.flatMap((from) => writers.filter((to) => to !== from).map((to) => [from.id, to.id]));

/** A patch that deletes and moves files is partly done by commands there, and what was typed into one is no tool. */
const patched = { "Use your tools": "files tools", ...pictured("Look at this") };

/** Per pair: the prompts whose turns differ, and in what. */
const DIFFERENT: Record<string, Record<string, string>> = {
  // Several edits in one call are several calls there, each of which failed.
  "claude gemini": { "Use your tools": "errors" },
  "claude codex": pictured("And these?"),
  "gemini codex": pictured("- End of content ---"),
  "opencode codex": pictured("Look at these"),
  "codex claude": patched,
  "codex gemini": patched,
  "codex opencode": { "Use your tools": "tools", ...pictured("Look at this") },
};

/** Codex says in the prompt where a picture or a document lies. */
function pictured(prompt: string): Record<string, string> {
  return { [prompt]: "prompt" };
}

describe.each(pairs)("a session of %s, carried into %s", (from, to) => {
  it("compares as equal", async () => {
    const world = await newWorld();
    const { source, ref } = await sampleOf(from);
    const { originalId } = await carry({
      ...world,
      source,
      from: ref,
      to: named(to),
      kind: "resume",
      yes: true,
    });
    const back = await find(world, { agent: named(to), id: originalId });
    const { turns, totals } = await compare(visible(source), visible(back.source));
    const differing = turns.filter(({ same }) => !same);
    expect(
      Object.fromEntries(
        differing.map(({ a, b, differs }) => [
          (a ?? b)?.prompt.slice(-20),
          a && b ? differs.join(" ") : "alone",
        ]),
      ),
    ).toEqual(DIFFERENT[`${from} ${to}`] ?? {});
    expect(totals.both).toBeGreaterThan(8);
  });
});

async function sampleOf(
  agent: string,
): Promise<{ source: Source; ref: Parameters<ReturnType<typeof named>["open"]>[0] }> {
  const dir = fileURLToPath(new URL(`../../samples/${agent}/native`, import.meta.url));
  for await (const ref of named(agent).discover({ dir, env: {} }))
    if (!ref.parent) return { ref, source: await named(agent).open(ref) };
  throw new Error(`no sample of ${agent}`);
}
