// The adapter for the Codex CLI. README.md describes the store and what was measured with the real CLI.
import type { Adapter } from "../adapter.ts";
import { canExtend } from "./extend.ts";
import { newId } from "./ids.ts";
import { configuration, isLive, version } from "./installed.ts";
import { keepsakes, restore } from "./kept.ts";
import { bundle, open, reading } from "./open.ts";
import { recognise } from "./paths.ts";
import { place } from "./place.ts";
import { pathOf, plan, resumeCommand } from "./plan.ts";
import { fold } from "./read.ts";
import { sandbox } from "./sandbox.ts";
import { tools } from "./tools.ts";
import { write } from "./write.ts";

export const codex: Adapter = {
  ...place,
  provider: "openai",
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
  recognise,
  keepsakes,
  restore,
  bundle,
  open,
  reading: (ref) => reading(ref),
  fold,
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
  sandbox,
};
