// A session as files of the user's choice: what the format cannot hold lies beside it, where the text says.
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { adapterNamed } from "../../src/catalog/locate.ts";
import { bundle } from "../../src/switch/bundle.ts";

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
