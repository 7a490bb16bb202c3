// The table of the readers: the same agents as in index.ts, in the same order, without what writes and runs them.
import type { Reader } from "./adapter.ts";
import { reader as claude } from "./claude/reader.ts";
import { reader as codex } from "./codex/reader.ts";
import { reader as conversation } from "./conversation/reader.ts";
import { reader as gemini } from "./gemini/reader.ts";
import { reader as opencode } from "./opencode/reader.ts";
import { reader as yume } from "./yume/reader.ts";

export const readers: readonly Reader[] = [claude, codex, gemini, opencode, yume, conversation];
