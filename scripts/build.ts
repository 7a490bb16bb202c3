// Builds the program into few files, dist/cli: what is published, and what a clone starts faster with than with its
// hundreds of sources. CommonJS, because to import `node:fs` as a module loads every part of Node that it gives away.
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** They find each other by name, so all of them lie in one folder, as deep as their sources did. */
const ENTRIES = {
  main: "src/cli/main.ts",
  "crew-thread": "src/catalog/index/crew-thread.ts",
  "read-back-thread": "src/switch/read-back-thread.ts",
  "rows-thread": "src/cli/picker/rows-thread.ts",
  guard: "src/adapters/guard.ts",
};

/** What the program hands to others as a file, and looks for beside itself. */
const BESIDE = ["src/adapters/gemini/ask.toml"];

/** What lists sessions while nothing has changed, and what reads those that have: a file each, with all they import. */
const START = /\/src\/(?:cli\/(?:main|catalog|commands\/list)|adapters\/places|catalog\/projects)\.ts$/;
const READ = /\/src\/(?:adapters\/readers|catalog\/index\/run)\.ts$/;
/** Packages that every command needs: as modules of their own they would take longer to find than to run. */
const TAKEN_IN = ["commander", "picocolors"];

async function build(): Promise<void> {
  const { rolldown } = await import("rolldown");
  // First: whoever starts meanwhile takes the sources.
  rmSync(join(ROOT, "dist/sources.json"), { force: true });
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  // Before they are read: what changes meanwhile is then newer than what was built.
  const sources = stamps(["package.json", "src", ...below("src")]);
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: "node",
    external: (id) => /^[@\w]/.test(id) && !TAKEN_IN.includes(id),
    plugins: [{ name: "later", renderChunk: (code) => withLater(code) }],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: join(ROOT, "dist/cli"),
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    // Text of one byte for each character is read, compared with what was compiled, and compiled in half the time.
    comments: false,
    minifyInternalExports: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    banner: ({ name }) => (name === "packages" ? licences() : ""),
    codeSplitting: {
      groups: [
        { name: "packages", test: new RegExp(`/node_modules/(?:${TAKEN_IN.join("|")})/`), priority: 3 },
        { name: "start", test: START, priority: 2 },
        { name: "read", test: READ, priority: 1 },
      ],
    },
  });
  await bundle.close();
  for (const file of BESIDE) copyFileSync(join(ROOT, file), join(ROOT, "dist/cli", basename(file)));
  // Last: it says that all the rest is there, and of what it was made.
  writeFileSync(join(ROOT, "dist/sources.json"), JSON.stringify(sources));
}

/** Parts of Node that take a millisecond or more to load and that few commands need: loaded where they are used. */
const LATER =
  /^let (node_\w+) = require\("(node:(?:child_process|crypto|fs\/promises|v8|zlib))"\);\n(?:\1 = (\w+\.__toESM)\(\1, 1\);\n)?/gm;

function withLater(code: string): string {
  const names: string[] = [];
  const declared = code.replace(LATER, (_, name: string, id: string, interop = "") => {
    names.push(name);
    return `let ${name}$;\nconst ${name} = () => (${name}$ ??= ${interop}(require("${id}")${interop && ", 1"}));\n`;
  });
  return names.reduce((text, name) => text.replaceAll(`${name}.`, `${name}().`), declared);
}

function licences(): string {
  const texts = TAKEN_IN.map(
    (name) => `${name}\n\n${readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8").trim()}`,
  );
  return `/*!\nThis file holds these packages:\n\n${texts.join("\n\n")}\n*/`;
}

/** Path, time and size of each; the time of a folder changes with the names in it. */
type Stamp = readonly [path: string, mtimeMs: number, size: number];

function stamps(paths: readonly string[]): Stamp[] {
  return paths.map((path) => {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    return [path, mtimeMs, size];
  });
}

function below(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.map((name) => join(folder, name));
}

try {
  await build();
} catch (error) {
  const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
  console.error(isMissing ? "Not built: rolldown is not installed. The sources are run as they are." : error);
  process.exitCode = 1;
}
