// A session that its CLI has deleted is written back from the archive, and the CLI resumes it with everything.
import { existsSync } from "node:fs";
import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionRef } from "../../src/adapters/adapter.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { archivedSessions } from "../../src/catalog/archive/read.ts";
import { restoreSession } from "../../src/catalog/archive/restore.ts";
import { examine } from "../../src/catalog/doctor.ts";
import { walk } from "../../src/catalog/scan.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { adapterOf, findSession, homeAt } from "./read.ts";
import { SCENARIOS } from "./scenarios.ts";
import { DAY_MS } from "./settled.ts";
import { resumesWhole } from "./truth.ts";

const LONG_AGO = new Date(Date.now() - 60 * DAY_MS);

interface Deletion {
  /** Makes the session one that the CLI deletes. */
  age?(rig: Rig, ref: SessionRef): Promise<void>;
  /** Makes the CLI delete it. */
  remove(rig: Rig, ref: SessionRef): Promise<void>;
}

/** A session that takes its time, because the clean-up begins a while after the CLI does. */
async function startAnother(rig: Rig): Promise<void> {
  await rig.start("Something else", [{ text: "Slowly but surely I come to an end.", pace: 700 }]);
}

const DELETIONS: Readonly<Record<CliName, Deletion>> = {
  claude: {
    async age(_, { files }) {
      for (const { path } of files) await utimes(path, LONG_AGO, LONG_AGO);
    },
    remove: startAnother,
  },
  codex: {
    // It deletes none by itself.
    async remove(rig, { files, originalId }) {
      const own = walk(homeAt(rig.home), [adapterOf(rig.name)]).filter(
        ({ ref }) => ref.parent === originalId,
      );
      for (const { path } of [...files, ...own.map(({ ref }) => ref)]) await rm(path);
    },
  },
  gemini: {
    age: (rig, { originalId }) =>
      rig.append(originalId.slice(0, 8), { $set: { lastUpdated: LONG_AGO.toISOString() } }),
    remove: startAnother,
  },
  opencode: {
    async remove(rig, { originalId }) {
      await rig.run(["session", "delete", originalId]);
    },
  },
};

/** With subagents, and with files or rows of more than one session. */
const KINDS: Readonly<Record<CliName, readonly string[]>> = {
  claude: ["delegated", "compacted"],
  codex: ["delegated", "branched"],
  gemini: ["delegated"],
  opencode: ["delegated"],
};

interface Case {
  name: CliName;
  kind: string;
  how: string;
  /** What the CLI's version is taken for, where that decides how it is restored. */
  version?: string;
}

const cases: Case[] = [
  ...NAMES.flatMap((name) => KINDS[name].map((kind) => ({ name, kind, how: "as it was" }))),
  // Into a database of a shape that is not proven for the version.
  { name: "opencode", kind: "delegated", how: "by its own import", version: "0.0.1" },
];

describe("after its CLI has deleted it", () => {
  it.each(cases)("$name resumes a session that was restored $how: $kind", async ({ name, kind, version }) => {
    const rig = await openRig(name);
    try {
      const adapter = adapterOf(name);
      const home = homeAt(rig.home);
      const batonHome = join(rig.home, ".baton");
      const id = (await SCENARIOS[name][kind]?.(rig)) ?? "";
      const ref = await findSession(adapter, rig.home, id);
      await DELETIONS[name].age?.(rig, ref);
      const before = await rig.snapshot();
      const archived = await archiveSessions(batonHome, walk(home, [adapter]));
      expect(archived.problems).toEqual([]);
      // What the doctor foretells is what the CLI then does by itself.
      const { dueForDeletion } = await examine(adapter, home);
      const isAged = DELETIONS[name].age !== undefined;
      expect(dueForDeletion.map(({ path }) => path)).toEqual(isAged ? [ref.path] : []);
      await DELETIONS[name].remove(rig, ref);
      const there = walk(home, [adapter]);
      expect(there.map((one) => one.ref.originalId)).not.toContain(id);

      const all = await archivedSessions(batonHome);
      const session = all.find(({ originalId }) => originalId === id);
      if (!session) throw new Error(`${id} was not archived`);
      const installed = { ...rig.cli, ...(version !== undefined && { version }) };
      const restored = await restoreSession({
        session,
        all,
        found: there,
        adapter,
        home,
        batonHome,
        installed,
      });
      expect(restored.operation).not.toBeNull();
      await startAnother(rig);
      expect(existsSync(restored.path)).toBe(true);

      await resumesWhole(rig, id, before);
    } finally {
      await rig.close();
    }
  });
});
