// What a search answers: where, in what order, with which line, and what it says of itself.
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { findSessions } from "../../src/catalog/scan.ts";
import type { SearchResult } from "../../src/catalog/search/search.ts";
import { layOut, privateHome } from "../conformance/fixtures.ts";
import { type Said, writeSession } from "./claude-session.ts";
import { searchIn } from "./searching.ts";

const everything: Said[] = [
  { scope: "prompt", text: "Please fix the zebra crossing" },
  { scope: "thinking", text: "The zebra is striped" },
  { scope: "reply", text: "I look at the zebra now" },
  { scope: "tool_input", text: "grep zebra", tool: "Bash" },
  { scope: "tool_output", text: "src/zebra.ts: const zebra = 1" },
  {
    scope: "tool_input",
    text: "",
    tool: "Edit",
    input: { file_path: "/home/me/app/src/road.ts", old_string: "zebra", new_string: "horse" },
  },
  { scope: "tool_output", text: "zebra became horse" },
];

describe("a search", () => {
  it.each([
    ["prompt", ["Please fix the [zebra] crossing"]],
    ["thinking", ["The [zebra] is striped"]],
    ["reply", ["I look at the [zebra] now"]],
    ["tool_input", ["/home/me/app/src/road.ts [zebra] horse", "grep [zebra]"]],
    ["tool_output", ["[zebra] became horse", "src/[zebra].ts: const [zebra] = 1"]],
  ] as const)("looks into %s", async (scope, lines) => {
    const home = await privateHome();
    writeSession(home, 1, everything);
    const { find } = await searchIn(home);
    const result = await find("zebra", { scopes: [scope] });
    expect(shown(result).toSorted()).toEqual([...lines].toSorted());
    expect(result.hits.map((hit) => hit.scope)).toEqual(lines.map(() => scope));
    expect(shown(await find(`zebra scope:${scope}`)).toSorted()).toEqual([...lines].toSorted());
  });

  it("is narrowed to tools, files, agents, projects and models", async () => {
    const home = await privateHome();
    writeSession(home, 1, everything);
    writeSession(home, 2, [{ scope: "prompt", text: "another zebra" }], "/home/me/other app");
    const { find } = await searchIn(home);
    const count = async (query: string, options = {}) => (await find(query, options)).total;
    expect(await count("zebra")).toBe(8);
    expect(await count("zebra tool:edit")).toBe(2);
    expect(await count("zebra tool:Edit,bash")).toBe(4);
    expect(await count("zebra tool:ed*")).toBe(2);
    expect(await count("zebra tool:ed")).toBe(0);
    expect(await count("zebra -tool:edit")).toBe(6);
    expect(await count("zebra file:road")).toBe(2);
    expect(await count("zebra -file:ROAD.ts")).toBe(6);
    expect(await count("zebra agent:claude")).toBe(8);
    expect(await count("zebra agent:codex")).toBe(0);
    expect(await count('zebra project:"other app"')).toBe(1);
    expect(await count("zebra -project:other")).toBe(7);
    expect(await count("zebra model:opus")).toBe(7);
    expect(await count('zebra model:"Opus 4.5"')).toBe(7);
    expect(await count('zebra -model:"opus 4.5"')).toBe(1);
    expect(await count('zebra model:"Opus 9"')).toBe(0);
    expect(await count('zebra -model:"Opus 9"')).toBe(8);
    expect(await count("zebra since:2099-01-01")).toBe(0);
    expect(await count("zebra", { project: "/home/me/app" })).toBe(7);
    expect(await count("zebra", { project: "/home/me/ap" })).toBe(0);
    expect(await count("zebra", { agents: ["codex", "gemini"] })).toBe(0);
    expect(await count("zebra", { since: new Date("2020-01-01") })).toBe(8);
  });

  it("finds the last word of a long output", async () => {
    const home = await privateHome();
    const long = `${"line of output é\n".repeat(70_000)}needle`;
    writeSession(home, 1, [
      { scope: "tool_input", text: "make" },
      { scope: "tool_output", text: long },
    ]);
    const { find } = await searchIn(home);
    expect(shown(await find("needle"))).toEqual([expect.stringMatching(/^…[^\n]*output é \[needle\]$/)]);
  });

  it("finds the last word of an output that is too long to be parsed for a line of it", async () => {
    const home = await privateHome();
    writeSession(home, 1, [
      { scope: "tool_input", text: "make" },
      { scope: "tool_output", text: `${"line\n".repeat(1_100_000)}the needle` },
    ]);
    const { find } = await searchIn(home);
    expect(shown(await find("needle"))[0]).toMatch(/line the \[needle\]/);
  });

  it("finds words that a program has coloured, and shows them without", async () => {
    const home = await privateHome();
    writeSession(home, 1, [
      { scope: "prompt", text: "it said \u001b[31merror\u001b[0m: \u001b[1mno such zebra" },
    ]);
    const { find } = await searchIn(home);
    expect(await find("error")).toMatchObject({ total: 1, expanded: [] });
    expect(shown(await find("error zebra"))).toEqual(["it said [error]: no such [zebra]"]);
  });

  it("takes a word that is nowhere as a part of one, and says so", async () => {
    const home = await privateHome();
    writeSession(home, 1, [{ scope: "prompt", text: "parseConfiguration failed in readSettings" }]);
    const { find } = await searchIn(home);
    const found = await find("config");
    expect(shown(found)).toEqual(["parse[Config]uration failed in readSettings"]);
    expect(found.expanded).toEqual(["config"]);
    expect(await find("failed config")).toMatchObject({ total: 1, expanded: ["config"] });
    expect(await find("settings.parse")).toMatchObject({ total: 0, expanded: [] });
    expect(await find("nowhere")).toMatchObject({ total: 0, expanded: [] });
    expect(await find("failed")).toMatchObject({ total: 1, expanded: [] });
  });

  it("leaves out every word that holds a part, or says that they are too many", async () => {
    const home = await privateHome();
    const words = (count: number) => Array.from({ length: count }, (_, at) => `x${at}er${at}`);
    const texts = [...words(1500).map((word) => `zebra ${word}`), "zebra alone"];
    writeSession(
      home,
      1,
      texts.map((text): Said => ({ scope: "prompt", text })),
    );
    const { find, update } = await searchIn(home);
    expect(await find("zebra -*er*")).toMatchObject({
      total: 1,
      isMinimum: false,
      hits: [{ snippet: "zebra alone" }],
    });
    writeSession(home, 2, [{ scope: "prompt", text: `zebra ${words(2100).join(" ")}` }]);
    await update();
    await expect(find("zebra -*er*")).rejects.toThrow(
      "-*er* cannot be left out: more than 2,000 words are like this.",
    );
  });

  it("pages, and counts what it did not show", async () => {
    const home = await privateHome();
    const many = Array.from(
      { length: 30 },
      (_, at): Said => ({ scope: "prompt", text: `zebra number${at}` }),
    );
    writeSession(home, 1, many);
    const { find } = await searchIn(home);
    const first = await find("zebra", { limit: 10 });
    const second = await find("zebra", { limit: 10, offset: 10 });
    const all = await find("zebra", { limit: 100 });
    expect(first).toMatchObject({ total: 30, isMinimum: false });
    expect([...first.hits, ...second.hits]).toEqual(all.hits.slice(0, 20));
    expect(new Set(all.hits.map(({ entry }) => entry)).size).toBe(30);
  });

  it("looks at the newest only when there are very many, and says that there are more", async () => {
    const home = await privateHome();
    const many = Array.from(
      { length: 700 },
      (_, at): Said => ({ scope: "prompt", text: `zebra number${at}` }),
    );
    writeSession(home, 1, many);
    const { find } = await searchIn(home);
    const found = await find("zebra", { limit: 5 });
    expect(found).toMatchObject({ total: 500, isMinimum: true });
    expect(found.hits[0]?.position).toBe(699);
  });
});

describe("the order of hits", () => {
  it("has what was said before what was printed, and close words before distant ones", async () => {
    const home = await privateHome();
    writeSession(home, 1, everything);
    const { find } = await searchIn(home);
    expect((await find("zebra")).hits.map(({ scope }) => scope)[0]).toBe("prompt");
    writeSession(home, 2, [{ scope: "prompt", text: `giraffe ${"and more ".repeat(20)} lion` }]);
    writeSession(home, 3, [{ scope: "prompt", text: "a lion and a giraffe" }]);
    const other = await searchIn(home);
    const [first, second] = (await other.find("giraffe lion")).hits;
    expect(first?.title).toBe("a lion and a giraffe");
    expect(first?.score).toBeGreaterThan(second?.score ?? 0);
  });

  it("has recent sessions first, and not one session alone", async () => {
    const home = await privateHome();
    const said: Said[] = [
      { scope: "prompt", text: "zebra" },
      { scope: "prompt", text: "zebra again" },
    ];
    const old = writeSession(home, 1, said);
    const recent = writeSession(home, 2, said);
    utimesSync(old.path, new Date(), new Date(Date.now() - 20 * 86_400_000));
    const { find } = await searchIn(home);
    const sessions = (await find("zebra")).hits.map(({ entry }) =>
      recent.entries.includes(entry) ? "recent" : "old",
    );
    expect(sessions[0]).toBe("recent");
    expect(sessions.slice(0, 3)).toContain("old");
  });
});

describe("a hit", () => {
  it.each([
    ["claude", "branches", '"right reply"', '"left reply"'],
    ["claude", "compacted", '"first prompt"', '"third prompt"'],
    ["codex", "interrupted-compacted", '"first answer"', '"after compaction"'],
    ["gemini", "rewound", '"this was taken back"', '"this came instead"'],
    ["opencode", "compacted", '"very first reply"', '"reply that stays"'],
  ])("says that the model does not see it any more: %s, %s", async (agent, fixture, gone, there) => {
    const home = await privateHome();
    const adapter = adapters.find(({ id }) => id === agent);
    if (!adapter) throw new Error(agent);
    layOut({ adapter, fixture }, home);
    const { find } = await searchIn(home, [adapter]);
    const flags = async (query: string) => (await find(query)).hits.map(({ hidden = false }) => hidden);
    expect(await flags(gone)).toEqual([true]);
    expect(await flags(there)).toEqual([false]);
  });

  it("knows what became hidden in a long session since it was read as a whole", async () => {
    const home = await privateHome();
    const { path, entries } = writeSession(home, 1, everything);
    const { find, catalog, update } = await searchIn(home);
    const [first = ""] = readFileSync(path, "utf8").split("\n");
    const line = { ...(JSON.parse(first) as object), uuid: "f0000000-0000-4000-8000-000000000000" };
    // Another answer to the first prompt.
    appendFileSync(
      path,
      `${JSON.stringify({ ...line, parentUuid: entries[0], message: { role: "user", content: "quagga" } })}\n`,
    );
    await update();
    for (const shard of catalog.shards) shard.exec("UPDATE session SET hidden = NULL");
    expect((await find("striped")).hits).toMatchObject([{ hidden: true }]);
    expect((await find("quagga")).hits[0]?.hidden).toBeUndefined();
    expect(
      catalog.shards.flatMap((shard) => shard.prepare("SELECT 1 FROM session WHERE hidden IS NULL").all()),
    ).toEqual([]);
  });

  it("has its line from the archive when the file is gone", async () => {
    const home = await privateHome();
    const { path } = writeSession(home, 1, everything);
    const { find, update } = await searchIn(home);
    await archiveSessions(`${home.dir}/.baton`, await findSessions(home, adapters));
    rmSync(path);
    await update();
    const found = await find("striped");
    expect(found.hits).toMatchObject([{ gone: true, scope: "thinking" }]);
    expect(shown(found)).toEqual(["The zebra is [striped]"]);
  });

  it("has a reason instead of a line when the file is not what it was", async () => {
    const home = await privateHome();
    const { path } = writeSession(home, 1, everything);
    const { find } = await searchIn(home);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("striped", "spotted"));
    expect((await find("striped")).hits).toMatchObject([
      { snippet: "", marks: [], problem: "The text has changed since it was read." },
    ]);
    rmSync(path);
    expect((await find("striped")).hits).toMatchObject([
      { snippet: "", problem: expect.stringContaining("ENOENT") },
    ]);
  });

  it("is there as soon as it is written", async () => {
    const home = await privateHome();
    const { path } = writeSession(home, 1, everything);
    const { find, update } = await searchIn(home);
    expect((await find("quagga")).total).toBe(0);
    const line = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "") as { message: object };
    appendFileSync(
      path,
      `${JSON.stringify({ ...line, uuid: "f0000000-0000-4000-8000-000000000000", message: { role: "user", content: "a quagga" } })}\n`,
    );
    await update();
    expect(shown(await find("quagga"))).toEqual(["a [quagga]"]);
  });
});

/** Each line with its marks. */
function shown({ hits }: SearchResult): string[] {
  return hits.map(({ snippet, marks }) =>
    marks.reduceRight(
      (line, [start, end]) => `${line.slice(0, start)}[${line.slice(start, end)}]${line.slice(end)}`,
      snippet,
    ),
  );
}
