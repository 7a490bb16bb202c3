// The table of the stores: the same agents as in index.ts, in the same order, without what reads and writes them.
import type { Place } from "./adapter.ts";
import { place as claude } from "./claude/place.ts";
import { place as codex } from "./codex/place.ts";
import { place as conversation } from "./conversation/place.ts";
import { place as gemini } from "./gemini/place.ts";
import { place as opencode } from "./opencode/place.ts";
import { place as yume } from "./yume/place.ts";

export const places: readonly Place[] = [claude, codex, gemini, opencode, yume, conversation];
