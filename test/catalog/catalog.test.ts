// The catalog as files: damaged, of another version, missing, made anew while others use it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { discardCatalog, openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { dump, dumpAtOnce, lay, shardsIn, synced } from "./dump.ts";

let home: string;
let own: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "baton-catalog-"));
  home = join(root, "home");
  own = join(root, "baton");
});

const atOnce = () => dumpAtOnce(home);

describe("a catalog", () => {
  beforeEach(() => lay(home, "claude", "codex"));

  const shards = () => shardsIn(own);

  it("that is no database is made anew, with a message", async () => {
    await synced(home, own);
    for (const path of shards()) writeFileSync(path, "something else altogether");
    const catalog = openCatalog(own);
    expect(catalog.rebuilt).toEqual([expect.stringMatching(/shard-0\.db is damaged\. It is made anew/)]);
    catalog.close();
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("is not written to when nothing has changed", async () => {
    lay(home, "claude", "opencode");
    // A database that has just been written to is looked at again.
    utimesSync(join(home, ".local/share/opencode/opencode.db"), new Date(0), new Date(0));
    await synced(home, own);
    // Once, that nothing has changed is noted.
    await synced(home, own);
    const asItWas = () => shards().map((path) => [statSync(path).mtimeMs, existsSync(`${path}-wal`)]);
    const before = asItWas();
    expect(before.map(([, hasLog]) => hasLog)).toEqual(Array(4).fill(false));
    await synced(home, own);
    expect(asItWas()).toEqual(before);
  });

  it("whose folder cannot be written to is said to be so", () => {
    // A folder in the place of a file stops the administrator as well.
    mkdirSync(join(own, "catalog", "rebuild.lock"), { recursive: true });
    expect(() => openCatalog(own)).toThrow(expect.objectContaining({ code: "not_writable" }));
  });

  it("is nobody else's to read", async () => {
    await synced(home, own);
    expect(shards().map((path) => statSync(path).mode & 0o777)).toEqual(Array(4).fill(0o600));
  });

  it.each([0, 3])("of which shard %i is missing is made anew", async (number) => {
    await synced(home, own);
    rmSync(shards()[number] as string);
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("of an earlier version is removed, one of a later version stays", async () => {
    for (const name of ["1-1700000000000", "99-1700000000000"])
      mkdirSync(join(own, "catalog", name), { recursive: true });
    writeFileSync(join(own, "catalog", "shard-0.db"), "");
    writeFileSync(join(own, "catalog", "mine.txt"), "");
    const catalog = openCatalog(own);
    catalog.close();
    expect(catalog.rebuilt).toEqual([expect.stringContaining("made by another version of Baton")]);
    expect(readdirSync(join(own, "catalog")).toSorted()).toEqual(
      [basename(catalog.folder), "99-1700000000000", "mine.txt", "rebuild.lock"].toSorted(),
    );
  });

  it("that another process makes anew meanwhile can be used to the end", async () => {
    await synced(home, own);
    const before = openCatalog(own);
    discardCatalog(own);
    expect(listSessions(before, {}).total).toBe(2);
    before.close();
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("that was made anew by another process since is left alone", async () => {
    const seen = openCatalog(own);
    seen.close();
    discardCatalog(own);
    await synced(home, own);
    discardCatalog(own, seen);
    expect(dump(own)).toEqual(await atOnce());
  });

  it("of another version is made anew, with a message", async () => {
    await synced(home, own);
    const old = new DatabaseSync(shards()[1] as string);
    old.exec("PRAGMA user_version = 99");
    old.close();
    const catalog = openCatalog(own);
    expect(catalog.rebuilt).toEqual([expect.stringContaining("made by another version of Baton")]);
    catalog.close();
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  });
});
