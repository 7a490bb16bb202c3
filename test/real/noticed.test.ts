// A proof that could not fail would prove nothing: what a writer could get wrong is done to its file, and the
// request of the real CLI gives it away.
import { afterAll, describe, expect, it } from "vitest";
import { isProven, type Verification } from "../../src/verify/verify.ts";
import { proof, recordings } from "./carry.ts";
import { NAMES } from "./install.ts";
import { DAMAGES, STEPS } from "./mutations.ts";
import { adapterOf } from "./read.ts";

const sessions = { claude: recordings("claude"), codex: recordings("codex") };
afterAll(async () => {
  for (const { close } of Object.values(sessions)) await close();
});

describe.each(NAMES)("written for %s", (name) => {
  const other = name === "claude" ? "codex" : "claude";
  const proven = async (damage: (content: string) => string): Promise<Verification> =>
    proof(await sessions[other].open("tools"), adapterOf(name), { damage });

  it("everything that is changed or made up, each by itself", async () => {
    const damages = DAMAGES[name];
    const word = (content: string) => content.replaceAll("All done.", "All gone.");
    const found = await proven((content) =>
      damages.reduce((text, { damage }) => damage(text), word(content)),
    );
    const noticed = [...found.missing.filter((finding) => finding.named === undefined), ...found.unexpected];
    const findings = [
      { what: "a word that is gone", finding: { type: "text", excerpt: "All done." } },
      { what: "a word that is new", finding: { type: "text", excerpt: "All gone." } },
      ...damages,
    ];
    for (const { what, finding } of findings)
      expect({ what, noticed }).toEqual({
        what,
        noticed: expect.arrayContaining([expect.objectContaining(finding)]),
      });
    // Nothing is noticed that was not done.
    expect(noticed).toHaveLength(findings.length);
    expect(isProven(found)).toBe(false);
  });

  it("a file that says nothing", async () => {
    const found = await proven((content) => content.slice(0, content.indexOf("\n") + 1));
    expect(isProven(found)).toBe(false);
    expect(found.facts.kept).toBeLessThan(3);
  });
});

it.each(STEPS)("a step of a split call that $what", async ({ damage, finding }) => {
  const found = await proof(await sessions.codex.open("tools"), adapterOf("claude"), { damage });
  expect(found.missing).toContainEqual(expect.objectContaining(finding));
  expect(isProven(found)).toBe(false);
});

it("holds as well where there are no namespaces", async () => {
  const found = await proof(await sessions.codex.open("plain"), adapterOf("claude"), { isolation: "proxy" });
  expect(found).toMatchObject({ isolation: "proxy", foreign: [] });
  expect(isProven(found)).toBe(true);
});
