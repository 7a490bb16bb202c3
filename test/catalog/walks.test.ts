// What was looked at is looked at again instead of walking: nothing that a walk would find may be missed by that.
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
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { sync, syncFiles } from "../../src/catalog/sync.ts";
import { dump, dumpAtOnce, lay, synced } from "./dump.ts";

const CLAUDE = ".claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl";
const DATABASE = ".local/share/opencode/opencode.db";

let home: string;
let own: string;
/** All that there are. */
let count: number;

beforeEach(async () => {
  const root = mkdtempSync(join(tmpdir(), "baton-walks-"));
  home = join(root, "home");
  own = join(root, "baton");
  lay(home, "claude", "codex", "gemini", "opencode");
  settle();
  count = (await synced(home, own)).added;
  await synced(home, own);
});

/** Walks are kept of files that did not change just now. */
function settle(): void {
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, name);
    if (statSync(path).isFile()) utimesSync(path, new Date(1e12), new Date(1e12 + name.length * 1000));
  }
}

/** The agents whose stores are walked through. */
async function walked(
  options: {
    words?: boolean;
    projects?: string[];
    dir?: string;
    meanwhile?(when: "before" | "behind"): void;
  } = {},
): Promise<string[]> {
  const { words = true, projects = [], dir = home } = options;
  const seen: string[] = [];
  const places = adapters.map((adapter) => ({
    ...adapter,
    discover(...given: Parameters<typeof adapter.discover>) {
      seen.push(adapter.id);
      options.meanwhile?.("before");
      const found = [...adapter.discover(...given)];
      options.meanwhile?.("behind");
      return found;
    },
  }));
  const catalog = openCatalog(own);
  try {
    await sync(catalog, { dir, env: {}, projects }, places, { words });
  } finally {
    catalog.close();
  }
  return seen;
}

it("stands for the walk while nothing has changed, and says as much", async () => {
  expect(await walked()).toEqual([]);
  const report = await synced(home, own);
  expect(report).toMatchObject({ added: 0, updated: 0, removed: 0, unchanged: count });
  rmSync(own, { recursive: true });
  expect(report.sessions).toBe((await synced(home, own)).sessions);
});

const path = (name: string) => join(home, name);
const keepTime = (name: string, change: () => void) => {
  const { atime, mtime } = statSync(path(name));
  change();
  utimesSync(path(name), atime, mtime);
};

function addSession(id: string): void {
  const text = readFileSync(path(CLAUDE), "utf8").replaceAll("00000000-0000-4000-8000-000000000001", id);
  writeFileSync(join(dirname(path(CLAUDE)), `${id}.jsonl`), text);
}

/** As a later walk keeps it: of folders that did not change just now, times are looked at instead of names. */
async function keepLater(): Promise<void> {
  rmSync(own, { recursive: true });
  // A time that can be given back to the last digit.
  utimesSync(dirname(path(CLAUDE)), new Date(1e12), new Date(1e12));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  try {
    await synced(home, own);
    await synced(home, own);
  } finally {
    vi.useRealTimers();
  }
}

/** The folders whose times are kept. */
function timed(): string[] {
  const catalog = openCatalog(own);
  try {
    const kept = catalog.shards[0]
      ?.prepare("SELECT stamp FROM store WHERE path = 'walked words claude'")
      .get();
    const lines = String(kept?.stamp).split("\n");
    return lines.filter((_, at) => lines[at + 1]?.startsWith("@"));
  } finally {
    catalog.close();
  }
}

it("looks at names in folders that changed just now, and at the times of others", async () => {
  expect(timed()).toEqual([]);
  await keepLater();
  expect(timed()).toContain(dirname(path(CLAUDE)));
  expect(await walked()).toEqual([]);
});

describe.each(["names", "times"])("is not taken for the walk, by the %s in folders, when", (kept) => {
  beforeEach(() => (kept === "times" ? keepLater() : undefined));

  const changes: Record<string, [agents: string[], change: () => void]> = {
    "a file grew": [["claude"], () => appendFileSync(path(CLAUDE), `{"type":"title","title":"Another"}\n`)],
    "a file grew and has its time": [
      ["claude"],
      () => keepTime(CLAUDE, () => appendFileSync(path(CLAUDE), `{"type":"title","title":"Another"}\n`)),
    ],
    "a file was written over with as many bytes": [
      ["claude"],
      () => writeFileSync(path(CLAUDE), readFileSync(path(CLAUDE), "utf8").replaceAll("price", "prize")),
    ],
    "a file is another one with the same time and size": [
      ["claude"],
      () =>
        keepTime(CLAUDE, () => {
          cpSync(path(CLAUDE), path("copy"));
          renameSync(path("copy"), path(CLAUDE));
        }),
    ],
    "there is a new session": [["claude"], () => addSession("00000000-0000-4000-8000-000000000009")],
    "a session is gone": [["claude"], () => unlinkSync(path(CLAUDE))],
    "a project's folder has another name": [
      ["claude"],
      () => renameSync(dirname(path(CLAUDE)), path(".claude/projects/-home-dev-moved")),
    ],
    "a session has another name": [
      ["codex"],
      () => {
        const line = { id: "01a00000-0000-7000-8000-000000000001", thread_name: "A name" };
        appendFileSync(path(".codex/session_index.jsonl"), `${JSON.stringify(line)}\n`);
      },
    ],
    "a row of a database has changed": [
      ["opencode"],
      () => {
        const database = new DatabaseSync(path(DATABASE));
        database.exec("UPDATE session SET title = 'Another', time_updated = time_updated + 1");
        database.close();
      },
    ],
    "there is a new session in a folder that has its time": [
      ["claude"],
      () => keepTime(dirname(CLAUDE), () => addSession("00000000-0000-4000-8000-000000000008")),
    ],
    "there is a store where none was": [
      ["yume"],
      () => {
        const folder = path(".yume/sessions/openai");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "one.json"), "{}");
      },
    ],
  };

  it.each(Object.keys(changes))("%s", async (name) => {
    const [agents, change] = changes[name] as (typeof changes)[string];
    change();
    expect(await walked()).toEqual(agents);
    expect(there(dump(own))).toEqual(there(await dumpAtOnce(home)));
  });

  it("a folder is where a file was", async () => {
    const odd = join(dirname(path(CLAUDE)), "odd");
    writeFileSync(odd, "");
    utimesSync(odd, new Date(1e12), new Date(1e12));
    expect(await walked()).toEqual(["claude"]);
    expect(await walked()).toEqual([]);
    unlinkSync(odd);
    mkdirSync(odd);
    expect(await walked()).toEqual(["claude"]);
  });
});

/** What is known of a session stays when it is gone. */
function there({ sessions, words }: ReturnType<typeof dump>) {
  const gone = sessions.flatMap((row) =>
    "gone" in row && row.gone && "path" in row ? [`"${row.path}"`] : [],
  );
  return {
    sessions: sessions.filter((row) => !("gone" in row && row.gone)),
    words: words.filter((word) => !gone.some((path) => word.includes(path))),
  };
}

describe("what the catalog has of a session", () => {
  it("may have changed since, whatever its files are like now", async () => {
    const size = statSync(path(CLAUDE)).size;
    const { atime, mtime } = statSync(path(CLAUDE));
    appendFileSync(path(CLAUDE), `{"type":"title","title":"Another"}\n`);
    const catalog = openCatalog(own);
    await syncFiles(catalog, [path(CLAUDE)], adapters, { words: true });
    catalog.close();
    truncateSync(path(CLAUDE), size);
    utimesSync(path(CLAUDE), atime, mtime);
    expect(await walked()).toEqual(["claude"]);
    expect(dump(own)).toEqual(await dumpAtOnce(home));
  });

  it("is gone after a look at another home", async () => {
    const other = mkdtempSync(join(tmpdir(), "baton-other-"));
    await walked({ dir: other });
    await walked({ dir: home });
    expect(dump(own)).toEqual(await dumpAtOnce(home));
  });

  it("need not be searchable for a list, and has to be for a search", async () => {
    rmSync(own, { recursive: true });
    await walked({ words: false });
    expect(await walked({ words: false })).not.toEqual([]);
    expect(await walked({ words: false })).toEqual([]);
    expect(await walked({ words: true })).toEqual(adapters.map(({ id }) => id));
    expect(dump(own)).toEqual(await dumpAtOnce(home));
  });

  it("is listed once it is searchable", async () => {
    expect(await walked({ words: false })).toEqual([]);
    appendFileSync(path(CLAUDE), `{"type":"title","title":"Another"}\n`);
    expect(await walked({ words: false })).toEqual(["claude"]);
  });
});

it("is about the projects that were known", async () => {
  const project = join(home, "project");
  mkdirSync(join(project, ".conversations"), { recursive: true });
  writeFileSync(join(project, ".conversations/one.jsonl"), `{"role":"user","content":"hello"}\n`);
  expect(await walked({ projects: [project] })).toEqual(["opencode", "conversation"]);
  expect(dump(own).sessions).toHaveLength(count + 1);
});

describe("of files that changed just now", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }));
  afterEach(() => void vi.useRealTimers());

  it("is not kept until they have not changed for a while", async () => {
    utimesSync(path(CLAUDE), now, now);
    await walked();
    expect([await walked(), await walked()]).toEqual([["claude"], ["claude"]]);
    vi.setSystemTime(now.getTime() + 10_000);
    expect([await walked(), await walked()]).toEqual([["claude"], []]);
  });

  it.each(["before", "behind"] as const)(
    "is not kept because the walk took a while %s them",
    async (when) => {
      const others = new Date(now.getTime() + (when === "before" ? -10_000 : 10_000));
      utimesSync(path(CLAUDE), now, now);
      await walked();
      vi.setSystemTime(when === "before" ? others : now);
      const meanwhile = (at: string) => vi.setSystemTime(at === "before" || when === "before" ? now : others);
      expect(await walked({ meanwhile })).toEqual(["claude"]);
      vi.setSystemTime(now);
      expect(await walked()).toEqual(["claude"]);
    },
  );
});

it("is not kept where something could not be looked at", async () => {
  const store = path(".claude/projects");
  renameSync(store, path("away"));
  writeFileSync(store, "");
  await walked();
  expect(await walked()).toContain("claude");
});

describe("is not kept where more counts than what was looked at:", () => {
  it("where a link leads that would lead round in circles", async () => {
    const link = path(".codex/sessions/more");
    symlinkSync(path(".codex"), link);
    expect([await walked(), await walked(), await walked()]).toEqual(Array(3).fill(["codex"]));
    const other = mkdtempSync(join(tmpdir(), "baton-other-"));
    cpSync(path(".codex/sessions"), other, { recursive: true, filter: (name) => name !== link });
    rmSync(path(".codex/sessions"), { recursive: true });
    mkdirSync(path(".codex/sessions"));
    symlinkSync(other, link);
    await walked();
    expect(there(dump(own))).toEqual(there(await dumpAtOnce(home)));
  });

  it("whether a file can be read", async () => {
    writeFileSync(path(".claude/__store.db"), "no database");
    utimesSync(path(".claude/__store.db"), new Date(1e12), new Date(1e12));
    expect([await walked(), await walked(), await walked()]).toEqual(Array(3).fill(["claude"]));
  });
});
