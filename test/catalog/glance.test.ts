// A glance tells the catalog what the fold would, or leaves it to the fold: on every fixture, and on files that are
// damaged in any way.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { dump, dumpAtOnce, lay, synced } from "./dump.ts";
import { expectSame, readerOf, readOnce } from "./glanced.ts";

describe.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))("%s", (_, one) => {
  it.each([true, false])("is the same at a glance, words: %s", async (words) => {
    for (const ref of await laidOut(one)) await expectSame(ref, words);
  });
});

/** More of them: `RUNS=5000`. */
const RUNS = Number(process.env.RUNS ?? 200);
const LINES = cases.filter(({ adapter: { id } }) => ["claude", "codex", "gemini"].includes(id));

describe.each(["claude", "codex", "gemini"])("a damaged session of %s", (agent) => {
  it.each([true, false])(
    "is the same at a glance, words: %s",
    async (words) => {
      const own = LINES.filter(({ adapter }) => adapter.id === agent);
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...own),
          fc.array(damage, { minLength: 1, maxLength: 4 }),
          async (one, all) => {
            for (const ref of await laidOut(one)) {
              const lines = readFileSync(ref.path, "utf8").split("\n").slice(0, -1);
              for (const each of all) damaged(lines, each);
              writeFileSync(ref.path, lines.map((line) => `${line}\n`).join(""));
              await expectSame(ref, words);
            }
          },
        ),
        { numRuns: RUNS },
      );
    },
    600_000,
  );
});

describe("a damaged database of opencode", () => {
  const own = cases.filter(({ adapter, fixture }) => adapter.id === "opencode" && fixture !== "tree");

  it("is listed the same at a glance", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...own),
        fc.array(rowDamage, { minLength: 1, maxLength: 4 }),
        async (one, all) => {
          const refs = await laidOut(one);
          for (const path of new Set(refs.map((ref) => ref.path)))
            if (path.endsWith(".db")) for (const each of all) damageRow(path, each);
          for (const ref of refs)
            expect(await readOnce(ref, false, true)).toEqual(await readOnce(ref, false, false));
        },
      ),
      { numRuns: RUNS },
    );
  }, 600_000);
});

type RowDamage = [what: string, row: number, field: number, value: unknown];

const VALUES = [null, "", "other", 7, -1, true, [], {}, { name: "MessageAbortedError" }, { modelID: "m" }];
const rowDamage: fc.Arbitrary<RowDamage> = fc.tuple(
  fc.constantFrom(
    "data of message",
    "data of part",
    "id of part",
    "session of part",
    "time of message",
    "revert",
  ),
  fc.nat({ max: 1000 }),
  fc.nat({ max: 1000 }),
  fc.constantFrom(...VALUES),
);

/** Changes one row. */
function damageRow(path: string, [what, row, field, value]: RowDamage): void {
  const database = new DatabaseSync(path);
  try {
    const table = what === "revert" ? "session" : what.split(" ").at(-1);
    if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table ?? "")) return;
    const rows = database.prepare(`SELECT rowid AS n, * FROM ${table}`).all();
    const chosen = rows[row % Math.max(1, rows.length)];
    const other = rows[field % Math.max(1, rows.length)];
    if (!chosen || !other) return;
    const set = (column: string, to: SQLInputValue) =>
      database
        .prepare(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE rowid = ?`)
        .run(to, chosen.n as number);
    if (what.startsWith("data")) set("data", withField(String(chosen.data), field, value));
    else if (what === "id of part") set("id", `prt_${String(other.id).slice(-9)}`);
    else if (what === "session of part")
      set("session_id", field % 2 ? "ses_other" : String(other.session_id));
    else if (what === "time of message") set("time_created", other.time_created as number);
    else {
      const [message] = database
        .prepare("SELECT id FROM message WHERE session_id = ?")
        .all(String(chosen.id));
      const partID = field % 2 ? "prt_none" : undefined;
      set("revert", JSON.stringify({ messageID: message?.id, partID }));
    }
  } finally {
    database.close();
  }
}

/** Recorded from the agents' own CLIs, and never gone back in. */
const RECORDED: Record<string, readonly string[]> = {
  claude: ["tools"],
  codex: ["paginated-tools", "legacy-tools"],
  gemini: ["tools"],
  opencode: ["recorded"],
};
const PLAIN = cases.filter(({ adapter, fixture }) => RECORDED[adapter.id]?.includes(fixture));

describe.each(PLAIN.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))("%s", (_, one) => {
  it("is plain, and most of its replies and results are told without being folded", async () => {
    const glanced = { all: 0, light: 0 };
    for (const ref of await laidOut(one)) {
      const { glance, fold, ref: own } = await readerOf(ref).reading(ref);
      const state = fold.initial(own);
      const listing = { ...SILENT, entry: () => glanced.light++ };
      const take = (value: unknown, index: number) => {
        if (fold.glance?.(state, value, index, listing)) return true;
        const folded = fold.step(state, { ...RECORD, value, index });
        glanced.all += folded.filter(({ type }) => type === "entry").length;
        return true;
      };
      expect(glance?.(take, { isWhole: false, largest: 1 << 20 })).toBe(true);
    }
    expect(glanced.light).toBeGreaterThan(glanced.all);
  });
});

it("is tried on fixtures that are there", () => {
  expect(PLAIN.length).toBe(Object.values(RECORDED).flat().length);
});

describe("a session that was only listed", () => {
  const listed = async (home: string, own: string) => {
    await synced(home, own, { words: false });
    return { rows: dump(own).sessions, cursors: cursorsIn(own) };
  };

  it("has no cursor until it grows, and is then what one look at it says", async () => {
    const root = mkdtempSync(join(tmpdir(), "baton-glance-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const home = join(root, "home");
    lay(home, "claude", "codex");
    const first = await listed(home, join(root, "own"));
    expect(first.rows.length).toBeGreaterThan(1);
    expect(first.cursors).toBe(0);
    const path = sessionsIn(home).find((file) => /projects\/[^/]+\/[^/]+\.jsonl$/.test(file)) as string;
    const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) as string);
    const said = { type: "user", message: { role: "user", content: "One more prompt." } };
    for (const uuid of ["1", "2"]) {
      const line = { ...said, uuid, parentUuid: last.uuid ?? null, timestamp: "2027-01-01T00:00:00.000Z" };
      appendFileSync(path, `${JSON.stringify(line)}\n`);
      const grown = await listed(home, join(root, "own"));
      expect(grown.cursors).toBe(1);
      expect(seen(grown.rows)).toEqual(seen((await listed(home, join(root, `fresh-${uuid}`))).rows));
    }
    await synced(home, join(root, "own"));
    expect(dump(join(root, "own"))).toEqual(await dumpAtOnce(home));
  });

  /** What the model does not see is looked at when words are wanted. */
  const seen = (rows: readonly object[]) => rows.map((row) => ({ ...row, hidden: undefined }));
});

function cursorsIn(batonHome: string): number {
  const catalog = openCatalog(batonHome);
  try {
    const counts = catalog.shards.map((shard) => shard.prepare("SELECT count(*) AS n FROM cursor").get()?.n);
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  } finally {
    catalog.close();
  }
}

function sessionsIn(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => join(home, name));
}

const SILENT = { isWhole: false, alias: () => undefined, usage: () => undefined, patch: () => undefined };
const RECORD = {
  ...{ line: 1, offset: 0, length: 0, whole: false, terminated: true },
  losses: [],
  bytes: Buffer.alloc(0),
};

type Damage =
  | [kind: "drop" | "again" | "swap" | "cut" | "blank", line: number]
  | [kind: "move" | "copy", line: number, to: number]
  | [kind: "set", line: number, field: number, value: unknown];

const place = fc.nat({ max: 10_000 });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.constantFrom("drop", "again", "swap", "cut", "blank"), place) as fc.Arbitrary<Damage>,
  fc.tuple(fc.constantFrom("move", "copy"), place, place) as fc.Arbitrary<Damage>,
  fc.tuple(
    fc.constant("set"),
    place,
    place,
    fc.constantFrom(undefined, null, "", " ", "other", 7, -1, true, false, [], {}, [null], ["x"], {
      type: "text",
    }),
  ) as fc.Arbitrary<Damage>,
);

/** Changes the lines in place. */
function damaged(lines: string[], [kind, at, field = 0, value]: Damage): void {
  if (lines.length === 0) return;
  const index = at % lines.length;
  const line = lines[index] as string;
  if (kind === "drop") lines.splice(index, 1);
  else if (kind === "again") lines.push(line);
  else if (kind === "swap") [lines[index], lines[0]] = [lines[0] as string, line];
  else if (kind === "cut") lines[index] = line.slice(0, Math.floor(line.length / 2));
  else if (kind === "blank") lines[index] = "";
  else if (kind === "move") lines.splice(field % lines.length, 0, ...lines.splice(index, 1));
  else if (kind === "copy") lines[index] = withField(line, field, fieldOf(lines[0] as string, field));
  else lines[index] = withField(line, field, value);
}

/** A value of a line, however deep. */
function fieldOf(line: string, number: number): unknown {
  let found: unknown;
  atField(line, number, (object, key) => {
    found = object[key];
  });
  return found;
}

/** The line with one of its values, however deep, replaced; undefined takes it out. */
function withField(line: string, number: number, value: unknown): string {
  return atField(line, number, (object, key) => {
    object[key] = value;
  });
}

/** The line after `change` has had one of its fields. */
function atField(
  line: string,
  number: number,
  change: (object: Record<string, unknown>, key: string) => void,
): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // Damaged before.
    return line;
  }
  const places: [object: Record<string, unknown>, key: string][] = [];
  const visit = (one: unknown) => {
    if (typeof one !== "object" || one === null) return;
    for (const key of Object.keys(one)) {
      places.push([one as Record<string, unknown>, key]);
      visit((one as Record<string, unknown>)[key]);
    }
  };
  visit(parsed);
  const [object, key] = places[number % Math.max(1, places.length)] ?? [];
  if (object && key !== undefined) change(object, key);
  return JSON.stringify(parsed);
}
