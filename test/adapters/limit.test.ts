// What the newest sessions of any agent say of a limit, and how much of them is looked at.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileRef } from "../../src/adapters/adapter.ts";
import { fileRef } from "../../src/adapters/folder.ts";
import type { Json } from "../../src/adapters/json.ts";
import { limitIn, limitOf, type Outcome, ownRecords } from "../../src/adapters/limit.ts";
import { switchIn, switchMark } from "../../src/adapters/switched.ts";
import { endingOf } from "../../src/storage/ending.ts";
import { switched } from "../session/switched.ts";
import { dated, homeWith, lines } from "./home.ts";

const now = new Date("2026-11-18T12:00:00Z");
const at = (time: string) => Date.parse(`2026-11-18T${time}:00Z`);

it("what came last counts, a refusal or an answer", () => {
  const refused: Outcome = { at: at("11:00"), said: "no\n more", until: at("13:00") };
  expect(limitOf([refused], now)).toEqual({ said: "no more", until: "2026-11-18T13:00:00.000Z" });
  expect(limitOf([refused, { at: at("11:30") }], now)).toBeUndefined();
  expect(limitOf([{ at: at("10:30") }, refused], now)?.said).toBe("no more");
  expect(limitOf([], now)).toBeUndefined();
});

it("is over when its time has come, and after an hour where it has none", () => {
  const refused = { at: at("10:00"), said: "no" };
  expect(limitOf([{ ...refused, until: at("12:00") }], now)).toBeUndefined();
  expect(limitOf([refused], now)).toBeUndefined();
  expect(limitOf([{ ...refused, at: at("11:01") }], now)).toEqual({ said: "no" });
  expect(limitOf([{ ...refused, at: at("11:01"), until: Number.MAX_VALUE }], now)).toEqual({ said: "no" });
  expect(limitOf([{ ...refused, said: "x".repeat(9000), at: at("11:01") }], now)?.said).toHaveLength(300);
});

it("the five newest files of eight days are looked at, the newest record first", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "old"];
  const home = await homeWith(
    Object.fromEntries(names.map((name) => [name, lines({ name }, { name, n: 2 })])),
  );
  for (const [index, name] of names.entries()) dated(home, name, `2026-11-1${8 - (index % 7)}T00:00:00Z`);
  dated(home, "old", "2026-11-09T00:00:00Z");
  const seen: unknown[] = [];
  const look = (records: Iterable<Json>) => {
    seen.push([...records].map(({ name, n }) => [name, n]));
    return undefined;
  };
  const files = names.toReversed().flatMap((name) => fileRef(join(home.dir, name), "main") ?? []);
  expect(limitIn(files, now, { badge: "own", outcomeIn: look })).toBeUndefined();
  expect(seen).toEqual(
    ["a", "b", "c", "d", "e"].map((name) => [
      [name, 2],
      [name, undefined],
    ]),
  );
});

describe("of a session that changed hands", () => {
  const mark = (from: string, to: string): Json =>
    switchMark(switched("s", { fromProvider: from, toProvider: to }));
  /** Records are given in their order, and looked at from their end. */
  const own = (...records: (string | Json)[]) => {
    const all = records.map((one) => (typeof one === "string" ? { said: one } : one));
    return [...ownRecords(all.toReversed(), "own", switchIn)].map(({ said }) => said);
  };

  it("what was carried in counts for nothing", () => {
    expect(own("theirs", mark("other", "own"))).toEqual([]);
    expect(own("theirs", mark("other", "own"), "mine", "mine too")).toEqual(["mine too", "mine"]);
    // Of the same vendor, and nevertheless not said here.
    expect(own("theirs", mark("own", "own"))).toEqual([]);
  });

  it("what the agent had said itself counts, whoever went on in between", () => {
    const [away, back] = [mark("own", "other"), mark("other", "own")];
    expect(own("mine", away, "theirs", back, "again")).toEqual(["again", "mine"]);
    expect(own("mine", away, "theirs", back, "more of theirs", back)).toEqual(["mine"]);
    expect(own("mine", away, "theirs", mark("other", "third"), "a third", mark("third", "own"))).toEqual([
      "mine",
    ]);
  });

  it("all of it counts where nothing says that it did", () => {
    expect(own("a", "b")).toEqual(["b", "a"]);
    expect(own("a", { baton: { switch: { toProvider: "own" } } }, "b")).toEqual(["b", undefined, "a"]);
  });
});

it("a file without anything of the agent's own does not take the place of another", async () => {
  const names = ["1", "2", "3", "4", "5", "6", "7"];
  const home = await homeWith(Object.fromEntries(names.map((name) => [name, lines({ name })])));
  for (const name of names) dated(home, name, `2026-11-1${8 - Number(name)}T00:00:00Z`);
  const seen: unknown[] = [];
  limitIn(
    names.flatMap((name) => fileRef(join(home.dir, name), "main") ?? []),
    now,
    {
      badge: "own",
      outcomeIn: ([record]) => void seen.push(record?.name),
      isOwn: ({ path }) => !path.endsWith("2"),
    },
  );
  expect(seen).toEqual(["1", "3", "4", "5", "6"]);
});

it("only the end of a long file is read, in whole lines, and damage is passed over", async () => {
  const long = lines({ n: 1 }, { text: "x".repeat(1 << 20) }, { text: "y".repeat(1 << 17) }, { n: 2 });
  const home = await homeWith({ long: `${long}{"n":\n[]\n\n{"n":3}`, empty: "", none: "folder" });
  const file = (name: string): FileRef => ({
    path: join(home.dir, name),
    role: "main",
    size: 0,
    mtimeMs: now.getTime(),
    inode: 0,
  });
  const seen: unknown[] = [];
  const look = (records: Iterable<Json>) => {
    for (const { n } of records) seen.push(n);
    return undefined;
  };
  limitIn([file("long"), file("empty"), file("none"), file("missing")], now, {
    badge: "own",
    outcomeIn: look,
  });
  expect(seen).toEqual([3, 2, undefined]);
  expect(endingOf(file("long").path, 8)).toEqual(['{"n":3}']);
});
