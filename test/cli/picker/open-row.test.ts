// The session of a row is opened by its file, and by its id where a file holds several.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findSessions, summarise } from "../../../src/catalog/scan.ts";
import { newContext } from "../../../src/cli/context.ts";
import { openRow } from "../../../src/cli/picker/open-row.ts";
import { readPreview } from "../../../src/cli/picker/preview.ts";
import type { RowLine } from "../../../src/storage/rows.ts";
import { newDatabase } from "../../adapters/opencode/database.ts";

const FIXTURES = new URL("../../adapters/opencode/fixtures/", import.meta.url);

const linesOf = (name: string): RowLine[] =>
  readFileSync(new URL(`${name}/native/opencode.db.jsonl`, FIXTURES), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("each session of a database has a preview of its own", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-rows-"));
  const others = linesOf("compacted").filter(({ table }) => table !== "project");
  newDatabase(join(home, ".local/share/opencode/opencode.db"), [...linesOf("parts"), ...others]);
  const context = newContext({ home });
  const found = (await findSessions(context.home, await context.adapters())).filter(({ ref }) => !ref.parent);
  expect(found.length).toBeGreaterThan(1);
  for (const one of found) {
    const session = await summarise(one);
    const source = await openRow(context, session);
    expect(source.header.source.originalId).toBe(one.ref.originalId);
    const preview = await readPreview(source, session.updated, () => true);
    expect(preview?.counts.prompts).toBeGreaterThan(0);
    expect(preview?.firstPrompt).not.toBe("");
  }
});

it("a preview that is not wanted any more is not read to its end", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-rows-"));
  newDatabase(join(home, ".local/share/opencode/opencode.db"), linesOf("parts"));
  const context = newContext({ home });
  const [first] = await findSessions(context.home, await context.adapters());
  const source = await openRow(context, await summarise(first as NonNullable<typeof first>));
  let asked = 0;
  expect(await readPreview(source, "", () => ++asked < 3)).toBeUndefined();
  expect(asked).toBe(3);
});
