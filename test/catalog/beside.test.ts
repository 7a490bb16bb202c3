// Long outputs that stand in files beside the session are found to their last word, as the result's.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { findSessions } from "../../src/catalog/scan.ts";
import { parseQuery } from "../../src/catalog/search/query.ts";
import { search } from "../../src/catalog/search/search.ts";
import { dump, synced } from "./dump.ts";

const ID = "00000000-0000-4000-8000-00000000beef";
const line = (record: object) => `${JSON.stringify(record)}\n`;

const SHOWN = expect.stringMatching(/in the way -+ lastwordofall$/);

it("a word at the end of an output of several megabytes is found", async () => {
  const root = mkdtempSync(join(tmpdir(), "baton-beside-"));
  const folder = join(root, "home/.claude/projects/-p");
  const outputs = join(folder, ID, "tool-results");
  mkdirSync(outputs, { recursive: true });
  const stored = join(outputs, "toolu_1.txt");
  writeFileSync(
    stored,
    `${"plenty in the way --------------------------------\n".repeat(30_000)}lastwordofall`,
  );
  const common = { sessionId: ID, cwd: "/p", version: "2.1.325", timestamp: "2026-01-02T03:04:05.000Z" };
  const path = join(folder, `${ID}.jsonl`);
  const call = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "log" } };
  const result = `<persisted-output>\nOutput too large. Full output saved to: ${stored}\nPreview: plenty\n</persisted-output>`;
  writeFileSync(
    path,
    line({
      ...common,
      type: "user",
      uuid: "u1",
      parentUuid: null,
      message: { role: "user", content: "go" },
    }) +
      line({
        ...common,
        type: "assistant",
        uuid: "u2",
        parentUuid: "u1",
        message: { id: "m1", role: "assistant", model: "m", content: [call] },
      }) +
      line({
        ...common,
        type: "user",
        uuid: "u3",
        parentUuid: "u2",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: result }],
        },
      }),
  );
  await synced(join(root, "home"), join(root, "baton"));
  // A session that goes on has the words of the file once.
  appendFileSync(
    path,
    line({ ...common, type: "user", uuid: "u4", parentUuid: "u3", message: { role: "user", content: "on" } }),
  );
  await synced(join(root, "home"), join(root, "baton"));
  expect(dump(join(root, "baton")).words.filter((word) => word.includes('"lastwordofall"')).length).toBe(1);
  const catalog = openCatalog(join(root, "baton"));
  const find = async () =>
    (await search(catalog, parseQuery("lastwordofall tool:bash"), async () => adapters)).hits;
  const shown = { scope: "tool_output", position: 2, tool: "Bash", snippet: SHOWN };
  expect(await find()).toMatchObject([shown]);
  // Of a session that is gone, its line comes from the archive.
  const home = { dir: join(root, "home"), env: {} };
  await archiveSessions(join(root, "baton"), await findSessions(home, adapters));
  rmSync(path);
  rmSync(stored);
  await synced(home.dir, join(root, "baton"));
  expect(await find()).toMatchObject([{ ...shown, gone: true }]);
  catalog.close();
});
