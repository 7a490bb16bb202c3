// The import arrow: who may know whom.
import { describe, expect, it } from "vitest";
import { files, type Import, importsOf, isCode, type SourceFile } from "./project.ts";

/** Each folder may import those further up, never one beside it or further down. */
const LAYERS = [
  ["session"],
  ["storage", "transform", "models", "loopback"],
  ["formats", "adapters"],
  ["catalog"],
  ["switch", "verify"],
  ["run"],
  ["chat"],
  ["server", "cli", "mcp", "acp"],
];

const sources = files("src").filter(isCode);
const layerOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder));
const folderOf = (path: string) => path.split("/")[1] as string;
/** The agent whose folder a file lies in. */
const agentOf = (path: string) => /^src\/adapters\/([^/]+)\//.exec(path)?.[1];

/** "file → import" for every import that breaks a rule. */
function broken(rule: (file: SourceFile, imported: Import & { path: string }) => boolean): string[] {
  return sources.flatMap((file) =>
    importsOf(file).flatMap(({ path, ...rest }) =>
      path !== undefined && rule(file, { path, ...rest }) ? [`${file.path} → ${path}`] : [],
    ),
  );
}

describe("the import arrow", () => {
  it("sees the imports it is there to judge", () => {
    const prepare = sources.find(({ path }) => path === "src/switch/prepare.ts") as SourceFile;
    expect(importsOf(prepare)).toContainEqual({
      specifier: "../session/source.ts",
      path: "src/session/source.ts",
      typeOnly: true,
    });
  });

  it("knows every folder", () => {
    expect(sources.map(({ path }) => folderOf(path)).filter((folder) => layerOf(folder) === -1)).toEqual([]);
  });

  it("points to the left only", () => {
    const wrong = broken(({ path }, imported) => {
      const from = folderOf(path);
      const to = folderOf(imported.path);
      return !imported.path.startsWith("src/") || (from !== to && layerOf(to) >= layerOf(from));
    });
    expect(wrong).toEqual([]);
  });
});

describe("adapters", () => {
  it("never import each other", () => {
    const wrong = broken(({ path }, imported) => {
      const other = agentOf(imported.path);
      return agentOf(path) !== undefined && other !== undefined && other !== agentOf(path);
    });
    expect(wrong).toEqual([]);
  });

  it("are known to the table of adapters alone", () => {
    const wrong = broken(
      ({ path }, imported) =>
        agentOf(imported.path) !== undefined &&
        agentOf(path) === undefined &&
        path !== "src/adapters/index.ts" &&
        path !== "src/adapters/places.ts" &&
        path !== "src/adapters/readers.ts",
    );
    expect(wrong).toEqual([]);
  });
});

it("what judges a proof knows no adapter, not even through others", () => {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const file = sources.find((source) => source.path === path);
    for (const imported of file ? importsOf(file) : []) if (imported.path) visit(imported.path);
  };
  visit("src/verify/facts.ts");
  visit("src/verify/compare.ts");
  expect(seen.size).toBeGreaterThan(5);
  expect([...seen].filter((path) => path.startsWith("src/adapters/"))).toEqual([]);
});

describe("packages", () => {
  const packagesOf = (folder: string) =>
    new Set(
      sources
        .filter(({ path }) => folderOf(path) === folder)
        .flatMap(importsOf)
        .filter(({ path, specifier }) => path === undefined && !specifier.startsWith("node:"))
        .map(({ specifier }) => specifier),
    );

  it("session needs zod and nothing else", () => {
    expect([...packagesOf("session")]).toEqual(["zod"]);
  });

  it("transform needs none but rules for secrets, and neither of the two touches a disk, a network or a process", () => {
    expect([...packagesOf("transform")]).toEqual(["@secretlint/secretlint-rule-preset-recommend"]);
    const pure = sources.filter(({ path }) => ["session", "transform"].includes(folderOf(path)));
    const builtins = pure.flatMap(importsOf).filter(({ specifier }) => specifier.startsWith("node:"));
    // The rules of paths, which need no disk.
    const known = new Set(["node:crypto", "node:path"]);
    expect(new Set(builtins.map(({ specifier }) => specifier))).toEqual(known);
  });
});
