// The table of all pairs, as the command makes it, and the bar it has to pass: every text, call and result in its
// place, every image and document that the target takes, and all else in the loss report.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Fidelity } from "../../src/cli/fidelity.ts";
import { fidelityPage } from "../../src/cli/fidelity-page.ts";
import { baton } from "./baton.ts";
import { adapterOf } from "./read.ts";
import { RICH } from "./rich.ts";

const MINUTES = 60_000;

it("every pair keeps what it promises, and docs/fidelity.md says so", { timeout: 20 * MINUTES }, async () => {
  const home = await mkdtemp(join(tmpdir(), "baton-fidelity-"));
  try {
    const { status, stderr, result } = await baton(home, home, "fidelity");
    const fidelity = result as Fidelity;
    const flaws = fidelity.pairs.filter(({ proven }) => !proven).map(({ from, to }) => `${from} to ${to}`);
    expect({ status, stderr, flaws }).toEqual({ status: 0, stderr: "", flaws: [] });
    expect(fidelity.pairs).toHaveLength(Object.keys(RICH).length ** 2);
    for (const { from, to, types } of fidelity.pairs) {
      const whole = ["text", "call", "result"] as const;
      const { images, documents } = adapterOf(to).holds;
      const media = [...(images ? ["image" as const] : []), ...(documents ? ["document" as const] : [])];
      for (const type of [...whole, ...media]) {
        const { total, kept } = types[type] ?? { total: 0, kept: 0 };
        expect({ from, to, type, kept }).toEqual({ from, to, type, kept: total });
      }
    }
    const page = await readFile("docs/fidelity.md", "utf8");
    expect(undated(fidelityPage(fidelity))).toBe(undated(page));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

/** Only the day of the measurement may differ. */
function undated(page: string): string {
  return page.replace(/^Measured on \S+ with:$/m, "Measured with:");
}
