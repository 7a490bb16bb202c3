// The adapter for the Codex CLI. README.md describes the store and what was measured with the real CLI.
import type { Adapter } from "../adapter.ts";
import { account, limit } from "./account.ts";
import { canExtend } from "./extend.ts";
import { newId } from "./ids.ts";
import { configuration, isLive, version } from "./installed.ts";
import { keepsakes, restore } from "./kept.ts";
import { mcpTool } from "./mcp.ts";
import { bundle } from "./open.ts";
import { recognise } from "./paths.ts";
import { pathOf, plan, resumeCommand } from "./plan.ts";
import { reader } from "./reader.ts";
import { driver } from "./run.ts";
import { sandbox } from "./sandbox.ts";
import { tools } from "./tools.ts";
import { windowOf } from "./window.ts";
import { write } from "./write.ts";

export const codex: Adapter = {
  ...reader,
  api: "responses",
  holds: {
    thinking: "signed",
    images: true,
    documents: false,
    branches: false,
    subagents: true,
    models: "per_session",
  },
  proven: ["0.166.0"],
  // Measured with 0.166.0: the most that it says to one of its models, without the user's own instructions and tools.
  ownTokens: 12_000,
  // The same version, with no settings at all.
  defaultModel: "gpt-6.1-sol",
  windowOf,
  recognise,
  keepsakes,
  restore,
  bundle,
  tools,
  write,
  plan,
  pathOf,
  canExtend,
  newId: () => newId(),
  resumeCommand,
  version,
  isLive,
  configuration,
  account,
  limit,
  mcpTool,
  sandbox,
  run: driver,
};
