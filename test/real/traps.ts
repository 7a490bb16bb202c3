// A project and a user's set-up that run something of their own whenever their agent does: a hook, an MCP
// server, a plugin. Each leaves a mark.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { QUIET } from "../../src/adapters/opencode/sandbox.ts";
import { layDown } from "../../src/verify/run.ts";
import type { Rig } from "./harness.ts";
import type { CliName } from "./install.ts";

export interface Traps {
  /** The traps that went off since the last look. */
  sprung(): Promise<string[]>;
  /** What the CLI needs to be told to run everything at once. */
  args: readonly string[];
  all: readonly string[];
}

export async function setTraps(rig: Rig): Promise<Traps> {
  const marks = join(rig.cwd, "marks");
  await mkdir(marks);
  const traps = await SET[rig.name](rig, (name) => `touch ${join(marks, name)}`);
  return {
    ...traps,
    async sprung() {
      const found = (await readdir(marks)).sort();
      await rm(marks, { recursive: true });
      await mkdir(marks);
      return found;
    },
  };
}

type Setter = (rig: Rig, touch: (name: string) => string) => Promise<Omit<Traps, "sprung">>;

const hooks = (touch: (name: string) => string) => ({
  SessionStart: [{ hooks: [{ type: "command", command: touch("hook") }] }],
  UserPromptSubmit: [{ hooks: [{ type: "command", command: touch("prompt-hook") }] }],
});
const server = (command: string) => ({ command: "sh", args: ["-c", `${command}; cat >/dev/null`] });

async function setForClaude(rig: Rig, touch: (name: string) => string): Promise<Omit<Traps, "sprung">> {
  const market = join(rig.cwd, "market");
  await layDown(rig.cwd, {
    ".claude/settings.json": JSON.stringify({ hooks: hooks(touch), enableAllProjectMcpServers: true }),
    ".mcp.json": JSON.stringify({ mcpServers: { trap: server(touch("mcp")) } }),
    "market/.claude-plugin/marketplace.json": JSON.stringify({
      name: "traps",
      owner: { name: "a test" },
      plugins: [{ name: "trap", source: "./trap", description: "a trap" }],
    }),
    "market/trap/.claude-plugin/plugin.json": JSON.stringify({ name: "trap", version: "1.0.0" }),
    "market/trap/hooks/hooks.json": JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: touch("plugin") }] }] },
    }),
  });
  const trusted = { hasCompletedOnboarding: true, projects: { [rig.cwd]: { hasTrustDialogAccepted: true } } };
  await layDown(rig.home, { ".claude.json": JSON.stringify(trusted) });
  await rig.run(["plugin", "marketplace", "add", market]);
  await rig.run(["plugin", "install", "trap@traps"]);
  return { args: [], all: ["hook", "mcp", "plugin", "prompt-hook"] };
}

async function setForCodex(rig: Rig, touch: (name: string) => string): Promise<Omit<Traps, "sprung">> {
  const toml = (name: string, command: string) =>
    `[mcp_servers.${name}]\ncommand = "sh"\nargs = ${JSON.stringify(server(command).args)}\n`;
  await layDown(rig.cwd, {
    ".codex/config.toml": toml("trap", touch("mcp")),
    ".codex/hooks.json": JSON.stringify({ hooks: hooks(touch) }),
    "market/.agents/plugins/marketplace.json": JSON.stringify({
      name: "traps",
      plugins: [
        {
          name: "trap",
          source: { source: "local", path: "./trap" },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category: "a test",
        },
      ],
    }),
    "market/trap/.codex-plugin/plugin.json": JSON.stringify({
      name: "trap",
      version: "1.0.0",
      description: "a trap",
      mcpServers: "./.mcp.json",
    }),
    "market/trap/.mcp.json": JSON.stringify({ mcpServers: { plugged: server(touch("plugin")) } }),
  });
  await rig.configure((config) =>
    [
      `notify = ["sh", "-c", ${JSON.stringify(touch("notify"))}]`,
      config.replace("plugins = false", "plugins = true"),
      `[projects.${JSON.stringify(rig.cwd)}]\ntrust_level = "trusted"`,
      toml("user_trap", touch("user-mcp")),
    ].join("\n"),
  );
  await rig.run(["plugin", "marketplace", "add", join(rig.cwd, "market")]);
  await rig.run(["plugin", "add", "trap@traps"]);
  const all = ["hook", "mcp", "notify", "plugin", "prompt-hook", "user-mcp"];
  return { args: ["--dangerously-bypass-hook-trust"], all };
}

async function setForGemini(rig: Rig, touch: (name: string) => string): Promise<Omit<Traps, "sprung">> {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  await layDown(rig.cwd, {
    ".gemini/settings.json": JSON.stringify({
      hooks: { SessionStart: hook(touch("hook")), BeforeAgent: hook(touch("prompt-hook")) },
      mcpServers: { trap: { ...server(touch("mcp")), timeout: 1000 } },
    }),
  });
  const plugged = { plugged: { ...server(touch("plugin")), timeout: 1000 } };
  await layDown(rig.home, {
    ".gemini/extensions/trap/gemini-extension.json": JSON.stringify({
      name: "trap",
      version: "1.0.0",
      mcpServers: plugged,
    }),
  });
  await rig.configure((config) =>
    JSON.stringify({
      ...JSON.parse(config),
      mcpServers: { user_trap: { ...server(touch("user-mcp")), timeout: 1000 } },
    }),
  );
  return { args: [], all: ["hook", "mcp", "plugin", "prompt-hook", "user-mcp"] };
}

async function setForOpenCode(rig: Rig, touch: (name: string) => string): Promise<Omit<Traps, "sprung">> {
  const local = (command: string) => ({
    type: "local",
    command: ["sh", ...server(command).args],
    timeout: 1000,
  });
  const plugin = `import { execSync } from "node:child_process";
export const Trap = async () => {
  execSync(${JSON.stringify(touch("plugin"))});
  return { "chat.message": async () => void execSync(${JSON.stringify(touch("prompt-hook"))}) };
};
`;
  const quiet = QUIET.map(([name, content]) => [`.opencode/${name}`, content]);
  await layDown(rig.cwd, {
    "opencode.json": JSON.stringify({ mcp: { trap: local(touch("mcp")) } }),
    ".opencode/plugin/trap.js": plugin.replaceAll("/marks/", "/marks/project-"),
    ...Object.fromEntries(quiet),
  });
  await layDown(rig.home, { ".config/opencode/plugin/trap.js": plugin });
  await rig.configure((config) =>
    JSON.stringify({ ...JSON.parse(config), mcp: { user_trap: local(touch("user-mcp")) } }),
  );
  const all = ["mcp", "plugin", "project-plugin", "project-prompt-hook", "prompt-hook", "user-mcp"];
  return { args: [], all };
}

const SET: Record<CliName, Setter> = {
  claude: setForClaude,
  codex: setForCodex,
  gemini: setForGemini,
  opencode: setForOpenCode,
};
