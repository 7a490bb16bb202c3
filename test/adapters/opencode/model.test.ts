// The model of a session is the one that OpenCode goes on with: that of the last prompt, whoever replied to it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import { assistant, user } from "../../session/build.ts";
import { begun, find, newWorld } from "../../switch/world.ts";

it("a session carried from another vendor goes on with OpenCode's own model, which a proof then offers", async () => {
  const world = await newWorld();
  const folder = join(world.home.dir, ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "opencode.json"), JSON.stringify({ model: "openai/gpt-5" }));
  const told = { ...assistant("a1"), provider: "anthropic", model: "claude-opus-4-6" };
  const { source } = await find(world, await begun(world, opencode, [user("u1"), told]));
  expect(source.header.model).toMatchObject({ provider: "openai", model: "gpt-5" });
  const entries = await Array.fromAsync(source.entries());
  expect(entries[1]).toMatchObject({ provider: "anthropic", model: "claude-opus-4-6" });
  const offered = opencode.sandbox!(world.home.dir, 1).staying?.(source.header.model);
  const { provider, model } = JSON.parse(offered?.OPENCODE_CONFIG_CONTENT ?? "{}");
  expect(model).toBe("openai/gpt-5");
  expect(Object.keys(provider.openai.models)).toEqual(["gpt-5"]);
});
