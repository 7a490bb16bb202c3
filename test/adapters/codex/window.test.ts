// How much of a model's window Codex uses, and what the user says instead.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { switchTarget } from "../../../src/switch/target.ts";

async function windowWith(model: string, config = ""): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "baton-window-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, ".codex"));
  await writeFile(join(dir, ".codex/config.toml"), config);
  const home = { dir, env: {} };
  const target = await switchTarget({ to: codex, home, project: "/project", model, now: new Date() });
  return target.model.window;
}

it.each([
  ["gpt-6.1-sol", 272_000],
  ["gpt-6.1-terra", 500_000],
  ["gpt-5.5", 272_000],
  ["gpt-4o", 128_000],
])("%s has %d tokens there", async (model, window) => {
  expect(await windowWith(model)).toBe(window);
});

it("the user's own number counts, larger or smaller", async () => {
  expect(await windowWith("gpt-5.5", "model_context_window = 1000000")).toBe(1_000_000);
  expect(await windowWith("gpt-5.5", "model_context_window = 50000")).toBe(50_000);
  expect(await windowWith("gpt-5.5", 'model_context_window = "many"')).toBe(272_000);
});
