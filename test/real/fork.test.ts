// A fork that was edited on the way, or whose folder lives elsewhere, is resumed by the real CLI with exactly the
// history that was meant, in its own agent and in another one.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import type { Entry } from "../../src/session/session.ts";
import type { Source, Stream } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { type Edits, edited, editsFor } from "../../src/transform/edit.ts";
import { forkAt } from "../../src/transform/fork.ts";
import { type Move, remapped } from "../../src/transform/remap.ts";
import { visible } from "../../src/transform/visible.ts";
import { type Verification, verify } from "../../src/verify/verify.ts";
import { recordings } from "./carry.ts";
import { type CliName, installCli, NAMES } from "./install.ts";
import { adapterOf } from "./read.ts";
import { layUsedStore } from "./used-store.ts";

/** Each agent into itself, where a copy is edited, and into one other, where the edited session is translated. */
const pairs: readonly (readonly [CliName, CliName])[] = [
  ["claude", "claude"],
  ["codex", "codex"],
  ["gemini", "gemini"],
  ["opencode", "opencode"],
  ["claude", "codex"],
  ["codex", "claude"],
  ["gemini", "opencode"],
  ["opencode", "gemini"],
];

interface Change {
  edits?: Edits;
  /** The folder that the session's own becomes; the proof runs in a new one anyway. */
  isMoved?: boolean;
}

async function proven(source: Source, to: Adapter, { edits, isMoved }: Change): Promise<Verification> {
  const cli = await installCli(to.id as CliName);
  const isCopy = source.header.source.cli === to.id;
  const found = await verify({
    adapter: to,
    cli,
    async arrange(home, cwd) {
      if (to.id === "opencode") await layUsedStore(home.dir);
      const moves: Move[] = isMoved ? [[source.header.project.path, cwd]] : [];
      const more = { ...(edits && { edits }), moves, cwd, kind: "fork", installed: cli } as const;
      const made = await carry({ source, to, home, batonHome: join(home.dir, ".baton"), ...more });
      const seen = edits ? edited(visible(source), edits) : visible(source);
      const meant = remapped(seen, moves);
      // Not every CLI sends the thinking that it shows.
      const isWhole = isCopy && to.holds.thinking === "signed";
      const expected: Stream = isWhole ? meant : prepare(meant, { thinking: "drop" });
      return { originalId: made.originalId, losses: made.losses, expected, isCopy };
    },
  });
  expect(found).toMatchObject({ accepted: true, problems: [], unexpected: [], foreign: [] });
  expect(found.missing.filter(({ named }) => named === undefined)).toEqual([]);
  expect(found.facts.kept).toBeGreaterThan(found.missing.length);
  return found;
}

async function entriesOf(source: Source, type: Entry["type"]): Promise<Entry[]> {
  const entries = await Array.fromAsync(visible(source).entries());
  return entries.filter((entry) => entry.type === type && !entry.injected);
}

/** The result behind which the model called its tools for the last time. */
async function lastButOne(source: Source): Promise<string> {
  const entries = await Array.fromAsync(visible(source).entries());
  const ends = entries.filter(
    ({ type }, at) => type === "tool_result" && entries[at + 1]?.type !== "tool_result",
  );
  return ends.at(-2)?.id ?? "";
}

/** Made once for all that they are forked into. */
const sessions = Object.fromEntries(NAMES.map((name) => [name, recordings(name)])) as Record<
  CliName,
  ReturnType<typeof recordings>
>;
afterAll(async () => {
  for (const { close } of Object.values(sessions)) await close();
});

describe.each(pairs)("from %s into %s", (from, to) => {
  it("an edited session is resumed as it was edited", async () => {
    const source = await sessions[from].open("tools");
    const [prompt] = await entriesOf(source, "user");
    const calls = await entriesOf(source, "tool_call");
    const shell = calls.slice(1).find((entry) => entry.type === "tool_call" && entry.tool === "bash");
    const results = await entriesOf(source, "tool_result");
    const kept = results.filter((entry) => entry.type === "tool_result" && entry.callId !== calls[0]?.id);
    const edits = editsFor(source, {
      drop: [calls[0]?.id ?? ""],
      replace: [
        { entry: prompt?.id ?? "", content: "A prompt that was never typed" },
        { entry: kept[0]?.id ?? "", content: "An output that was never printed" },
        { entry: shell?.id ?? "", content: '{"command":"echo never run"}' },
      ],
    });
    expect(edits.warnings).toHaveLength(1);
    await proven(source, adapterOf(to), { edits });
  });

  it("a part of a session whose folder moved is resumed up to there, with the new paths", async () => {
    const source = await sessions[from].open("tools");
    const part = forkAt(source, await lastButOne(source));
    const calls = await entriesOf(part, "tool_call");
    expect(calls.length).toBeLessThan((await entriesOf(source, "tool_call")).length);
    expect(JSON.stringify(calls)).toContain(source.header.project.path);
    await proven(part, adapterOf(to), { isMoved: true });
  });
});
