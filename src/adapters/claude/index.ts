// Claude Code.
import { randomUUID } from "node:crypto";
import type { Adapter } from "../adapter.ts";
import { account, limit } from "./account.ts";
import { canExtend } from "./extend.ts";
import { activity, configuration, isLive, mayBeLive, version } from "./installed.ts";
import { keepsakes, lines, restore } from "./kept.ts";
import { keepsThinking } from "./model-lines.ts";
import { reader } from "./reader.ts";
import { recognise } from "./recognise.ts";
import { driver } from "./run.ts";
import { sandbox } from "./sandbox.ts";
import { translate } from "./translate.ts";
import { pathOf, plan, resumeCommand, write } from "./write.ts";

export const claude: Adapter = {
  ...reader,
  api: "anthropic",
  holds: {
    thinking: "signed",
    images: true,
    documents: true,
    branches: true,
    subagents: true,
    models: "per_message",
  },
  recognise,
  lines,
  keepsakes,
  restore,
  tools: (call, result) => translate(call, result),
  write,
  plan,
  pathOf,
  canExtend,
  newId: randomUUID,
  keepsThinking,
  resumeCommand,
  version,
  proven: ["2.1.325"],
  // Measured with 2.1.325: the most that it says to one of its models, without the user's own instructions and tools.
  ownTokens: 19_500,
  // The same version, with no settings at all.
  defaultModel: "claude-opus-5-5",
  isLive,
  mayBeLive,
  activity,
  configuration,
  account,
  limit,
  sandbox,
  run: driver,
};
