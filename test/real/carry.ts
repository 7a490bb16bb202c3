// A session made by one real CLI is carried into another, whose real CLI then resumes it twice and tells its
// model every fact of it.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import type { Source } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import type { Carried } from "../../src/switch/perform.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import type { Finding } from "../../src/verify/compare.ts";
import { hiddenTexts } from "../../src/verify/copy.ts";
import { factsOf } from "../../src/verify/facts.ts";
import type { Isolation } from "../../src/verify/run.ts";
import { type Verification, verify } from "../../src/verify/verify.ts";
import { damageAt } from "./damage.ts";
import { openRig } from "./harness.ts";
import { type Cli, type CliName, installCli, NAMES } from "./install.ts";
import { adapterOf, homeAt, openFrom } from "./read.ts";
import { SCENARIOS } from "./scenarios.ts";
import { layUsedStore } from "./used-store.ts";

/** Every pair is tried with these kinds, the first pair of a CLI with all there are, and fidelity.test.ts with more. */
const KINDS = ["tools", "compacted"];

export function carriesFrom(from: CliName): void {
  const sessions = recordings(from);
  afterAll(sessions.close);
  const others = NAMES.filter((name) => name !== from);
  describe.each(others)(`from ${from} to %s`, (to) => {
    const kinds = Object.keys(SCENARIOS[from]).filter((kind) => to === others[0] || KINDS.includes(kind));
    it.each(kinds)("%s", async (kind) => {
      const source = await sessions.open(kind);
      const found = await proof(source, adapterOf(to));
      expect(found).toMatchObject({ problems: [], unexpected: [], foreign: [] });
      expect(found.missing).toMatchObject(await withoutPlace(source, adapterOf(to)));
      expect(found.facts.kept).toBe(found.facts.total - found.missing.length);
      expect(found.facts.kept).toBeGreaterThan(1);
      expect(found.listed).not.toBe(false);
    });
  });
}

/** The only facts that may be missing, each announced: what the target's format cannot hold. */
async function withoutPlace(source: Source, to: Adapter): Promise<Partial<Finding>[]> {
  const facts = await Array.fromAsync(factsOf(prepare(visible(source), { thinking: "drop" })));
  return facts.flatMap(({ type }): Partial<Finding>[] => {
    if (type === "document" && !to.holds.documents) return [{ type, named: "document_dropped" }];
    if (type === "image" && !to.holds.images) return [{ type, named: "image_dropped" }];
    return [];
  });
}

/** The sessions of one CLI, each recorded when it is first asked for. */
export function recordings(from: CliName) {
  const known = new Map<string, Promise<{ home: string; id: string }>>();
  const recorded = async (kind: string) => {
    const rig = await openRig(from);
    try {
      const id = (await SCENARIOS[from][kind]?.(rig)) ?? "";
      const home = await mkdtemp(join(tmpdir(), "baton-recorded-"));
      await cp(rig.home, home, { recursive: true, preserveTimestamps: true });
      return { home, id };
    } finally {
      await rig.close();
    }
  };
  return {
    async open(kind: string): Promise<Source> {
      const recording = known.get(kind) ?? recorded(kind);
      known.set(kind, recording);
      const { home, id } = await recording;
      return openFrom(adapterOf(from), home, id);
    },
    async close(): Promise<void> {
      for (const { home } of await Promise.all(known.values()))
        await rm(home, { recursive: true, force: true });
    },
  };
}

/** Makes a session with the real CLI and opens it as it stands in the store. */
export async function withSession<T>(
  from: CliName,
  kind: string,
  use: (source: Source, home: string) => Promise<T>,
): Promise<T> {
  const rig = await openRig(from);
  try {
    const id = (await SCENARIOS[from][kind]?.(rig)) ?? "";
    return await use(await openFrom(adapterOf(from), rig.home, id), rig.home);
  } finally {
    await rig.close();
  }
}

export interface ProofOptions {
  isolation?: Isolation;
  /** What happens to the written file before the CLI gets to see it. */
  damage?(content: string): string;
}

export async function proof(
  source: Source,
  to: Adapter,
  { damage, ...options }: ProofOptions = {},
): Promise<Verification> {
  const cli = await installCli(to.id as CliName);
  return verify({
    adapter: to,
    cli,
    ...options,
    async arrange(home, cwd) {
      // Where there is a database, rows are written; fidelity.test.ts proves the import.
      if (to.id === "opencode") await layUsedStore(home.dir);
      const { originalId, losses, path } = await carryInto(source, to, home.dir, cwd, cli);
      if (damage) await damageAt(path, damage);
      const expected = prepare(visible(source), { thinking: "drop" });
      return { originalId, losses, expected, hidden: await hiddenTexts(source) };
    },
  });
}

export function carryInto(
  source: Source,
  to: Adapter,
  home: string,
  cwd: string,
  cli: Cli,
): Promise<Carried> {
  const batonHome = join(home, ".baton");
  return carry({ source, to, home: homeAt(home), batonHome, cwd, kind: "resume", installed: cli });
}
