// The table of agents. A new agent is a folder and a line here.
import type { Adapter } from "./adapter.ts";
import { claude } from "./claude/index.ts";
import { codex } from "./codex/index.ts";
import { conversation } from "./conversation/index.ts";
import { gemini } from "./gemini/index.ts";
import { opencode } from "./opencode/index.ts";
import { yume } from "./yume/index.ts";

export const adapters: readonly Adapter[] = [claude, codex, gemini, opencode, yume, conversation];
