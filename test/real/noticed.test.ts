// A proof that could not fail would prove nothing: what a writer could get wrong is done to its file, and the
// request of the real CLI gives it away.
import { describe, expect, it } from "vitest";
import { isProven, type Verification } from "../../src/verify/verify.ts";
import { proof, withSession } from "./carry.ts";
import { CLIS, type CliName } from "./install.ts";
import { adapterOf } from "./read.ts";

const NAMES = Object.keys(CLIS) as CliName[];

describe.each(NAMES)("written for %s", (name) => {
  const other = NAMES.find((one) => one !== name) as CliName;
  const proven = (damage?: (content: string) => string): Promise<Verification> =>
    withSession(other, "tools", (source) => proof(source, adapterOf(name), damage ? { damage } : {}));

  it("a changed word", async () => {
    const found = await proven((content) => content.replaceAll("All done.", "All gone."));
    expect(isProven(found)).toBe(false);
    expect(found.missing).toMatchObject([{ type: "text", excerpt: "All done." }]);
    expect(found.unexpected).toMatchObject([{ type: "text", excerpt: "All gone." }]);
  });

  it("a changed command", async () => {
    const found = await proven((content) => content.replaceAll("echo out; echo err", "echo out; rm -rf err"));
    expect(isProven(found)).toBe(false);
    expect(found.missing).toContainEqual(expect.objectContaining({ type: "call" }));
  });

  it("a file that says nothing", async () => {
    const found = await proven((content) => content.slice(0, content.indexOf("\n") + 1));
    expect(isProven(found)).toBe(false);
    expect(found.facts.kept).toBeLessThan(3);
  });
});

it("holds as well where there are no namespaces", async () => {
  const found = await withSession("codex", "plain", (source) =>
    proof(source, adapterOf("claude"), { isolation: "proxy" }),
  );
  expect(found).toMatchObject({ isolation: "proxy", foreign: [] });
  expect(isProven(found)).toBe(true);
});
