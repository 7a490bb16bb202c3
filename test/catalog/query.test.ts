// Which sessions a list shows, over stores that only exist in memory.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { examine } from "../../src/catalog/doctor.ts";
import { listSessions, type Page, type Query } from "../../src/catalog/query.ts";
import { sync } from "../../src/catalog/sync.ts";
import { loss } from "../../src/session/losses.ts";
import type { Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";

const HOME = { dir: "/nowhere", env: {} };
const DAY = 86_400_000;
const NOW = Date.parse("2026-03-01T00:00:00.000Z");

interface Given {
  id: string;
  /** Days before now. */
  updated: number;
  project?: string;
  model?: string;
  cost?: number;
  damaged?: boolean;
  unreadable?: boolean;
  parent?: string;
  size?: number;
}

/** An agent whose store is a list; `opened` tells which sessions were read. */
function agent(id: string, given: readonly Given[], opened: string[] = []): Adapter {
  const time = (days: number) => new Date(NOW - days * DAY).toISOString();
  const refs = given.map(
    (one): SessionRef => ({
      agent: id,
      originalId: one.id,
      path: `/store/${one.id}`,
      files: [
        {
          path: `/store/${one.id}`,
          role: "main",
          size: one.size ?? 10,
          mtimeMs: NOW - one.updated * DAY,
          inode: 1,
        },
      ],
      ...(one.parent && { parent: one.parent }),
    }),
  );
  const session = (one: Given): Session => ({
    id: one.id,
    version: "1.0",
    source: { cli: id, originalId: one.id },
    project: { path: one.project ?? "/p" },
    model: { provider: "v", model: one.model ?? "m" },
    metadata: {
      created: time(one.updated),
      lastModified: time(one.updated),
      ...(one.cost && { cost: one.cost }),
    },
    title: `Title ${one.id}`,
    timeline: [],
  });
  return {
    id,
    label: id.toUpperCase(),
    badge: `${id}-badge`,
    provider: `${id}-vendor`,
    proven: ["1.0"],
    *discover() {
      yield* refs;
    },
    stores: () => ["/nowhere/store"],
    async open(ref: SessionRef) {
      const one = given.find((each) => each.id === ref.originalId) as Given;
      opened.push(one.id);
      if (one.unreadable) throw new Error("permission denied");
      const losses = one.damaged ? [loss("record_unreadable", { line: 2 }, "bad")] : [];
      return { ...sourceOf(session(one)), losses };
    },
    async reading(ref: SessionRef) {
      const one = given.find((each) => each.id === ref.originalId) as Given;
      opened.push(one.id);
      if (one.unreadable) throw new Error("permission denied");
      const { header } = sourceOf(session(one));
      const losses = one.damaged ? [loss("record_unreadable", { line: 2 }, "bad")] : [];
      const place = { index: 0, line: 1, offset: 0, length: 1, whole: true, terminated: true };
      return {
        ref,
        provider: "v",
        fold: { initial: () => ({}), step: () => [{ type: "header", patch: patchOf(header) }] },
        async *read() {
          yield [{ ...place, value: {}, losses, bytes: Buffer.from("\n") }];
        },
      };
    },
    version: async () => ({ version: "2.0", path: "/bin/x" }),
    configuration: async () => ({ mcpServers: [], retentionDays: 30 }),
  } as unknown as Adapter;
}

function patchOf({ title, project, model, metadata }: Omit<Session, "timeline">) {
  const { cost, created } = metadata;
  return {
    title,
    cwd: project.path,
    model: model.model,
    timestamp: created,
    ...(cost !== undefined && { cost }),
  };
}

/** What a list shows after the catalog of these agents was made. */
async function query(adapters: readonly Adapter[], wanted: Query, newest?: number): Promise<Page> {
  const catalog = openCatalog(mkdtempSync(join(tmpdir(), "baton-query-")));
  try {
    await sync(catalog, HOME, adapters, {
      words: false,
      adapters: async () => adapters,
      ...(newest !== undefined && { newest }),
    });
    return listSessions(catalog, wanted);
  } finally {
    catalog.close();
  }
}

const some: Given[] = [
  { id: "old", updated: 40, cost: 2, model: "Opus-1" },
  { id: "new", updated: 1, project: "/p/deep/down" },
  { id: "mid", updated: 5, project: "/pp", damaged: true },
  { id: "child", updated: 0, parent: "new" },
  { id: "empty", updated: 0, size: 0 },
];

const ids = async (wanted: Query, adapters = [agent("a", some), agent("b", [{ id: "other", updated: 3 }])]) =>
  (await query(adapters, wanted)).sessions.map(({ originalId }) => originalId);

describe("query", () => {
  it.each<[string, Query, string[]]>([
    ["everything, newest first", {}, ["new", "other", "mid", "old"]],
    ["subagents too", { subagents: true }, ["child", "new", "other", "mid", "old"]],
    ["one agent", { agents: ["b"] }, ["other"]],
    ["a badge", { provider: "a-badge" }, ["new", "mid", "old"]],
    ["a project and what is below", { project: "/p" }, ["new", "other", "old"]],
    ["a model", { model: "opus" }, ["old"]],
    ["since", { since: new Date(NOW - 4 * DAY) }, ["new", "other"]],
    ["errors", { errors: true }, ["mid"]],
    ["cost", { minCost: 1 }, ["old"]],
    ["by title", { sort: "title" }, ["mid", "new", "old", "other"]],
    ["by cost", { sort: "cost" }, ["old", "new", "other", "mid"]],
    ["a page", { limit: 2, offset: 1 }, ["other", "mid"]],
    ["past the end", { offset: 10 }, []],
  ])("finds %s", async (_, wanted, expected) => {
    expect(await ids(wanted)).toEqual(expected);
  });

  it("finds what is below a folder, whatever characters its name has", async () => {
    const given = ["/🚀", "/🚀/app", "/🚀/ä/𠮷", "/🚀app"].map((project) => ({
      id: project,
      updated: 1,
      project,
    }));
    const below = async (project: string) => (await ids({ project }, [agent("a", given)])).toSorted();
    expect(await below("/🚀")).toEqual(["/🚀", "/🚀/app", "/🚀/ä/𠮷"]);
    expect(await below("/🚀/ä/")).toEqual(["/🚀/ä/𠮷"]);
  });

  it("says how many there are", async () => {
    const adapters = [agent("a", some)];
    expect(await query(adapters, { limit: 1 })).toMatchObject({ total: 3, hasMore: true });
    expect(await query(adapters, { limit: 3 })).toMatchObject({ total: 3, hasMore: false });
    expect(await query(adapters, { errors: true, limit: 5 })).toMatchObject({
      total: 1,
      hasMore: false,
    });
  });

  it("shows each session on one page, also of those that changed in the same millisecond", async () => {
    const given = Array.from({ length: 24 }, (_, at) => ({
      id: `s${at}`,
      updated: 1 - ((at * 7) % 24) / 1e10,
    }));
    const adapters = [agent("a", given)];
    const whole = await ids({}, adapters);
    expect(new Set(whole).size).toBe(24);
    const pages = await Promise.all(whole.map((_, offset) => ids({ limit: 1, offset }, adapters)));
    expect(pages.flat()).toEqual(whole);
  });

  it("reads no more files than the newest page needs", async () => {
    const opened: string[] = [];
    const given = Array.from({ length: 50 }, (_, at) => ({ id: `s${at}`, updated: at }));
    const page = await query([agent("a", given, opened)], { limit: 3 }, 3);
    expect(page.sessions.map(({ originalId }) => originalId)).toEqual(["s0", "s1", "s2"]);
    expect(opened.length).toBe(3);
  });

  it("lists a file that cannot be read with its problem", async () => {
    const { sessions } = await query([agent("a", [{ id: "x", updated: 0, unreadable: true }])], {});
    expect(sessions).toMatchObject([{ originalId: "x", problems: ["permission denied"], messageCount: 0 }]);
  });
});

describe("examine", () => {
  it("counts, and says what is wrong and what is due", async () => {
    const given = [...some, { id: "locked", updated: 2, unreadable: true }, { id: "soon", updated: 24 }];
    const report = await examine(agent("a", given), HOME, undefined, {
      now: NOW,
      isArchived: ({ path }) => path === "/store/soon",
    });
    expect(report).toMatchObject({
      agent: "a",
      installed: { version: "2.0" },
      proven: false,
      stores: [{ path: "/nowhere/store", exists: false, writable: false }],
      sessions: 5,
      subagents: 1,
      emptyFiles: 1,
      bytes: 60,
      unreadable: [{ path: "/store/locked", problem: "permission denied" }],
      damaged: [{ path: "/store/mid", problems: ["line 2: record_unreadable: bad"] }],
      dueForDeletion: [
        { path: "/store/old", title: "Title old", archived: false },
        { path: "/store/soon", due: "2026-03-07T00:00:00.000Z", archived: true },
      ],
      problems: [],
    });
  });

  it("says what is more than an agent keeps of a folder", async () => {
    const given = ["a", "b", "c"].map((id, at) => ({ id, updated: at }));
    const keeping = {
      ...agent("a", given),
      configuration: async () => ({ mcpServers: [], retentionCount: 2 }),
    };
    const { dueForDeletion } = await examine(keeping, HOME, undefined, { now: NOW });
    expect(dueForDeletion).toMatchObject([{ path: "/store/c", due: new Date(NOW).toISOString() }]);
  });

  it("goes on when an agent fails", async () => {
    const failing = { ...agent("a", []), version: () => Promise.reject(new Error("it crashed")) };
    expect(await examine(failing, HOME)).toMatchObject({
      installed: null,
      proven: null,
      problems: ["it crashed"],
    });
  });
});
