// The documents against the program: what they name exists, and what exists is named.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { files } from "../architecture/project.ts";
import { runExamples } from "./examples.ts";

const manifest = JSON.parse(await readFile("package.json", "utf8")) as Record<string, Record<string, string>>;
const pages = files().filter(({ path }) => path.endsWith(".md") && !/\/(?:fixtures|recorded)\//.test(path));
const readme = await readFile("README.md", "utf8");
const matches = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, found]) => found as string);

async function help(...command: string[]): Promise<string> {
  return (await execa(process.execPath, ["bin/baton.js", ...command, "--help"])).stdout;
}

const commandsIn = (text: string) =>
  matches(text.slice(text.indexOf("Commands:")), /^ {2}([a-z]+)\b/gm).filter((name) => name !== "help");

describe.each(pages)("$path", ({ path, text }) => {
  it("names scripts of package.json", () => {
    const named = matches(text, /\bnpm run ([a-z:]+)/g);
    expect(named.filter((name) => !(name in manifest.scripts!))).toEqual([]);
  });

  it("links to files that exist", () => {
    const links = matches(text, /\]\((?!https?:|#)([^)#]+)/g);
    expect(links.filter((link) => !existsSync(join(dirname(path), link)))).toEqual([]);
  });

  it("names files that exist", () => {
    const named = matches(text, /`((?:src|test|bin|docs|schema|scripts|bench|\.ci)\/[\w./-]+)`/g);
    expect(named.filter((name) => !existsSync(name))).toEqual([]);
  });
});

describe("README.md", () => {
  it("shows every command, and no other", async () => {
    const shown = new Set(matches(readme, /(?:^|\$ |`)(?:\.\/bin\/baton\.js|baton) ([a-z]+)/gm));
    expect([...shown].sort()).toEqual(commandsIn(await help()).sort());
  });

  it("shows what the program prints", { timeout: 120_000 }, () => {
    expect(timeless(readme)).toBe(timeless(runExamples(readme)));
  });

  it("names the versions that are proven", () => {
    for (const { label, proven, write } of adapters) {
      const said = write ? proven.join(", ") : "only read";
      expect(readme).toMatch(new RegExp(`^\\| ${label} \\|.*\\| ${said} \\|$`, "m"));
    }
  });
});

/** Without what differs from run to run: new ids, times, the Node, and that the reader's project is not here. */
function timeless(text: string): string {
  return text
    .replace(/^warning: The session's folder .* is not here\..*\n/gm, "")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/\b[0-9a-f]{10}\b/g, "<operation>")
    .replace(/[\d/]+rollout-[-\dT]+/g, "rollout-")
    .replace(/\d+ (?:s|min|h|d|w|y) ago/g, "<age>")
    .replace(/Node \d+\.\d+\.\d+/, "Node <version>");
}

it("docs/dependencies.md lists every direct dependency with its version", async () => {
  const page = await readFile("docs/dependencies.md", "utf8");
  const listed = Array.from(page.matchAll(/^\| `([^`]+)` \| (\S+) \|/gm), ([, name, version]) => [
    name,
    version,
  ]);
  const direct = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(Object.fromEntries(listed)).toEqual(direct);
  for (const [name, version] of Object.entries({ ...manifest.optionalDependencies, ...manifest.overrides }))
    expect(page).toContain(`\`${name}\` ${version}`);
});
