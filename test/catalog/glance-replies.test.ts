// Replies that say more than a reply does are the same at a glance.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { expectSame, readerOf, readOnce } from "./glanced.ts";

describe("a session of claude with a reply that is more than one", () => {
  const common = { sessionId: "s", version: "2.1.325", cwd: "/v", gitBranch: "main", isSidechain: false };
  const lineOf = (number: number, more: object) =>
    JSON.stringify({
      ...common,
      uuid: `u${number}`,
      parentUuid: number === 0 ? null : `u${number - 1}`,
      timestamp: `2026-01-02T03:04:0${number}.000Z`,
      ...more,
    });
  const said = (text: string, model = "claude-opus-5-5") => ({
    type: "assistant",
    message: { id: `m-${text}`, role: "assistant", model, content: [{ type: "text", text }] },
  });
  const called = {
    type: "assistant",
    message: {
      ...said("").message,
      content: [{ type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } }],
    },
  };
  const asked = { type: "user", message: { role: "user", content: "What is it?" } };
  const boundary = { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: "u1" };

  it.each([
    [
      "a fork",
      [asked, { ...said("one"), forkedFrom: { sessionId: "other", messageUuid: "x" } }, said("two")],
    ],
    ["another version", [asked, said("one"), { ...said("two"), version: "2.1.326" }]],
    ["another branch", [asked, said("one"), { ...said("two"), gitBranch: "other" }, said("three")]],
    ["another session", [asked, said("one"), { ...said("two"), sessionId: "other" }, said("three")]],
    ["no session", [asked, { ...said("one"), sessionId: undefined, session_id: "s" }, said("two")]],
    ["a compaction without a summary", [asked, said("one"), boundary, said("two")]],
    [
      "a subagent's call",
      [asked, said("one"), { ...said("two"), parent_tool_use_id: "call" }, said("three")],
    ],
    ["a sidechain", [asked, said("one"), { ...said("two"), isSidechain: true }, said("three")]],
    ["an error of the API", [asked, { ...said("one"), isApiErrorMessage: true }, said("two")]],
    ["the CLI's own words", [asked, { ...said("one", "<synthetic>"), isApiErrorMessage: true }, said("two")]],
    ["a call and a reply of one name", [asked, called, { ...said("two"), uuid: "u1", parentUuid: "u1" }]],
    ["a note and a reply of one name", [asked, { type: "progress" }, { ...said("two"), uuid: "u1" }]],
    [
      "a summary that waits",
      [{ type: "summary", summary: "S", leafUuid: "u2" }, asked, said("one"), said("two")],
    ],
  ] as [string, object[]][])("that says %s is the same at a glance", async (_, records) => {
    const root = mkdtempSync(join(tmpdir(), "baton-glance-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const folder = join(root, ".claude/projects/-v");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "00000000-0000-4000-8000-000000000001.jsonl");
    writeFileSync(path, records.map((record, at) => `${lineOf(at, record)}\n`).join(""));
    const refs = [...readerOf({ agent: "claude" }).discover({ dir: root, env: {} })];
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs) for (const words of [true, false]) await expectSame(ref, words);
  });
});

describe("a session of opencode whose prompts name their model", () => {
  const MODEL = `UPDATE message SET data = json_set(data, '$.model', json('{"modelID":"m","providerID":"p"}'))
    WHERE json_extract(data, '$.role') = 'user'`;
  const REPLY = "WHERE json_extract(data, '$.role') = 'assistant'";

  it.each([
    ["compacted", "UPDATE session SET revert = NULL"],
    ["parts", `UPDATE message SET data = json_set(data, '$.error', json('{"name":"APIError"}')) ${REPLY}`],
    [
      "parts",
      `UPDATE session SET revert = json_object('messageID', (SELECT id FROM message ${REPLY} LIMIT 1))`,
    ],
    ["parts", "UPDATE part SET session_id = 'ses_other' WHERE rowid % 2"],
    ["recorded", "UPDATE part SET data = json_remove(data, '$.callID')"],
  ])("is the same at a glance: %s, %s", async (fixture, sql) => {
    const one = cases.find(({ adapter, fixture: name }) => adapter.id === "opencode" && name === fixture);
    if (!one) throw new Error(`there is no fixture ${fixture}`);
    const refs = await laidOut(one);
    const database = new DatabaseSync(refs[0]?.path ?? "");
    database.exec(MODEL);
    database.exec(sql);
    database.close();
    for (const ref of refs)
      expect(await readOnce(ref, false, true)).toEqual(await readOnce(ref, false, false));
  });
});
