// The fidelity command where no real CLI is: what it says of agents that are missing or prove nothing, and the
// page it writes.
import { afterAll, describe, expect, it } from "vitest";
import type { Pair } from "../../src/cli/fidelity.ts";
import { fidelityPage } from "../../src/cli/fidelity-page.ts";
import { newPlace, run } from "./transcript.ts";

const place = newPlace();
afterAll(() => place.remove());

describe("baton fidelity", () => {
  it("proves nothing with a CLI that only knows its version", () => {
    const { stdout, status } = run(place, "baton fidelity --agents claude --json --write page.md");
    const { pairs, versions } = JSON.parse(stdout);
    expect(status).toBe(6);
    expect(Object.keys(versions)).toEqual(["claude"]);
    expect(pairs).toMatchObject([{ from: "claude", to: "claude", kept: 0, proven: false }]);
    expect(pairs[0].total).toBeGreaterThan(200);
    expect(pairs[0].lost).toBe(pairs[0].total);
    expect(run(place, "cat page.md").stdout).toContain("**Not proven.**");
  });

  it("refuses an agent that was named and is missing", () => {
    const { stderr, status } = run(place, "rm $ROOT/agents/codex; baton fidelity --agents claude,codex");
    expect(stderr).toMatch(/Codex CLI is not installed/);
    expect(status).toBe(3);
  });

  it("names the agents that it leaves out, and what is wrong with the others", () => {
    const { stdout, stderr, status } = run(place, "baton fidelity");
    expect(stderr).toContain("Codex CLI is not installed, or not in PATH, and was left out.");
    expect(stdout).toMatch(/^claude +claude +\d+ +0 +0 +\d+ +NOT PROVEN$/m);
    expect(stdout).toContain("On the first resume it never asked the model");
    expect(status).toBe(6);
  });

  it("has nothing to say where no agent is", () => {
    const { stderr, status } = run(place, "rm -r $ROOT/agents; baton fidelity");
    expect(stderr).toContain("None of the agents is installed");
    expect(status).toBe(3);
  });
});

describe("the page", () => {
  const pair = (from: string, to: string, more: Partial<Pair> = {}): Pair => ({
    from,
    to,
    total: 3,
    kept: 3,
    changed: 0,
    lost: 0,
    proven: true,
    types: { text: { total: 2, kept: 2 }, document: { total: 1, kept: 1 } },
    losses: [{ kind: "usage_dropped", severity: "info", count: 7 }],
    missing: [],
    unexpected: [],
    problems: [],
    ...more,
  });
  const finding = { type: "document", excerpt: "a page", reason: "lost" } as const;
  const pairs = [
    pair("a", "a"),
    pair("a", "b", { kept: 2, lost: 1, missing: [{ ...finding, named: "document_dropped" }] }),
    pair("b", "a", { kept: 2, lost: 1, missing: [finding], proven: false }),
    pair("b", "b"),
  ];
  const page = fidelityPage({ date: "2026-01-02", versions: { a: "1.0", b: "2.0" }, pairs });

  it("shows every pair, the versions and the day", () => {
    expect(page).toContain("Measured on 2026-01-02");
    expect(page).toContain("| b | 2.0 |");
    expect(page).toContain("| a | 3 / 3 | 2 / 3 |");
    expect(page).toContain("| b | 2 / 3 | 3 / 3 |");
    expect(page).toContain("| a | b | 3 | 2 | 0 | 1 | 2 / 2 | - | - | - | 1 / 1 | - |");
  });

  it("says what is lost and why, and what was not announced", () => {
    const [, announced, silent] = page.split(/^### /m).slice(1);
    expect(announced).toContain("- 1 document: `document_dropped`. A document could not be carried inline");
    expect(announced).toContain("- Also in the loss report: `usage_dropped` (7).");
    expect(silent).toContain("**Not proven.**");
    expect(silent).toContain("- 1 document: NOT in the loss report.");
  });
});
