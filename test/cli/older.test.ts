// Sessions of stores that today's CLI does not look into, because they are older or of another channel: going on with them makes a new session that it
// finds, and says why.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildDatabases, emptyStore, newGoDatabase } from "../adapters/opencode/database.ts";
import { newPlace, type Place, run } from "./transcript.ts";

const TREE = join(import.meta.dirname, "../adapters/opencode/fixtures/tree/native");
const OLDER = join(import.meta.dirname, "../adapters/opencode/fixtures/older/native");
const CHANNEL = join(import.meta.dirname, "../adapters/opencode/fixtures/compacted/native");
const CHANNEL_ID = "ses_e34fffffd000Compact0fixtur1";
const TREE_ID = "ses_700000000000Tree00fixture01";

let place: Place;
beforeEach(() => {
  place = newPlace();
  emptyStore(place.home);
});
afterEach(() => place.remove());

function addTree(): void {
  cpSync(TREE, join(place.home, ".local/share/opencode"), { recursive: true });
}

function addOlder(): void {
  cpSync(OLDER, join(place.home, ".local/share/opencode"), { recursive: true });
}

function addGo(): void {
  const parts = JSON.stringify([{ type: "text", data: { text: "What does it cost?" } }]);
  const times = { created_at: 1_750_000_000, updated_at: 1_750_000_000 };
  mkdirSync(join(place.root, "work/.opencode"));
  newGoDatabase(join(place.root, "work/.opencode/opencode.db"), [
    { table: "sessions", row: { id: "0a1b", title: "Prices", ...times } },
    { table: "messages", row: { id: "m1", session_id: "0a1b", role: "user", parts, ...times } },
  ]);
}

function addChannel(): void {
  const store = join(place.home, ".local/share/opencode");
  const made = join(place.root, "made");
  cpSync(CHANNEL, made, { recursive: true });
  buildDatabases(made);
  cpSync(join(made, "opencode.db"), join(store, "opencode-dev.db"));
}

describe.each([
  ["the JSON tree", addTree, TREE_ID],
  ["the tree before it", addOlder, "ses_800000000000Older0fixture1"],
  ["the Go version", addGo, "0a1b"],
  ["another channel", addChannel, CHANNEL_ID],
])("a session of %s", (_, add, id) => {
  it("is resumed as a new session of today's store, which is said", () => {
    add();
    const { status, stdout, stderr } = run(place, `baton resume opencode:${id} --json --yes`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const told = JSON.parse(stdout);
    expect(told.originalId).not.toBe(id);
    expect(told.path).toBe(join(place.home, ".local/share/opencode/opencode.db"));
    expect(told.command.argv).toEqual(["opencode", "-s", told.originalId]);
    expect(told.warnings).toContain(
      "This session is of an older OpenCode or of another channel's, and today's does not find it: it goes on in a new session.",
    );
    expect(told.operation).not.toBeNull();
    const listed = JSON.parse(run(place, "baton list --agent opencode --json").stdout).sessions;
    expect(listed.map((row: { originalId: string }) => row.originalId).sort()).toEqual(
      [id, told.originalId].sort(),
    );
  });

  it("is not named as what to go on with when there is nothing to return to it", () => {
    add();
    const carried = JSON.parse(run(place, `baton resume opencode:${id} --in claude --json --yes`).stdout);
    const { status, stdout, stderr } = run(place, `baton return claude:${carried.originalId} --yes`);
    expect({ status, stdout }).toEqual({ status: 5, stdout: "" });
    expect(stderr).toContain(`\`baton resume opencode:${id}\` goes on with it in a new session.`);
  });
});
