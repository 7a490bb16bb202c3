// A session made by one real CLI is carried into another, whose real CLI then resumes it twice and tells its
// model every fact of it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import type { Source } from "../../src/session/source.ts";
import { type Carried, carry } from "../../src/switch/carry.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import { hiddenTexts } from "../../src/verify/copy.ts";
import type { Isolation } from "../../src/verify/run.ts";
import { type Verification, verify } from "../../src/verify/verify.ts";
import { openRig } from "./harness.ts";
import { type Cli, type CliName, installCli } from "./install.ts";
import { adapterOf, homeAt, openFrom } from "./read.ts";
import { SCENARIOS } from "./scenarios.ts";

/** `named`: the losses that must announce what the target cannot hold, by kind of session. */
export function carries(
  from: CliName,
  to: CliName,
  named: Readonly<Record<string, readonly string[]>> = {},
): void {
  describe(`from ${from} to ${to}`, () => {
    it.each(Object.keys(SCENARIOS[from]))("%s", async (kind) => {
      const found = await withSession(from, kind, (source) => proof(source, adapterOf(to)));
      expect(found).toMatchObject({ problems: [], unexpected: [], foreign: [] });
      expect(found.missing.filter((finding) => finding.named === undefined)).toEqual([]);
      expect(found.missing.map((finding) => finding.named)).toEqual(named[kind] ?? []);
      expect(found.facts.kept).toBe(found.facts.total - found.missing.length);
      expect(found.facts.kept).toBeGreaterThan(1);
      expect(found.listed).not.toBe(false);
    });
  });
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
      const { originalId, losses, path } = await carryInto(source, to, home.dir, cwd, cli);
      if (damage) await writeFile(path, damage(await readFile(path, "utf8")));
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
