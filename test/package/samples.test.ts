// The rich sessions that are published: each holds everything that its CLI can put into a session, nothing of a
// machine, and little space; the fidelity page was made with the CLIs that are pinned.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import type { Source } from "../../src/session/source.ts";
import { visiblePositions } from "../../src/transform/visible.ts";

const names = readdirSync("samples", { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [one.name] : [],
);
const files = readdirSync("samples", { recursive: true, encoding: "utf8" })
  .map((name) => join("samples", name))
  .filter((path) => statSync(path).isFile());

/** What a CLI cannot put into a session; samples/README.md says why. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  codex: ["a PDF"],
  gemini: ["an interrupted call"],
};

function pinned(name: string): string {
  const manifest = JSON.parse(readFileSync(join("test/real/clis", name, "package.json"), "utf8"));
  return Object.values(manifest.dependencies as Record<string, string>)[0] ?? "";
}

describe.each(names)("the sample of %s", (name) => {
  it("was recorded with the pinned CLI", async () => {
    const about = JSON.parse(await readFile(join("samples", name, "about.json"), "utf8"));
    expect(about).toMatchObject({ cli: name, version: pinned(name) });
  });

  it("holds everything", async () => {
    const { id } = JSON.parse(await readFile(join("samples", name, "about.json"), "utf8"));
    const adapter = adapters.find((one) => one.id === name)!;
    const refs = await Array.fromAsync(adapter.discover({ dir: join("samples", name, "native"), env: {} }));
    const source = await adapter.open(refs.find(({ originalId }) => originalId === id)!);
    const held = await contentsOf(source, textIn(name));
    const missing = Object.entries(held).flatMap(([what, isThere]) => (isThere ? [] : [what]));
    expect(missing).toEqual(WITHOUT[name] ?? []);
  });
});

async function contentsOf(source: Source, recorded: string): Promise<Record<string, boolean>> {
  const all = await Array.fromAsync(source.entries());
  const shown = new Set(visiblePositions(source.skeleton));
  const seen = all.filter((_, at) => shown.has(at));
  const text = JSON.stringify(seen);
  const calls = seen.filter((entry) => entry.type === "tool_call");
  const results = seen.filter((entry) => entry.type === "tool_result");
  const answered = new Set(results.map(({ callId }) => callId));
  const has = (type: string) => all.some((entry) => partsOf(entry).some((part) => part.type === type));
  const turns = seen.filter(({ type }) => type === "user" || type === "assistant" || type === "tool_call");
  const wrongWay = "Went the wrong way";
  return {
    "several languages": [/\p{Script=Han}/u, /\p{Script=Arabic}/u, /👩🏽‍💻/u, /e\u0301/u].every((one) =>
      one.test(text),
    ),
    thinking: has("thinking") || all.some((entry) => entry.type === "assistant" && entry.thinking),
    "parallel calls": calls.some(({ turn, id }) => calls.some((one) => one.turn === turn && one.id !== id)),
    "failing calls": results.some(({ success }) => !success),
    "edits of several files":
      new Set(
        calls
          .filter(({ tool }) => tool === "edit" || tool === "write")
          .map(({ input }) => JSON.stringify(input)),
      ).size > 1,
    images: has("image"),
    "a PDF": has("document"),
    "an MCP call": results.some(({ output }) => output.includes("stands on shelf 7")),
    "a subagent": (await Array.fromAsync(source.children())).length > 0,
    "a compaction": all.some(({ type }) => type === "compaction"),
    "a rewind": !text.includes(wrongWay) && recorded.includes(wrongWay),
    "an interrupted call":
      calls.some(({ id, status }) => !answered.has(id) || status === "interrupted") ||
      results.some(({ interrupted }) => interrupted),
    "Windows paths": text.includes(JSON.stringify(String.raw`C:\Users\dev\new project`).slice(1, -1)),
    "a hundred turns": new Set(turns.map(({ turn, id }) => turn ?? id)).size >= 100,
  };
}

function textIn(name: string): string {
  const own = files.filter((path) => path.startsWith(join("samples", name, "native")));
  return own.map((path) => readFileSync(path, "latin1")).join("\n");
}

function partsOf(entry: Entry): readonly { type: string }[] {
  return entry.parts ?? [];
}

describe("the samples", () => {
  it("are small", () => {
    expect(files.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(2.5 * 2 ** 20);
  });

  it("hold nothing of the machine", () => {
    const traces = [process.cwd(), homedir(), hostname(), "baton-verify-"].filter((one) => one.length > 2);
    const found = files.flatMap((path) => {
      const content = readFileSync(path, "latin1");
      return traces.filter((trace) => content.includes(trace)).map((trace) => `${path}: ${trace}`);
    });
    expect(found).toEqual([]);
  });
});

describe("docs/fidelity.md", () => {
  const page = readFileSync("docs/fidelity.md", "utf8");

  it("was made with the CLIs that are pinned", () => {
    for (const name of names) expect(page).toContain(`| ${name} | ${pinned(name)} |`);
  });

  it("shows every pair, all of them proven", () => {
    const shown = Array.from(page.matchAll(/^### (\w+) to (\w+)$/gm), ([, from, to]) => `${from} ${to}`);
    expect(shown).toEqual(names.flatMap((from) => names.map((to) => `${from} ${to}`)));
    const flaws = Array.from(page.matchAll(/^### (\w+ to \w+)\n\n\*\*Not proven/gm), ([, pair]) => pair);
    expect(flaws).toEqual([]);
  });
});
