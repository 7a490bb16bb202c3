// Promises about the project's own files that no compiler or linter keeps: where agents are named, who may
// write, what every adapter consists of, and what must not stand in any file.
import { describe, expect, it } from "vitest";
import { files, importsOf, isCode, withoutComments } from "./project.ts";

const all = files();
const sources = all.filter((file) => file.path.startsWith("src/") && isCode(file));
const code = all.filter(isCode);

describe("an agent's name", () => {
  const AGENTS = ["claude", "codex", "gemini", "opencode"];
  const NAME = new RegExp(AGENTS.join("|"), "gi");

  /** Files or folders outside the adapters that may name one, with the reason. */
  const EXCEPTIONS = {
    "src/adapters/index.ts": "the table of adapters",
    "src/adapters/places.ts": "the table of stores",
    "src/adapters/readers.ts": "the table of readers",
    "src/adapters/adapter.ts": "`gemini` is the name of a vendor's API here",
    "src/adapters/acp-calls.ts": "a field in which one agent of the protocol puts the names of its tools",
    "src/formats/index.ts": "`gemini-contents` is a vendor's API",
    "src/formats/contents-read.ts": "`gemini-contents` is a vendor's API",
    "src/formats/contents-write.ts": "`gemini-contents` is a vendor's API",
    "src/formats/ucf-facts.ts": "the format names where each provider's own session is",
    "src/formats/ucf-schema.ts": "the format names where each provider's own session is",
    "src/formats/ucf-read.ts": "the format's names of providers",
    "src/formats/kinds.ts":
      "`gemini-contents` is a vendor's API, and a model's name tells whose request it is",
    "src/adapters/yume/native.ts": "a folder of the store is named after a provider",
    "src/adapters/opencode/account.ts": "a vendor's key is a variable with that name",
    "src/session/vendor.ts": "tells vendors by the names of their models",
    "src/catalog/session-index.ts": "the document names where a provider keeps its session",
    "src/switch/prepared-conversation.ts": "`gemini` is the name of a vendor's API here",
    "src/models/": "facts of vendors' models, under their names",
    "src/loopback/": "speaks the vendors' APIs and serves models under the vendors' names",
  };

  it("stands only in its adapter", () => {
    const named = sources.flatMap(({ path, text }) => {
      const own = /^src\/adapters\/([^/]+)\//.exec(path)?.[1];
      const found = Array.from(withoutComments(text).matchAll(NAME), ([name]) => name.toLowerCase());
      return found.some((name) => name !== own) ? [path] : [];
    });
    expect(excused(named, EXCEPTIONS)).toEqual({ unexcused: [], needless: [] });
  });
});

describe("every adapter", () => {
  const FILES = [
    "README.md",
    "index.ts",
    "native.ts",
    "paths.ts",
    "place.ts",
    "read.ts",
    "reader.ts",
    "run.ts",
    "tools.ts",
    "write.ts",
  ];
  /** Agents whose sessions are only read, with the reason. */
  const READ_ONLY: Record<string, string> = {
    yume: "no release of it was at hand that could prove what was written",
    conversation: "no program of its own resumes what would be written",
  };
  const folders = Map.groupBy(
    all.filter(({ path }) => /^src\/adapters\/[^/]+\//.test(path)),
    ({ path }) => path.split("/")[2] as string,
  );

  it.each([...folders.keys()])("%s has the same files", (agent) => {
    const own = (folders.get(agent) ?? []).map(({ path }) => path.split("/").slice(3).join("/"));
    const expected = FILES.filter((name) => !["run.ts", "write.ts"].includes(name) || !(agent in READ_ONLY));
    expect(expected.filter((name) => !own.includes(name))).toEqual([]);
    expect(agent in READ_ONLY).toBe(!own.includes("write.ts"));
  });
});

describe("changing a disk", () => {
  const WRITES = new Set(
    "appendFile chmod copyFile cp createWriteStream ftruncate lchmod link lutimes mkdir mkdtemp rename rm rmdir symlink truncate unlink utimes writeFile".split(
      " ",
    ),
  );

  /** Files or folders outside src/storage that may, with the reason. */
  const EXCEPTIONS = {
    "src/verify/": "builds the private folder in which the real CLI runs, and removes it",
    "src/adapters/opencode/plan.ts": "an empty configuration under the temp folder for an import",
    "src/cli/catalog.ts": "a catalog under the temp folder where none can be kept",
    "src/catalog/catalog.ts":
      "makes the folders of our own databases, and removes those that are not used any more",
    "src/catalog/archive/manifest.ts": "the manifest of our own archive",
    "src/adapters/program.ts": "an empty home under the temp folder for asking a CLI its version",
  };

  it("happens in storage only", () => {
    const writers = sources
      .filter(({ path, text }) => !path.startsWith("src/storage/") && writes(withoutComments(text)))
      .map(({ path }) => path);
    expect(excused(writers, EXCEPTIONS)).toEqual({ unexcused: [], needless: [] });
  });

  function writes(text: string): boolean {
    const imports = Array.from(text.matchAll(/import\s+([^;]*?)\s+from\s+"node:fs(?:\/promises)?"/g));
    const names = imports.flatMap(([, clause]) => clause?.match(/\w+|\*/g) ?? []);
    // A whole namespace could hide anything.
    if (imports.some(([, clause]) => !clause?.startsWith("{") && !clause?.startsWith("type "))) return true;
    return (
      names.some((name) => WRITES.has(name.replace(/Sync$/, ""))) ||
      (names.includes("open") && /\bopen(?:Sync)?\([^)]*"(?:w|a|r\+)/.test(text))
    );
  }
});

describe("what is printed", () => {
  const cli = sources.filter(({ path }) => path.startsWith("src/cli/"));
  const among = (pattern: RegExp) =>
    cli.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path);

  /** Files that open a session themselves, with the reason why none of its secrets is shown. */
  const OPENED = {
    "src/cli/session.ts": "hides them where that was asked for",
    "src/cli/picker/open-row.ts": "uses what session.ts offers for that",
    "src/cli/proof.ts": "the copy that is proven; what is said of it is printed like everything else",
    "src/cli/fidelity.ts": "the samples",
    "src/cli/commands/restore.ts": "only its folder is looked at",
  };

  it("comes from sessions that were opened in one place", () => {
    expect(excused(among(/\.open\(/), OPENED)).toEqual({ unexcused: [], needless: [] });
  });

  /** Files that get sessions with all that they hold. */
  const RECORDED = {
    "src/cli/session.ts": "where they are opened",
    "src/cli/commands/resume.ts": "carried by continue.ts, which hides what is to be hidden",
    "src/cli/commands/fork.ts": "carried by continue.ts, which hides what is to be hidden",
    "src/cli/commands/return.ts": "compared with the original, and told who hides what is to be hidden",
  };

  it("is never a session as it was recorded", () => {
    expect(excused(among(/\bopenRecorded\b/), RECORDED)).toEqual({ unexcused: [], needless: [] });
  });

  /** Files that write to the terminal themselves, with the reason. */
  const PRINTED = {
    "src/cli/output.ts": "what everybody prints through",
    "src/cli/main.ts": "only listens to it",
    "src/cli/screen.ts": "draws lines that are made of texts from text.ts",
    "src/cli/picker/": "draws lines that are made of texts from text.ts",
  };

  it("goes through one place", () => {
    const direct = among(/\b(?:stdout|stderr)\b[^\n]*\.(?:write|on)\(|\bwriteSync\(|\bconsole\./);
    expect(excused(direct, PRINTED)).toEqual({ unexcused: [], needless: [] });
  });

  it("costs nothing where secrets may be shown: what finds them is loaded on demand", () => {
    const loads = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ path, typeOnly }) => path === "src/transform/redact.ts" && !typeOnly)
        .map(() => file.path),
    );
    expect(loads).toEqual(["src/cli/redaction.ts"]);
    const own = cli.find(({ path }) => path === "src/cli/redaction.ts");
    expect(own?.text).toContain('await import("../transform/redact.ts")');
  });
});

describe("no file", () => {
  const found = (pattern: RegExp, among = all) =>
    among.flatMap(({ path, text }) => Array.from(text.matchAll(pattern), ([match]) => `${path}: ${match}`));

  it("names a folder of somebody's machine", () => {
    const paths = found(/(?<![\w.~/-])\/(?:root|work)\/[a-z][\w.-]*/g);
    // An agent gives its subagents addresses that look like paths.
    expect(paths.filter((path) => !/: \/root\/(?:helper|count)$/.test(path))).toEqual([]);
    expect(found(new RegExp(["\\.\\.", "shared"].join("/"), "g"))).toEqual([]);
  });

  it("says npx with a name that belongs to somebody else's package", () => {
    expect(found(new RegExp(["npx", "baton\\b"].join(" +"), "g"))).toEqual([]);
  });

  it("names a registry, so that any mirror will do", () => {
    expect(
      found(
        /registry\.[a-z]+\.[a-z]+/g,
        all.filter(({ path }) => path !== "test/architecture/shape.test.ts"),
      ),
    ).toEqual([]);
    const lock = all.filter(({ path }) => path.endsWith("package-lock.json"));
    expect(lock.length).toBeGreaterThan(0);
    expect(found(/"resolved": *"https?:[^"]*"/g, lock)).toEqual([]);
  });

  it("swallows an error in silence", () => {
    const silent = code.flatMap(({ path, text }) =>
      Array.from(withoutComments(text).matchAll(/catch *(?:\([^)]*\))? *\{\s*\}/g), () => path),
    );
    expect(silent).toEqual([]);
  });
});

/** Which of the paths no exception covers, and which exceptions cover none of them. */
function excused(paths: readonly string[], exceptions: Readonly<Record<string, string>>) {
  const covers = (exception: string, path: string) =>
    exception.endsWith("/") ? path.startsWith(exception) : path === exception;
  const excuses = Object.keys(exceptions);
  return {
    unexcused: paths.filter((path) => !excuses.some((exception) => covers(exception, path))),
    needless: excuses.filter((exception) => !paths.some((path) => covers(exception, path))),
  };
}
