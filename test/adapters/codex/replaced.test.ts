// Every tool output of every recorded session takes another text: its model then sees the new one and no word of the
// old, and what only the old output said is reported.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { ToolResult } from "../../../src/session/session.ts";
import { edited, editsFor } from "../../../src/transform/edit.ts";
import { thread } from "../../../src/transform/visible.ts";
import { applied, fixtureNames, fixtureRefs, privateHome, targetIn, writeAll } from "./store.ts";

const NEW = "something else\nin two lines";

interface Place {
  name: string;
  id: string;
  open: () => ReturnType<typeof codex.open>;
}

async function placesIn(name: string): Promise<Place[]> {
  const places: Place[] = [];
  for (const ref of await fixtureRefs(name)) {
    const open = () => codex.open(ref);
    for await (const entry of thread(await open()).entries())
      if (entry.type === "tool_result") places.push({ name, id: entry.id, open });
  }
  return places;
}

/** What a search for tools found is no text: the tools themselves are what the model gets. */
const TOOLS = "legacy-tools r69";

const places = (await Promise.all(fixtureNames.map(placesIn)))
  .flat()
  .filter(({ name, id }) => `${name} ${id}` !== TOOLS);

describe.each(places)("$name $id", ({ id, open }) => {
  test("takes another text", async () => {
    const source = await open();
    const edits = editsFor(source, { drop: [], replace: [{ entry: id, content: NEW }] });
    const target = targetIn(await privateHome());
    const found = await writeAll(edited(thread(source), edits), target);
    expect(found.losses.filter(({ kind }) => kind === "edit_ignored")).toEqual([]);
    const { source: copy } = await applied(found, target);
    const results = (await Array.fromAsync(copy.entries())).filter((entry) => entry.type === "tool_result");
    const old = (await Array.fromAsync(source.entries())).find((entry) => entry.id === id) as ToolResult;
    const now = results.find(({ output }) => output === NEW);
    expect(now?.callId).toBe(old.callId);
    const gone = ["success", "details"].filter(
      (field) => JSON.stringify(now?.[field as "success"]) !== JSON.stringify(old[field as "success"]),
    );
    // The oldest generations are written anew.
    if (found.losses.some(({ kind }) => kind === "records_dropped")) return;
    const told = found.losses.filter(({ kind, at }) => kind === "outcome_dropped" && at.entry === id);
    expect(told.map(({ detail }) => detail)).toEqual(
      gone.length === 0 ? [] : [expect.stringContaining(gone.join(", "))],
    );
  });
});

test("what a search for tools found is not replaced, and that is said", async () => {
  const [ref] = await fixtureRefs("legacy-tools");
  const source = await codex.open(ref!);
  const edits = editsFor(source, { drop: [], replace: [{ entry: "r69", content: NEW }] });
  const { losses } = await writeAll(edited(thread(source), edits), targetIn(await privateHome()));
  expect(losses).toContainEqual(expect.objectContaining({ kind: "edit_ignored", detail: "output" }));
});
