// The reader takes records one at a time: stopping anywhere and going on later must make no difference, nor
// must cutting long strings.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import type { Folded } from "../../../src/session/source.ts";
import { type NativeRecord, readRecords } from "../../../src/storage/records.ts";
import { shrink } from "../../../src/storage/shrink.ts";
import { FIXTURES, pathOf } from "./open.ts";

const names = readdirSync(FIXTURES);

async function recordsOf(path: string): Promise<NativeRecord[]> {
  const found: NativeRecord[] = [];
  for await (const batch of readRecords(path))
    found.push(...batch.map((one) => ({ ...one, bytes: Buffer.alloc(0) })));
  return found;
}

describe.each(names)("%s", (name) => {
  it("folds the same with a stop after every record", async () => {
    const path = await pathOf(name);
    const ref = { path, originalId: "session" };
    const whole = claude.fold.initial(ref);
    let pieces = JSON.stringify(claude.fold.initial(ref));
    for (const record of await recordsOf(path)) {
      const state = JSON.parse(pieces);
      expect(claude.fold.step(state, record)).toEqual(claude.fold.step(whole, record));
      pieces = JSON.stringify(state);
      expect(pieces.length).toBeLessThan(64 << 10);
    }
  });

  it("keeps its structure when long strings are cut", async () => {
    const path = await pathOf(name);
    const inWhole = claude.fold.initial({ path, originalId: "session" });
    const inPart = claude.fold.initial({ path, originalId: "session" });
    for (const line of readFileSync(path, "utf8").split("\n")) {
      const long = lengthened(line);
      const short = long === undefined ? undefined : shrink(Buffer.from(long));
      if (long === undefined || short === undefined) continue;
      const whole = claude.fold.step(inWhole, record(JSON.parse(long), true));
      const cut = claude.fold.step(inPart, record(JSON.parse(short), false));
      expect(cut.map(structure)).toEqual(whole.map(structure));
    }
  });
});

function record(value: unknown, whole: boolean): NativeRecord {
  const bytes = Buffer.alloc(0);
  return { index: 0, line: 1, offset: 0, length: 0, value, whole, terminated: true, losses: [], bytes };
}

const LONG = ["text", "thinking", "content", "command", "old_string", "prompt", "stdout"];

/** The record with every text made very long. */
function lengthened(line: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(line), (key, value) =>
      LONG.includes(key) && typeof value === "string" ? `${value} ${"long ".repeat(5000)}` : value,
    );
  } catch {
    // Some fixtures hold damaged lines.
    return undefined;
  }
}

function structure(folded: Folded): unknown {
  if (folded.type !== "entry") return folded.type === "header" ? folded.type : folded;
  const { id, type, parent, turn, injected, note } = folded.entry;
  const callId = folded.entry.type === "tool_result" ? folded.entry.callId : undefined;
  const tool = folded.entry.type === "tool_call" ? folded.entry.tool : undefined;
  return { id, type, parent, turn, injected, note, callId, tool, keepsRun: folded.keepsRun };
}
