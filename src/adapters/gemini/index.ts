// The adapter for Gemini CLI. README.md describes the store and what was measured with the real CLI.
import type { Adapter } from "../adapter.ts";
import { account } from "./account.ts";
import { copy } from "./copied-file.ts";
import { canExtend } from "./extend.ts";
import { newId } from "./ids.ts";
import { configuration, isLive, mayBeLive, version } from "./installed.ts";
import { keepsakes, restore } from "./kept.ts";
import { limit } from "./limit.ts";
import { mcpTool } from "./mcp.ts";
import { recognise } from "./paths.ts";
import { pathOf, plan, resumeCommand } from "./plan.ts";
import { reader } from "./reader.ts";
import { lastUsed } from "./retention.ts";
import { run } from "./run.ts";
import { sandbox } from "./sandbox.ts";
import { translate } from "./tools.ts";
import { write } from "./write.ts";

export const gemini: Adapter = {
  ...reader,
  api: "gemini",
  holds: {
    thinking: "plain",
    images: true,
    documents: true,
    branches: false,
    subagents: true,
    models: "per_message",
  },
  proven: ["0.61.0"],
  // Measured with 0.61.0: the most that it says to one of its models, without the user's own instructions and tools.
  ownTokens: 11_000,
  recognise,
  keepsakes,
  restore,
  tools: translate,
  write,
  plan,
  copy,
  pathOf,
  canExtend,
  newId,
  isBoundToFolder: true,
  resumeCommand,
  version,
  isLive,
  mayBeLive,
  configuration,
  account,
  limit,
  mcpTool,
  lastUsed,
  sandbox,
  run,
};
