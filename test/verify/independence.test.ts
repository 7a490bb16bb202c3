// A checker that knew the adapters would share their mistakes.
import { expect, it } from "vitest";
import { files, importsOf } from "../architecture/project.ts";

/** They run agents and copy stores; everything else in the folder is the checker. */
const RUNNERS = ["verify.ts", "copy.ts", "run.ts"];

it("the checker imports nothing of any agent", () => {
  const checker = files("src/verify").filter(
    ({ path }) => !RUNNERS.some((name) => path.endsWith(`/${name}`)),
  );
  expect(checker.map(({ path }) => path)).toContain("src/verify/compare.ts");
  const imported = checker.flatMap(importsOf).map(({ specifier }) => specifier);
  expect(imported.filter((specifier) => specifier.includes("adapters"))).toEqual([]);
  expect(imported.filter((specifier) => /\/(verify|copy|run)\.ts$/.test(specifier))).toEqual([]);
});

it("whoever runs agents knows them by their contract only", () => {
  const runners = files("src/verify").filter(({ path }) => RUNNERS.some((name) => path.endsWith(`/${name}`)));
  const imported = runners.flatMap(importsOf).filter(({ specifier }) => specifier.includes("adapters"));
  expect(imported.length).toBeGreaterThan(0);
  const others = imported.filter(({ specifier }) => specifier !== "../adapters/guarded.ts");
  expect(others.every(({ specifier, typeOnly }) => specifier === "../adapters/adapter.ts" && typeOnly)).toBe(
    true,
  );
});
