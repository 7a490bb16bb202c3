// Codex CLI, live.
import { EXTRA } from "./live-codex.ts";
import { liveSuite } from "./live-suite.ts";

liveSuite("codex", EXTRA);
