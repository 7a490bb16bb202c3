// Turns that another agent's CLI made come back, and the original's own CLI resumes both parts.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Home } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Call } from "../../src/loopback/reply.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Source, Stream } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { bringBack, type Returned } from "../../src/switch/return.ts";
import { join as joined } from "../../src/transform/join.ts";
import { visible } from "../../src/transform/visible.ts";
import { copyBundle } from "../../src/verify/copy.ts";
import { verify } from "../../src/verify/verify.ts";
import { compact as compactClaude, rewind } from "./claude.ts";
import { compact as compactCodex, rewindTo as rewindCodex } from "./codex.ts";
import { compact as compactGemini, rewindTo as rewindGemini } from "./gemini.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { compact as compactOpencode, rewindTo as rewindOpencode } from "./opencode.ts";
import { adapterOf } from "./read.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Two agents of one user, each where its CLI can be run. */
interface Pair {
  a: Rig;
  b: Rig;
  home: Home;
  batonHome: string;
}

/** The variables that tell where an agent's store is. */
const STORES: Readonly<Record<string, (home: string) => Record<string, string>>> = {
  claude: (home) => ({ CLAUDE_CONFIG_DIR: join(home, ".claude") }),
  codex: (home) => ({ CODEX_HOME: join(home, ".codex") }),
  gemini: (home) => ({ GEMINI_CLI_HOME: home }),
  // Its configuration too, because a session names the model that it goes on with.
  opencode: (home) => ({
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CONFIG_HOME: join(home, ".config"),
  }),
};

async function withPair(first: CliName, second: CliName, use: (pair: Pair) => Promise<void>): Promise<void> {
  const a = await openRig(first);
  const b = await openRig(second);
  try {
    const env = { ...STORES[first]?.(a.home), ...STORES[second]?.(b.home) };
    await use({ a, b, home: { dir: a.home, env }, batonHome: join(a.home, ".baton") });
  } finally {
    await a.close();
    await b.close();
  }
}

async function find({ home }: Pair, rig: Rig, id: string) {
  const adapter = adapterOf(rig.name);
  for await (const ref of adapter.discover(home))
    if (ref.originalId === id) return { ref, source: await adapter.open(ref) };
  throw new Error(`${rig.name} has no session ${id}`);
}

async function carried(pair: Pair, id: string): Promise<string> {
  const { ref, source } = await find(pair, pair.a, id);
  const { b, home, batonHome } = pair;
  const to = adapterOf(b.name);
  const options = { home, batonHome, cwd: b.cwd, kind: "resume" as const, installed: b.cli };
  return (await carry({ source, from: ref, to, ...options })).originalId;
}

async function returned(pair: Pair, id: string): Promise<Returned> {
  const { home, batonHome, a } = pair;
  const { ref, source } = await find(pair, pair.b, id);
  return bringBack({ source, ref, adapters, home, batonHome, installed: async () => a.cli });
}

/** The original's CLI resumes a copy of it, twice, with every fact of what was meant. */
async function proveHere(pair: Pair, id: string, expected: Stream, losses: readonly Loss[]): Promise<void> {
  const adapter = adapterOf(pair.a.name);
  const { ref } = await find(pair, pair.a, id);
  const found = await verify({
    adapter,
    cli: pair.a.cli,
    async arrange(home, cwd) {
      const copy = await copyBundle(adapter, ref, pair.home, home, cwd);
      return { originalId: copy.originalId, expected, losses, isCopy: true };
    },
  });
  expect(found).toMatchObject({ accepted: true, problems: [], unexpected: [], foreign: [] });
  expect(found.missing.filter(({ named }) => named === undefined)).toEqual([]);
  expect(found.facts.kept).toBe(found.facts.total - found.missing.length);
}

/** What the CLI tells its model when it goes on with the session where it is. */
async function told(rig: Rig, id: string): Promise<string> {
  const turn = await rig.resume(id, "And now?", [{ text: "Done." }]);
  expect(turn.id).toBe(id);
  return JSON.stringify(turn.requests.at(-1)?.request.messages);
}

const CALLS: Readonly<Record<string, Call>> = {
  gemini: { name: "run_shell_command", input: { command: "echo made elsewhere" } },
  opencode: { name: "bash", input: { command: "echo made elsewhere", description: "say so" } },
  claude: { name: "Bash", input: { command: "echo made elsewhere", description: "say so" } },
  codex: { name: "exec_command", input: { cmd: "echo made elsewhere" } },
};

const COMPACT: Readonly<Record<CliName, typeof compactClaude>> = {
  claude: compactClaude,
  codex: compactCodex,
  gemini: (rig, id, summary) => compactGemini(rig, id, "Look around first", summary),
  opencode: compactOpencode,
};

const WORK = (rig: Rig) => [
  { text: "Working elsewhere", calls: [CALLS[rig.name] as Call] },
  { text: "Worked elsewhere" },
];

const TAKEN = "This is taken back";
const REPLY = [{ text: "Went another way" }];

/** Back to behind the first reply, and on from there. */
const TAKE_BACK: Readonly<Record<CliName, (rig: Rig, id: string) => Promise<void>>> = {
  async claude(rig: Rig, id: string): Promise<void> {
    const reply = (await rig.records(id)).find(({ type }) => type === "assistant");
    await rewind(rig, id, JSON.stringify(reply), "Another way", REPLY);
  },
  async codex(rig: Rig, id: string): Promise<void> {
    await rewindCodex(rig, id, TAKEN);
    await rig.resume(id, "Another way", REPLY);
  },
  async gemini(rig: Rig, id: string): Promise<void> {
    await rewindGemini(rig, id, TAKEN);
    await rig.resume(id, "Another way", REPLY);
  },
  async opencode(rig: Rig, id: string): Promise<void> {
    await rewindOpencode(rig, id, TAKEN);
    await rig.resume(id, "Another way", REPLY);
  },
};

/** Every agent once in each role, and two of them in both directions. */
const ring = NAMES.map((name, at) => [name, NAMES[(at + 1) % NAMES.length] ?? name] as const);
const [one, two] = NAMES;
const pairs = NAMES.length === 2 || !one || !two ? ring : [...ring, [two, one] as const];

/** Not every CLI sends the thinking that it shows. */
function toldBy(name: CliName, source: Source): Stream {
  const stream = visible(source);
  return adapterOf(name).holds.thinking === "signed" ? stream : prepare(stream, { thinking: "drop" });
}

/** Ten runs of a CLI. */
const LONG = 400_000;

describe.each(pairs)("from %s to %s and back", (first, second) => {
  it("the original is resumed with both parts, twice", { timeout: LONG }, async () => {
    await withPair(first, second, async (pair) => {
      const { a, b } = pair;
      const id = (await SCENARIOS[first].tools?.(a)) ?? "";
      const before = await find(pair, a, id);
      const meant = await Array.fromAsync(toldBy(first, before.source).entries());
      const there = await carried(pair, id);
      const from = (await find(pair, b, there)).source.skeleton.length;
      await b.resume(there, "Go on elsewhere", WORK(b));
      const back = await returned(pair, there);
      expect(back).toMatchObject({ agent: first, originalId: id, isExtended: true, warnings: [] });
      const { source } = await find(pair, b, there);
      const added = prepare(visible(source, { from }), { thinking: "drop" });
      const kept: Stream = { ...visible(before.source), entries: () => replayed(meant) };
      await proveHere(pair, id, joined(kept, added), back.losses);
      const said = await told(a, id);
      for (const text of ["Go on elsewhere", "made elsewhere", "Worked elsewhere"])
        expect(said).toContain(text);
      await b.resume(there, "Once more elsewhere", [{ text: "Once more it is" }]);
      await returned(pair, there);
      expect(await told(a, (await returned(pair, there)).originalId)).toContain("Once more it is");
    });
  });

  it("an original that has gone on keeps its own turns", async () => {
    await withPair(first, second, async (pair) => {
      const { a, b } = pair;
      const { id } = await a.start("The beginning of it", [{ text: "So it began" }]);
      const there = await carried(pair, id);
      await b.resume(there, "Go on elsewhere", WORK(b));
      await a.resume(id, "Meanwhile at home", [{ text: "Done at home" }]);
      const back = await returned(pair, there);
      expect(back.isExtended).toBe(adapterOf(first).holds.branches);
      const said = await told(a, back.originalId);
      for (const text of ["The beginning of it", "So it began", "Worked elsewhere"])
        expect(said).toContain(text);
      expect(said).not.toContain("Done at home");
    });
  });

  it("a session that was compacted elsewhere returns as its summary", async () => {
    await withPair(first, second, async (pair) => {
      const { a, b } = pair;
      const { id } = await a.start("The beginning of it", [{ text: "So it began" }]);
      const there = await carried(pair, id);
      await b.resume(there, "Go on elsewhere", [{ text: "Worked elsewhere" }]);
      await COMPACT[second](b, there, "It was all said elsewhere.");
      await b.resume(there, "After the summary", [{ text: "Said after the summary" }]);
      const said = await told(a, (await returned(pair, there)).originalId);
      expect(said).toContain("Said after the summary");
      expect(said).not.toContain("So it began");
    });
  });

  it("a session that was taken back elsewhere returns behind what both still have", async () => {
    await withPair(first, second, async (pair) => {
      const { a, b } = pair;
      const { id } = await a.start("The beginning of it", [{ text: "So it began" }]);
      await a.resume(id, TAKEN, [{ text: "Taken back later" }]);
      const there = await carried(pair, id);
      await b.resume(there, "Go on elsewhere", [{ text: "Worked elsewhere" }]);
      await TAKE_BACK[second](b, there);
      const back = await returned(pair, there);
      expect(back.isExtended).toBe(adapterOf(first).holds.branches);
      const said = await told(a, back.originalId);
      for (const text of ["The beginning of it", "So it began", "Went another way"])
        expect(said).toContain(text);
      for (const text of ["Taken back later", "Worked elsewhere"]) expect(said).not.toContain(text);
    });
  });
});

async function* replayed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
