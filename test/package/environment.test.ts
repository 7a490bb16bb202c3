// What every other test relies on.
import { homedir, tmpdir } from "node:os";
import { expect, it } from "vitest";

it("tests run under the Node that the program needs", () => {
  const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
  expect(major > 22 || (major === 22 && minor >= 18)).toBe(true);
});

it("tests have a home of their own and know no store of the user's", () => {
  expect(homedir().startsWith(tmpdir())).toBe(true);
  expect(Object.keys(process.env).filter((name) => /^(?:CLAUDE|CODEX)_/.test(name))).toEqual([]);
});
