// The catalog is always what one pass over the stores as they are now would give, however it came about.
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Looking, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions, type Query } from "../../src/catalog/query.ts";
import { findSessions, summarise } from "../../src/catalog/scan.ts";
import { sync, syncFiles } from "../../src/catalog/sync.ts";
import { cases, layOut } from "../conformance/fixtures.ts";
import { dump, dumpAtOnce, lay, synced } from "./dump.ts";

const CLAUDE = ".claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl";

let home: string;
let own: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "baton-sync-"));
  home = join(root, "home");
  own = join(root, "baton");
  mkdirSync(home);
});

const atOnce = () => dumpAtOnce(home);

function rows(query: Query = {}) {
  const catalog = openCatalog(own);
  try {
    return listSessions(catalog, query).sessions;
  } finally {
    catalog.close();
  }
}

describe.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))("%s", (_, one) => {
  const place = () => ({ dir: home, env: {}, projects: [join(home, "project")] });

  it("is listed as opening it says", async () => {
    layOut(one, place());
    await synced(home, own, {}, place().projects);
    const found = await findSessions(place(), adapters);
    const opened = await Promise.all(found.map((each) => summarise(each)));
    const listed = rows({ subagents: true });
    expect(listed.map(comparable).toSorted(byId)).toEqual(opened.map(comparable).toSorted(byId));
  });

  it("is the same when its files came in pieces", async () => {
    layOut(one, place());
    const files = (await findSessions(place(), adapters)).flatMap(({ ref }) =>
      ref.files.filter(({ path, role }) => path.endsWith(".jsonl") && role !== "index"),
    );
    const whole = new Map(files.map(({ path, mtimeMs }) => [path, { bytes: readFileSync(path), mtimeMs }]));
    const steps = 4;
    for (let step = 0; step < steps; step++) {
      for (const [path, { bytes, mtimeMs }] of whole) {
        const [from, to] = [step, step + 1].map((at) => cutOf(bytes.length, at, steps));
        if (step === 0) writeFileSync(path, "");
        appendFileSync(path, bytes.subarray(from, to));
        utimesSync(path, new Date(mtimeMs), new Date(mtimeMs));
      }
      await synced(home, own, {}, place().projects);
    }
    const fresh = join(own, "fresh");
    await synced(home, fresh, {}, place().projects);
    expect(dump(own)).toEqual(dump(fresh));
  });
});

/** Anywhere in a line, but always the same. */
function cutOf(length: number, step: number, steps: number): number {
  return step === steps ? length : Math.floor((length * step) / steps) + ((step * 7) % 5);
}

type Listed = ReturnType<typeof rows>[number];

function comparable({ problems, ...row }: Listed) {
  return { ...row, problems: [...new Set(problems)].slice(0, 20).toSorted() };
}

const byId = (a: { id: string; path: string }, b: { id: string; path: string }) =>
  `${a.id} ${a.path}` < `${b.id} ${b.path}` ? -1 : 1;

describe("a store that changes", () => {
  beforeEach(() => lay(home, "claude", "codex", "gemini", "opencode"));

  it("is not read again while nothing has changed", async () => {
    expect(await synced(home, own)).toMatchObject({ added: 8, unchanged: 0, problems: 0 });
    expect(await synced(home, own)).toMatchObject({ added: 0, updated: 0, removed: 0, unchanged: 8 });
  });

  it("is read again where nothing but the name of a session has changed, that session alone", async () => {
    await synced(home, own);
    const index = join(home, ".codex/session_index.jsonl");
    const id = "01a00000-0000-7000-8000-000000000001";
    for (const name of ["A name", "Another; 12 34"]) {
      appendFileSync(index, `${JSON.stringify({ id, thread_name: name })}\n`);
      expect(await synced(home, own)).toMatchObject({ added: 0, updated: 1, unchanged: 7 });
      expect(rows({ agents: ["codex"] }).map(({ title }) => title)).toContain(name);
      expect(dump(own)).toEqual(await atOnce());
      // Of another session, which is not here.
      appendFileSync(index, `${JSON.stringify({ id: "other", thread_name: name })}\n`);
      expect(await synced(home, own)).toMatchObject({ updated: 0, unchanged: 8 });
    }
  });

  it("is read anew where a file was cut", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    expect(await synced(home, own)).toMatchObject({ updated: 1, unchanged: 7 });
    expect(dump(own)).toEqual(await atOnce());
  });

  it("is read anew where a file was written over, even with a longer one", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.toSpliced(3, 0, lines[3] ?? "", "").join("\n"));
    expect(await synced(home, own)).toMatchObject({ updated: 1, unchanged: 7 });
    expect(dump(own)).toEqual(await atOnce());
  });

  it.each([
    ["in the beginning, and goes on", "nobody", "abcdef", `{"type":"title","title":"Another"}\n`],
    ["in the middle, and has not a byte more", "similar", "abcdefg", ""],
  ])("is read anew where a word was replaced by one of its length %s", async (_, word, other, more) => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(word, other) + more);
    expect(await synced(home, own)).toMatchObject({ updated: 1, unchanged: 7 });
    expect(dump(own)).toEqual(await atOnce());
  });

  it("is searchable although a list was faster while it was read", async () => {
    let isFirst = true;
    const overtaken = adapters.map((adapter) => ({
      ...adapter,
      async reading(ref: SessionRef) {
        if (isFirst) {
          isFirst = false;
          await synced(home, own, { words: false });
        }
        return adapter.reading(ref);
      },
    }));
    await synced(home, own, { adapters: async () => overtaken });
    expect(isFirst).toBe(false);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("keeps what was read where a file only has another name", async () => {
    await synced(home, own);
    const before = rows({ agents: ["claude"] });
    const folder = join(home, ".claude/projects");
    renameSync(join(folder, "-home-dev-project"), join(folder, "-home-dev-moved"));
    const report = await synced(home, own);
    expect(report).toMatchObject({ added: 0, removed: 0 });
    expect(rows({ agents: ["claude"] })).toMatchObject(before.map(({ id, title }) => ({ id, title })));
    expect(dump(own)).toEqual(await atOnce());
  });

  it.each([
    ["at once", []],
    ["after it was missed", ["sync"]],
  ])("knows a session once that goes on under another path, %s", async (_, between) => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const elsewhere = join(home, ".claude/projects/-home-dev-moved", basename(CLAUDE));
    const text = readFileSync(path, "utf8");
    rmSync(path);
    for (const _ of between) await synced(home, own);
    mkdirSync(dirname(elsewhere));
    writeFileSync(elsewhere, `${text}{"type":"title","title":"Another"}\n`);
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("keeps what is gone where its session goes on shorter than it was", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const elsewhere = join(home, ".claude/projects/-home-dev-moved", basename(CLAUDE));
    const [first = ""] = readFileSync(path, "utf8").split("\n");
    rmSync(path);
    mkdirSync(dirname(elsewhere));
    writeFileSync(elsewhere, `${first}\n`);
    expect(await synced(home, own)).toMatchObject({ added: 1, removed: 1 });
  });

  it("lists what is gone only when it is asked to, until it is back", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const kept = readFileSync(path);
    rmSync(path);
    expect(await synced(home, own)).toMatchObject({ removed: 1 });
    expect(await synced(home, own)).toMatchObject({ removed: 0 });
    const here = rows({ agents: ["claude"] });
    const all = rows({ agents: ["claude"], archived: true });
    expect(all.length).toBe(here.length + 1);
    expect(all.find(({ gone }) => gone !== undefined)?.path).toBe(path);
    writeFileSync(path, kept);
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("lists the sessions of a database that was away and is back exactly as it was", async () => {
    const data = join(home, ".local/share/opencode");
    utimesSync(join(data, "opencode.db"), new Date(0), new Date(0));
    await synced(home, own);
    const before = dump(own);
    renameSync(data, join(home, "away"));
    await synced(home, own);
    expect(rows({ agents: ["opencode"] })).toEqual([]);
    renameSync(join(home, "away"), data);
    await synced(home, own);
    expect(dump(own)).toEqual(before);
  });

  it("lists what was away and is back exactly as it was", async () => {
    await synced(home, own);
    renameSync(join(home, ".claude"), join(home, "away"));
    await synced(home, own);
    expect(rows({ agents: ["claude"] })).toEqual([]);
    renameSync(join(home, "away"), join(home, ".claude"));
    await synced(home, own, { words: false });
    expect(rows({ agents: ["claude"] }).length).toBe(1);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("counts an exact copy once, also when it was made later", async () => {
    await synced(home, own);
    const folder = join(home, ".claude/projects");
    cpSync(join(folder, "-home-dev-project"), join(folder, "-home-dev-copy"), { recursive: true });
    await synced(home, own);
    expect(rows({ agents: ["claude"] }).length).toBe(1);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("does not take sessions for gone that it could not look for", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const isHere = () => rows({ agents: ["claude"] }).length === 1;
    const catalog = openCatalog(own);
    const blind = adapters.map((adapter) =>
      adapter.id === "claude"
        ? {
            ...adapter,
            discover(_: unknown, looking?: Looking) {
              looking?.onProblem?.(dirname(path), new Error("no access"));
              return [];
            },
          }
        : adapter,
    );
    await sync(catalog, { dir: home, env: {} }, blind, { words: true });
    catalog.close();
    expect(isHere()).toBe(true);
  });

  it("is listed without words first, and found with them later", async () => {
    expect(await synced(home, own, { words: false })).toMatchObject({ added: 8 });
    expect(dump(own).words).toEqual([]);
    expect(await synced(home, own)).toMatchObject({ updated: 8 });
    expect(dump(own)).toEqual(await atOnce());
  });

  it("is read no further than the newest that are asked for", async () => {
    const report = await synced(home, own, { words: false, newest: 2 });
    expect(report.added).toBeLessThan(report.sessions + 4);
    expect(rows().length).toBe(2);
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });
});

describe("a file that is known to have changed", () => {
  beforeEach(() => lay(home, "claude", "codex", "opencode"));

  const changed = async (...paths: string[]) => {
    const catalog = openCatalog(own);
    const report = await syncFiles(catalog, paths, adapters, { words: true });
    catalog.close();
    return report;
  };

  it("is read without looking at the others", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    const before = readFileSync(path, "utf8");
    const last = before.trimEnd().split("\n").at(-1) ?? "";
    appendFileSync(path, `${last.replace(/"uuid":"[^"]+"/, '"uuid":"added"')}\n`);
    expect(await changed(path)).toMatchObject({ updated: 1, unchanged: 5, refs: [{ path }] });
    expect(await synced(home, own)).toMatchObject({ updated: 0 });
    expect(dump(own).words).toEqual((await atOnce()).words);
  });

  it("is the same session for whoever then looks at all, also one with a name", async () => {
    const [path = ""] = readdirSync(join(home, ".codex/sessions"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("000000000072.jsonl"))
      .map((name) => join(home, ".codex/sessions", name));
    const id = "01a00000-0000-7000-8000-000000000001";
    writeFileSync(
      join(home, ".codex/session_index.jsonl"),
      `${JSON.stringify({ id, thread_name: "Name" })}\n`,
    );
    await synced(home, own);
    appendFileSync(path, "\n");
    expect(await changed(path)).toMatchObject({ updated: 1, refs: [{ path, name: "Name" }] });
    expect(await synced(home, own)).toMatchObject({ updated: 0 });
  });

  describe("in the folder of a session", () => {
    const main = () => join(home, CLAUDE);
    const folder = () => main().replace(/\.jsonl$/, "");
    const agent = () => join(folder(), "subagents", readdirSync(join(folder(), "subagents"))[0] ?? "");
    const lastOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
    const another = (path: string, uuid: string, words = "") =>
      lastOf(path)
        .replace(/"uuid":"[^"]+"/, `"uuid":"${uuid}"`)
        .replace(/"text":"/, `"text":"${words} `);

    it("is read with the session that it belongs to", async () => {
      await synced(home, own);
      appendFileSync(agent(), `${another(agent(), "added", "whispered")}\n`);
      const report = await changed(agent());
      expect(report).toMatchObject({ added: 0, updated: 2, unchanged: 4 });
      expect(report?.refs.map(({ path }) => path).toSorted()).toEqual([agent(), main()].toSorted());
      expect(await synced(home, own)).toMatchObject({ added: 0, updated: 0 });
      expect(dump(own)).toEqual(await atOnce());
    });

    it("is found when it is new and only the session's file is said to have changed", async () => {
      await synced(home, own);
      cpSync(agent(), join(folder(), "subagents", "agent-new.jsonl"));
      mkdirSync(join(folder(), "tool-results"), { recursive: true });
      writeFileSync(join(folder(), "tool-results", "toolu_new.txt"), "a long output\n");
      appendFileSync(main(), `${another(main(), "added")}\n`);
      expect(await changed(main())).toMatchObject({ added: 1, updated: 1, unchanged: 5 });
      expect(await synced(home, own)).toMatchObject({ added: 0, updated: 0 });
      expect(dump(own).words).toEqual((await atOnce()).words);
    });

    it("is not enough when it is gone", async () => {
      await synced(home, own);
      rmSync(agent());
      expect(await changed(main())).toBeUndefined();
    });
  });

  it("is not enough where it is new, gone, or a database", async () => {
    await synced(home, own);
    const path = join(home, CLAUDE);
    expect(await changed(join(dirname(path), "new.jsonl"))).toBeUndefined();
    expect(await changed(join(home, ".local/share/opencode/opencode.db"))).toBeUndefined();
    rmSync(path);
    expect(await changed(path)).toBeUndefined();
  });
});
