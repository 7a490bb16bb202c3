import { carries } from "./carry.ts";

carries("codex", "claude");
