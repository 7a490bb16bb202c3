// What cannot be read in the JSON tree costs only itself, and is told. Permissions mean nothing to root, so files in
// the place of folders, folders in the place of files and links to nowhere stand for them.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { SessionRef } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Source } from "../../../src/session/source.ts";
import { carry } from "../../../src/switch/carry.ts";
import { emptyStore } from "./database.ts";

const ID = "ses_700000000000Tree00fixture01";
const PROMPT = "msg_1cb000000052Baton0fixture0";
const REPLY = "msg_1cb000000054Baton0fixture0";

async function tree() {
  const dir = await mkdtemp(join(tmpdir(), "baton-opencode-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const store = join(dir, ".local", "share", "opencode");
  cpSync(join(import.meta.dirname, "fixtures", "tree", "native"), store, { recursive: true });
  const storage = join(store, "storage");
  return { dir, home: { dir, env: {} }, storage, messages: join(storage, "message", ID) };
}

async function found(home: { dir: string; env: Record<string, string> }) {
  const problems: string[] = [];
  const refs = await Array.fromAsync(
    opencode.discover(home, { onProblem: (path, error) => problems.push(`${path}: ${error.message}`) }),
  );
  return { ids: refs.map(({ originalId }) => originalId), problems, ref: refs[0] as SessionRef };
}

const malformed = ({ losses }: Source) =>
  losses.flatMap(({ kind, detail }) => (kind === "record_malformed" ? [detail] : []));
const entries = (source: Source) => Array.fromAsync(source.entries());

it("a session whose messages are no folder is a problem, and the others are found", async () => {
  const { home, storage } = await tree();
  writeFileSync(join(storage, "session", "global", "ses_bad1.json"), '{"id":"ses_bad1"}');
  writeFileSync(join(storage, "message", "ses_bad1"), "x");
  const { ids, problems, ref } = await found(home);
  expect(ids).toEqual([ID]);
  expect(problems).toEqual([expect.stringMatching(/ses_bad1\.json: ENOTDIR/)]);
  // Its subagents are looked for beside it.
  expect(await Array.fromAsync((await opencode.open(ref)).children())).toEqual([]);
});

it("a link to nowhere and a folder cost only the messages that they are named like", async () => {
  const { home, messages } = await tree();
  const before = await entries(await opencode.open((await found(home)).ref));
  symlinkSync(join(messages, "nowhere"), join(messages, "msg_1cb000000050Baton0fixture0.json"));
  mkdirSync(join(messages, "msg_1cb000000053Baton0fixture0.json"));
  const source = await opencode.open((await found(home)).ref);
  expect(malformed(source)).toEqual([
    expect.stringMatching(/message lacks its data \(msg_1cb000000050Baton0fixture0\.json: ENOENT/),
    expect.stringMatching(/message lacks its data \(msg_1cb000000053Baton0fixture0\.json: EISDIR/),
  ]);
  const unplaced = (all: typeof before) => all.map(({ records: _, ...entry }) => entry);
  expect(unplaced(await entries(source))).toEqual(unplaced(before));
});

it("a part costs only itself, and parts that are no folder only their message's", async () => {
  const { home, storage } = await tree();
  const part = join(storage, "part", PROMPT, readdirSync(join(storage, "part", PROMPT))[0] as string);
  rmSync(part);
  mkdirSync(part);
  rmSync(join(storage, "part", REPLY), { recursive: true });
  writeFileSync(join(storage, "part", REPLY), "x");
  const source = await opencode.open((await found(home)).ref);
  expect(malformed(source)).toEqual([
    expect.stringMatching(new RegExp(`of message ${PROMPT} lacks its data \\(.*EISDIR`)),
    expect.stringMatching(new RegExp(`of message ${REPLY} lacks its data \\(.*ENOTDIR`)),
  ]);
});

it("nothing of it gets into the new session that it goes on in", async () => {
  const { dir, home, storage, messages } = await tree();
  symlinkSync(join(messages, "nowhere"), join(messages, "msg_1cb000000050Baton0fixture0.json"));
  mkdirSync(join(storage, "part", REPLY, "prt_1cb000000059Baton0fixture0.json"));
  const source = await opencode.open((await found(home)).ref);
  const path = emptyStore(dir);
  await carry({
    source,
    to: opencode,
    home,
    batonHome: join(dir, ".baton"),
    cwd: dir,
    kind: "resume",
    installed: { version: "1.18.33", path: "/nowhere/opencode" },
  });
  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  const rows = [...database.prepare("SELECT data FROM message UNION ALL SELECT data FROM part").all()];
  const types = rows.map(({ data }) => {
    const { role, type } = JSON.parse(String(data));
    return role ?? type;
  });
  expect(types.filter((type) => type === undefined)).toEqual([]);
  expect(types.slice(0, 2)).toEqual(["user", "assistant"]);
});
