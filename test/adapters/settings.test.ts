// What is known of an agent from the files in which it is set up, and that a damaged one is named.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { parseCommented, parseRelaxed } from "../../src/adapters/settings.ts";
import { homeWith } from "./home.ts";

const SETTINGS = [
  ["claude", ".claude/settings.json", ".claude.json", "p/.claude/settings.json", "p/.mcp.json"],
  ["codex", ".codex/config.toml"],
  ["gemini", ".gemini/settings.json", ".gemini/mcp-server-enablement.json", "p/.gemini/settings.json"],
  ["opencode", ".config/opencode/opencode.jsonc", "p/opencode.json"],
] as const;

const cases = SETTINGS.flatMap(([id, ...files]) => files.map((file) => [id, file] as const));

describe.each(cases)("%s: %s", (id, file) => {
  const adapter = adapters.find((one) => one.id === id);
  const damagedIn = async (content: unknown) => {
    const home = await homeWith({ [file]: content });
    const found = await adapter?.configuration(home, join(home.dir, "p"));
    return found?.damaged?.map((path) => path.slice(home.dir.length + 1));
  };

  it("is named where it cannot be read", async () => {
    expect(await damagedIn('= {"model": ')).toEqual([file]);
    expect(await damagedIn("folder")).toEqual([file]);
  });

  it("is not where it is empty", async () => {
    expect(await damagedIn(" \n")).toBeUndefined();
  });
});

it.each(adapters.map(({ id }) => id))("%s has nothing damaged where nothing is set", async (id) => {
  const home = await homeWith();
  const found = await adapters.find((one) => one.id === id)?.configuration(home, join(home.dir, "p"));
  expect(found).not.toHaveProperty("damaged");
});

it("comments are no part of what is set, and what looks like one in a text is", () => {
  const source = '{ // one\n "a": "http://x/*y*/", /* two\n */ "b": "\\"// c, ]" }';
  expect(parseCommented(source)).toEqual({ a: "http://x/*y*/", b: '"// c, ]' });
  expect(parseRelaxed('{"a": [1, 2, /* last */ ], "b": ", ]",\n}')).toEqual({ a: [1, 2], b: ", ]" });
  expect(() => parseCommented('{"a": 1,}')).toThrow(SyntaxError);
});
