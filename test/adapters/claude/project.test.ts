// What a project's own settings change.
import { join } from "node:path";
import { expect, it } from "vitest";
import { claude } from "../../../src/adapters/claude/index.ts";
import { homeWith } from "../home.ts";

const server = { command: "true" };

it("the servers of a session are the user's and its project's, unless they are turned off", async () => {
  const home = await homeWith({
    "p/.mcp.json": { mcpServers: { shared: server, refused: server, off: server } },
  });
  const p = join(home.dir, "p");
  const own = {
    mcpServers: { local: server },
    disabledMcpServers: ["off", "jira"],
    disabledMcpjsonServers: ["refused"],
  };
  const files = {
    ".claude.json": {
      mcpServers: { jira: server, db: server },
      projects: { [p]: own, "/q": { mcpServers: { elsewhere: server } } },
    },
  };
  const full = await homeWith(files);
  expect((await claude.configuration(full, p)).mcpServers).toEqual(["db", "local", "shared"]);
  expect((await claude.configuration(full, "/q")).mcpServers).toEqual(["db", "elsewhere", "jira"]);
  expect((await claude.configuration(full)).mcpServers).toEqual(["db", "elsewhere", "jira", "local"]);
});

it("a project's settings may refuse servers and name a model; a variable counts more", async () => {
  const home = await homeWith({
    "p/.mcp.json": { mcpServers: { a: server, b: server } },
    "p/.claude/settings.json": { model: "haiku", disabledMcpjsonServers: ["a"] },
    "p/.claude/settings.local.json": { model: "sonnet[1m]" },
    ".claude/settings.json": { model: "opus", cleanupPeriodDays: 9 },
    "q/.mcp.json": "{",
    "q/.claude/settings.json": "folder",
  });
  const [p, q] = [join(home.dir, "p"), join(home.dir, "q")];
  const configured = { provider: "anthropic", model: "sonnet[1m]", mcpServers: ["b"], retentionDays: 9 };
  expect(await claude.configuration(home, p)).toEqual(configured);
  const damaged = [join(q, ".claude/settings.json"), join(q, ".mcp.json")];
  expect(await claude.configuration(home, q)).toEqual({
    ...configured,
    model: "opus",
    mcpServers: [],
    damaged,
  });
  const env = { ANTHROPIC_MODEL: "opusplan" };
  expect((await claude.configuration({ ...home, env }, p)).model).toBe("opusplan");
  const inSettings = await homeWith({
    ".claude/settings.json": { env: { ANTHROPIC_MODEL: "default" }, model: "x" },
  });
  expect((await claude.configuration(inSettings)).model).toBe("default");
});
