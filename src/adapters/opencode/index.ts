// The adapter for OpenCode. README.md describes the stores and what was measured with the real CLI.
import type { Adapter } from "../adapter.ts";
import { account } from "./account.ts";
import { canExtend, copy, isTakenBack } from "./copied-store.ts";
import { exchange } from "./exported.ts";
import { newSessionId } from "./ids.ts";
import { configuration, isLive, mayBeLive, version } from "./installed.ts";
import { keepsakes, lines, restore } from "./kept.ts";
import { limit } from "./limit.ts";
import { mcpTool } from "./mcp.ts";
import { isResumable } from "./open.ts";
import { recognise } from "./paths.ts";
import { pathOf, plan, resumeCommand } from "./plan.ts";
import { reader } from "./reader.ts";
import { remarks } from "./remarks.ts";
import { driver } from "./run.ts";
import { sandbox } from "./sandbox.ts";
import { PROVEN_VERSIONS } from "./store.ts";
import { keepsThinking } from "./thinking.ts";
import { tools } from "./tools.ts";
import { write } from "./write.ts";

export const opencode: Adapter = {
  ...reader,
  api: "anthropic",
  holds: {
    thinking: "signed",
    images: true,
    documents: true,
    branches: false,
    subagents: true,
    models: "per_message",
  },
  proven: PROVEN_VERSIONS,
  // Measured with 1.18.33: the most that it says to one of its models, without the user's own instructions and tools.
  ownTokens: 9_000,
  recognise,
  lines,
  keepsakes,
  restore,
  tools,
  write,
  plan,
  exchange,
  copy,
  pathOf,
  canExtend,
  isTakenBack,
  newId: () => newSessionId(),
  isResumable,
  isBoundToFolder: true,
  keepsThinking,
  resumeCommand,
  version,
  remarks,
  isLive,
  mayBeLive,
  configuration,
  account,
  limit,
  mcpTool,
  sandbox,
  run: driver,
};
