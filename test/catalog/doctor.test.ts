// Which sessions are said to be deleted soon: each agent by what its own clean-up goes by.
import { appendFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.ts";
import { claude } from "../../src/adapters/claude/index.ts";
import { codex } from "../../src/adapters/codex/index.ts";
import { gemini } from "../../src/adapters/gemini/index.ts";
import { opencode } from "../../src/adapters/opencode/index.ts";
import { examine } from "../../src/catalog/doctor.ts";
import { newPlace, type Place, samplePlace, write } from "./archived.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-06-01T00:00:00.000Z");

async function dueIn({ home }: Place, adapter: Adapter): Promise<string[]> {
  const { dueForDeletion } = await examine(adapter, home, undefined, { now: NOW });
  return dueForDeletion.map(({ path }) => path);
}

function setTime(path: string, days: number): void {
  utimesSync(path, new Date(NOW - days * DAY), new Date(NOW - days * DAY));
}

function mainOf({ home }: Place, adapter: Adapter): string {
  return [...adapter.discover(home)].find(({ parent }) => parent === undefined)?.path ?? "";
}

const said = (text: string) => JSON.stringify({ id: text, type: "user", content: [{ text }] });

/** A log of Gemini CLI that was used that many days ago; its file is new. */
function geminiLog(place: Place, name: string, days: number, lines = [said("hello")]): string {
  const lastUpdated = new Date(NOW - days * DAY).toISOString();
  const head = { sessionId: `${name}-0000-4000-8000-000000000000`, projectHash: "0", lastUpdated };
  const path = join(place.home.dir, ".gemini/tmp/shop/chats", `session-2026-01-01T00-00-${name}.jsonl`);
  write(path, [JSON.stringify(head), ...lines, ""].join("\n"));
  setTime(path, 0);
  return path;
}

const settings = (place: Place, sessionRetention: object) =>
  write(join(place.home.dir, ".gemini/settings.json"), JSON.stringify({ general: { sessionRetention } }));

describe("sessions that are due", () => {
  it("go by the file's time with Claude Code", async () => {
    const place = await samplePlace();
    const path = mainOf(place, claude);
    setTime(path, 10);
    expect(await dueIn(place, claude)).toEqual([]);
    setTime(path, 26);
    expect(await dueIn(place, claude)).toEqual([path]);
  });

  it.each([codex, opencode])("are none with $label, which deletes nothing by itself", async (adapter) => {
    const place = await samplePlace();
    setTime(mainOf(place, adapter), 4000);
    expect(await dueIn(place, adapter)).toEqual([]);
  });

  it("go by what stands in the file with Gemini CLI, whatever time the file has", async () => {
    const place = newPlace();
    const old = geminiLog(place, "aaaaaaaa", 26);
    const young = geminiLog(place, "bbbbbbbb", 10);
    setTime(young, 400);
    expect(await dueIn(place, gemini)).toEqual([old]);
    // The last word counts.
    const set = { $set: { lastUpdated: new Date(NOW).toISOString() } };
    appendFileSync(old, `${JSON.stringify(set)}\n`);
    expect(await dueIn(place, gemini)).toEqual([]);
  });

  it("go by it in the single object of its first generation", async () => {
    const place = newPlace();
    const path = join(place.home.dir, ".gemini/tmp/shop/chats/session-2025-09-01T00-00-cccccccc.json");
    const session = (lastUpdated: string) => ({
      sessionId: "cccccccc-0000-4000-8000-000000000000",
      projectHash: "0",
      startTime: lastUpdated,
      lastUpdated,
      messages: [{ id: "1", type: "user", content: "hello" }],
    });
    write(path, JSON.stringify(session("2025-09-01T00:00:00.000Z"), null, 2));
    expect(await dueIn(place, gemini)).toEqual([path]);
    writeFileSync(path, JSON.stringify(session(new Date(NOW).toISOString()), null, 2));
    expect(await dueIn(place, gemini)).toEqual([]);
  });

  it("are those that Gemini CLI cannot resume, however new they are", async () => {
    const place = newPlace();
    const commands = geminiLog(place, "aaaaaaaa", 0, [said("/help")]);
    const rewind = JSON.stringify({ $rewindTo: "hello" });
    const takenBack = geminiLog(place, "bbbbbbbb", 0, [said("hello"), rewind]);
    geminiLog(place, "cccccccc", 0, [said("hello"), said("more"), JSON.stringify({ $rewindTo: "more" })]);
    expect((await dueIn(place, gemini)).toSorted()).toEqual([commands, takenBack]);
  });

  it("are what is more than Gemini CLI is told to keep, by its own order", async () => {
    const place = newPlace();
    settings(place, { maxCount: 1 });
    geminiLog(place, "aaaaaaaa", 1);
    const older = geminiLog(place, "bbbbbbbb", 2);
    expect(await dueIn(place, gemini)).toEqual([older]);
  });

  it.each([
    [{ enabled: false }, null],
    [{}, 30],
    [{ maxAge: "2w" }, 14],
    [{ maxAge: "12h" }, null],
    [{ maxAge: "12h", minRetention: "1h" }, 0.5],
    [{ maxAge: "a month" }, null],
    [{ maxAge: "0d" }, null],
    [{ maxCount: 0 }, null],
    [{ maxAge: "", maxCount: 3 }, null],
  ])("the rule %j of Gemini CLI means %s days", async (rule, days) => {
    const place = newPlace();
    settings(place, rule);
    geminiLog(place, "aaaaaaaa", 1000);
    const { retentionDays, dueForDeletion } = await examine(gemini, place.home, undefined, { now: NOW });
    expect(retentionDays).toBe(days);
    expect(dueForDeletion).toHaveLength(days === null ? 0 : 1);
  });
});

it("settings that cannot be read are named, since what they say of keeping sessions is not known", async () => {
  const place = await samplePlace();
  const path = join(place.home.dir, ".gemini/settings.json");
  settings(place, { enabled: true });
  expect((await examine(gemini, place.home)).unreadable).toEqual([]);
  write(path, "{");
  expect((await examine(gemini, place.home)).unreadable).toEqual([
    { path, problem: "these settings cannot be read" },
  ]);
});
