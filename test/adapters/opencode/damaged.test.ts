// Parts that are cut or damaged are said to be, wherever the session lies; their bytes stay.
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { Home, SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Source } from "../../../src/session/source.ts";
import { buildDatabases, newGoDatabase } from "./database.ts";

async function homeWith(fixture: string): Promise<Home & { store: string }> {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const store = join(dir, ".local", "share", "opencode");
  cpSync(join(import.meta.dirname, "fixtures", fixture, "native"), store, { recursive: true });
  buildDatabases(store);
  return { dir, env: {}, store };
}

async function opened(home: Home): Promise<Source> {
  const [ref] = await Array.fromAsync(opencode.discover(home));
  return opencode.open(ref as SessionRef);
}

const malformed = ({ losses }: Source) => losses.filter(({ kind }) => kind === "record_malformed");
const raws = async (source: Source) => {
  const records = await Array.fromAsync(source.records?.() ?? []);
  return records.map(({ raw }) => raw);
};

it("a part of the database", async () => {
  const home = await homeWith("recorded");
  const path = join(home.store, "opencode.db");
  expect(malformed(await opened(home))).toEqual([]);
  const database = new DatabaseSync(path);
  const { id } = database.prepare("SELECT min(id) id FROM part").get() as { id: string };
  database.prepare("UPDATE part SET data = ? WHERE id = ?").run('{"type":"text","te', id);
  database.close();
  const source = await opened(home);
  expect(malformed(source)).toMatchObject([
    { at: { record: expect.any(Number) }, detail: expect.stringContaining(id) },
  ]);
  expect((await raws(source)).join()).toContain('{\\"type\\":\\"text\\",\\"te');
});

it("a part of the database with line breaks between its words is read", async () => {
  const home = await homeWith("recorded");
  const path = join(home.store, "opencode.db");
  const before = await Array.fromAsync((await opened(home)).entries());
  const database = new DatabaseSync(path);
  const parts = database.prepare("SELECT id, data FROM part").all();
  for (const { id, data } of parts) {
    const printed = `\r\n${JSON.stringify(JSON.parse(String(data)), null, 2)}\n`;
    database.prepare("UPDATE part SET data = ? WHERE id = ?").run(printed, String(id));
  }
  database.close();
  const source = await opened(home);
  expect(await Array.fromAsync(source.entries())).toEqual(before);
  expect(malformed(source)).toEqual([]);
});

it("a file of the JSON tree that was cut", async () => {
  const home = await homeWith("tree");
  const folder = join(home.store, "storage", "part");
  expect(malformed(await opened(home))).toEqual([]);
  const [part] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  writeFileSync(join(folder, String(part)), '{"type": "text",\n "te');
  const id = /([^/\\]+)\.json$/.exec(String(part))?.[1];
  const source = await opened(home);
  expect(malformed(source)).toMatchObject([{ detail: expect.stringContaining(String(id)) }]);
  expect((await raws(source)).join()).toContain('{\\"type\\": \\"text\\",\\n \\"te');
});

it("an exported file with things that are no messages and no parts", async () => {
  const home = await homeWith("recorded");
  const path = join(home.dir, "exported.json");
  const info = { id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1 } };
  const text = { id: "prt_1", messageID: "msg_1", sessionID: "ses_1", type: "text", text: "hello" };
  const messages = [null, { info, parts: ["odd", text] }];
  writeFileSync(path, JSON.stringify({ info: { id: "ses_1" }, messages }));
  const source = await opencode.open((await opencode.recognise(path)) as SessionRef);
  expect(malformed(source)).toHaveLength(2);
  expect((await raws(source)).join()).toContain("odd");
  expect(await Array.fromAsync(source.entries())).toMatchObject([{ type: "user", content: "hello" }]);
});

it("a part of the Go version's database", async () => {
  const home = await homeWith("recorded");
  const project = join(home.dir, "shop");
  const times = { created_at: 1_750_000_000, updated_at: 1_750_000_000 };
  const parts = JSON.stringify([7, { type: "text", data: { text: "hello" } }]);
  newGoDatabase(join(project, ".opencode", "opencode.db"), [
    { table: "sessions", row: { id: "0a1b", title: "T", ...times } },
    { table: "messages", row: { id: "m1", session_id: "0a1b", role: "user", parts, ...times } },
  ]);
  const refs = await Array.fromAsync(opencode.discover({ ...home, projects: [project] }));
  const source = await opencode.open(refs.find(({ originalId }) => originalId === "0a1b") as SessionRef);
  expect(malformed(source)).toMatchObject([{ at: { record: 1 }, detail: "1 part(s) of m1 are no objects" }]);
});
