// A session as files of the user's choice: what the format cannot hold lies beside it, where the text says.
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { adapterNamed } from "../../src/adapters/named.ts";
import { sourceOf } from "../../src/session/source.ts";
import { bundle } from "../../src/switch/bundle.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

it("a file that holds one session reports the subagents it leaves out", async () => {
  const dir = await mkdtemp(join(tmpdir(), "baton-bundle-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const child = session([user("s1"), assistant("s2")], { id: "child" });
  const links = [{ type: "subagent" as const, session: "universal:child", entry: "c1" }];
  const timeline = [user("u1"), call("c1"), result("c1"), assistant("a1")];
  const source = sourceOf(session(timeline, { links, children: [child] }));
  const to = adapterNamed("opencode", adapters);
  const { pieces, losses } = await bundle({
    source,
    to,
    home: { dir, env: {} },
    path: join(dir, "out.json"),
  });
  const text = (await Array.fromAsync(pieces)).map(({ bytes }) => String(bytes)).join("");
  expect(text).toContain("replies a1");
  expect(text).not.toContain("replies s2");
  const told = losses.flatMap(({ kind }) => (kind.startsWith("subagent") ? [kind] : []));
  expect(told).toEqual(["subagent_dropped"]);
});

it("documents are put where the converted session says they are", async () => {
  const dir = await mkdtemp(join(tmpdir(), "baton-bundle-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const native = join(import.meta.dirname, "../adapters/claude/fixtures/tools/native");
  await cp(native, join(dir, ".claude"), { recursive: true });
  const home = { dir, env: {} };
  const from = adapterNamed("claude", adapters);
  const [ref] = await Array.fromAsync(from.discover(home));
  if (!ref) throw new Error("the fixture holds no session");
  const path = join(dir, "out.jsonl");
  const { pieces, losses } = await bundle({
    source: await from.open(ref),
    to: adapterNamed("codex", adapters),
    home,
    path,
  });
  const written = await Array.fromAsync(pieces);
  const main = written.flatMap((piece) => (piece.path === path ? [String(piece.bytes)] : [])).join("");
  const documents = written.filter((piece) => piece.path !== path);
  expect(documents).toHaveLength(1);
  expect(main).toContain(documents[0]?.path);
  expect(losses.find(({ kind }) => kind === "document_dropped")?.detail).toContain(documents[0]?.path);
  const pdf = Buffer.from(documents[0]?.bytes ?? "");
  expect(await readFile(ref.path, "utf8")).toContain(pdf.toString("base64"));
});
