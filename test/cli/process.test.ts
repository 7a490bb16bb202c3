// How the command line behaves as a process: readers that go away, Ctrl-C, stores that cannot be written.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { files, newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** The stores' files; the catalog is our own. */
const content = () =>
  Object.fromEntries(
    files(place.home)
      .filter((path) => !path.includes("/.baton/catalog/"))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );

describe("a reader that goes away", () => {
  it("is no error", () => {
    const session = {
      id: "s",
      version: "1.0",
      source: { cli: "universal" },
      project: { path: "/p" },
      model: { provider: "p", model: "m" },
      metadata: { created: "", lastModified: "" },
      timeline: [{ id: "u", timestamp: "", type: "user", content: "x".repeat(3_000_000) }],
    };
    writeFileSync(join(place.root, "work/long.json"), JSON.stringify(session));
    const ran = run(place, "(baton show ./long.json; echo status $? >&2) | head -c 10");
    expect(ran.stderr).toBe("status 0\n");
    expect(ran.stdout.length).toBe(10);
  });
});

describe("Ctrl-C", () => {
  it("ends with 130 and leaves nothing behind", async () => {
    const changes = watch(place.root);
    const child = spawn("baton", ["convert", "-", "--to", "markdown"], { env: place.env, cwd: place.root });
    // It waits for its input: the private folder for it shows that it has begun.
    for await (const { filename } of changes) if (filename?.startsWith("baton-")) break;
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(readdirSync(place.root).sort()).toEqual(["agents", "bin", "home", "work"]);
  });
});

describe("a store that cannot be written", () => {
  it("is one error with a hint, and nothing has changed", () => {
    rmSync(join(place.home, ".codex/sessions"), { recursive: true });
    writeFileSync(join(place.home, ".codex/sessions"), "not a folder");
    const before = content();
    const ran = run(place, "baton resume 11111111-1111 --in codex --json");
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual({
      error: { code: "not_writable", message: expect.stringContaining("sessions"), hint: expect.any(String) },
    });
    for (const [path, text] of Object.entries(before)) expect(readFileSync(path, "utf8"), path).toBe(text);
  });
});

describe("a command that a hint names", () => {
  const named = (text: string) => /`(baton .*?)`/.exec(text)?.[1] ?? "";

  it("keeps --home: what was carried there can be taken back", () => {
    run(place, `mv ~ "${place.root}/the other"; mkdir ~`);
    const ran = run(place, "cd ..; baton --home 'the other' resume latest:codex --in claude");
    expect(named(ran.stderr)).toContain(`baton --home '${place.root}/the other' undo `);
    expect(run(place, named(ran.stderr)).status).toBe(0);
  });

  it("keeps it in errors, those of other parts and in JSON too", () => {
    run(place, "mv ~ ../other; mkdir ~");
    const { stdout, status } = run(place, "baton undo 123456 --json --home=../other");
    expect(status).toBe(3);
    expect(named(JSON.parse(stdout).error.hint)).toBe(`baton --home ${place.root}/other operations`);
    expect(named(run(place, "baton undo 123456").stderr)).toBe("baton operations");
  });

  it("keeps it in warnings", () => {
    run(place, "mv ~ ../other; mkdir ~");
    const there = "baton --home ../other";
    const back = JSON.parse(run(place, `${there} resume latest:codex --in claude --json`).stdout);
    const again = run(place, `${there} resume ${back.originalId} --in codex --dry-run --json`);
    const warnings: string[] = JSON.parse(again.stdout).warnings;
    expect(warnings.map(named)).toContain(
      `baton --home ${place.root}/other return claude:${back.originalId}`,
    );
  });
});

describe("help", () => {
  it.each([
    ["nonsense --help", "Unknown command 'nonsense'."],
    ["help nonsense", "Unknown command 'nonsense'."],
    ["--json help lits", "Unknown command 'lits'."],
  ])("%s: there is none for what is no command", (line, message) => {
    const { status, stdout, stderr } = run(place, `baton ${line}`);
    expect(status).toBe(2);
    expect(stdout + stderr).toContain(message);
    expect(stdout).not.toContain("Usage:");
  });

  it("is one document with --json, as everything is", () => {
    for (const line of ["list --help", "help list", "--help", ""]) {
      const { status, stdout } = run(place, `baton --json ${line}`);
      expect(status, line).toBe(0);
      expect(JSON.parse(stdout), line).toEqual({ help: expect.stringMatching(/^Usage: baton/) });
    }
    expect(JSON.parse(run(place, "baton --json --version").stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(run(place, "baton help list").stdout).toMatch(/^Usage: baton list/);
  });

  it("an option of the command above is refused, not ignored", () => {
    for (const line of ["archive list --check", "archive --check prune --older-than 1d"]) {
      const { status, stderr } = run(place, `baton ${line}`);
      expect(status, line).toBe(2);
      expect(stderr, line).toContain("--check is an option of `baton archive` alone.");
    }
    expect(run(place, "baton archive prune --help").stdout).not.toContain("--check");
    expect(run(place, "baton archive prune --older-than x").stderr).toContain("`baton archive prune --help`");
  });
});

describe("variables that move a store", () => {
  it("are honoured unless a home is named", () => {
    const moved = join(place.root, "moved");
    run(place, `mv ~/.codex ${moved}`);
    expect(run(place, "baton list --agent codex --json").stdout).toContain('"total": 0');
    place.env.CODEX_HOME = moved;
    expect(run(place, "baton list --agent codex --json").stdout).toContain('"total": 1');
    expect(run(place, "baton list --agent codex --json --home ~").stdout).toContain('"total": 0');
  });

  it("BATON_HOME holds our own data", () => {
    place.env.BATON_HOME = join(place.root, "ours");
    expect(run(place, "baton resume latest:codex --in claude").status).toBe(0);
    expect(existsSync(join(place.root, "ours/operations"))).toBe(true);
    expect(existsSync(join(place.home, ".baton"))).toBe(false);
  });
});

describe("reading", () => {
  it.each([
    "list",
    "show latest",
    "show 11111111-2222 --json",
    "doctor",
    "operations",
    "resume latest --dry-run",
  ])("baton %s changes no file of a store", (command) => {
    const before = content();
    expect(run(place, `baton ${command}`).status).toBe(0);
    expect(content()).toEqual(before);
  });
});

it("starts quickly: no agent and no schema is loaded for a version", () => {
  const loads = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });`;
  const hook = join(place.root, "hook.mjs");
  writeFileSync(hook, loads);
  const loaded = (command: string) =>
    run(place, `NODE_OPTIONS="--import ${hook}" baton ${command}`).stderr.split("\n").filter(Boolean);
  expect(loaded("--version").filter((url) => /adapters|zod|commands/.test(url))).toEqual([]);
  expect(loaded("list").filter((url) => /\/zod\/|genai-prices/.test(url))).toEqual([]);
});
