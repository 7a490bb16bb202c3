// A proof that could not fail would prove nothing: what a writer could get wrong is done to its file, and the
// request of the real CLI gives it away.
import { describe, expect, it } from "vitest";
import { isProven, type Verification } from "../../src/verify/verify.ts";
import { proof, withSession } from "./carry.ts";
import { type CliName, NAMES } from "./install.ts";
import { DAMAGES, STEPS } from "./mutations.ts";
import { adapterOf } from "./read.ts";

describe.each(Object.keys(DAMAGES) as CliName[])("written for %s", (name) => {
  const other = NAMES.find((one) => one !== name) as CliName;
  const proven = (damage?: (content: string) => string): Promise<Verification> =>
    withSession(other, "tools", (source) => proof(source, adapterOf(name), damage ? { damage } : {}));

  it("a changed word", async () => {
    const found = await proven((content) => content.replaceAll("All done.", "All gone."));
    expect(isProven(found)).toBe(false);
    expect(found.missing).toMatchObject([{ type: "text", excerpt: "All done." }]);
    expect(found.unexpected).toMatchObject([{ type: "text", excerpt: "All gone." }]);
  });

  it("everything that is changed or made up, each by itself", async () => {
    const damages = DAMAGES[name] ?? [];
    const found = await proven((content) => damages.reduce((text, { damage }) => damage(text), content));
    const noticed = [...found.missing.filter((finding) => finding.named === undefined), ...found.unexpected];
    for (const { what, finding } of damages)
      expect({ what, noticed }).toEqual({
        what,
        noticed: expect.arrayContaining([expect.objectContaining(finding)]),
      });
    // Nothing is noticed that was not done.
    expect(noticed).toHaveLength(damages.length);
    expect(isProven(found)).toBe(false);
  });

  it("a file that says nothing", async () => {
    const found = await proven((content) => content.slice(0, content.indexOf("\n") + 1));
    expect(isProven(found)).toBe(false);
    expect(found.facts.kept).toBeLessThan(3);
  });
});

it.each(STEPS)("a step of a split call that $what", async ({ damage, finding }) => {
  const found = await withSession("codex", "tools", (source) =>
    proof(source, adapterOf("claude"), { damage }),
  );
  expect(found.missing).toContainEqual(expect.objectContaining(finding));
  expect(isProven(found)).toBe(false);
});

it("holds as well where there are no namespaces", async () => {
  const found = await withSession("codex", "plain", (source) =>
    proof(source, adapterOf("claude"), { isolation: "proxy" }),
  );
  expect(found).toMatchObject({ isolation: "proxy", foreign: [] });
  expect(isProven(found)).toBe(true);
});
