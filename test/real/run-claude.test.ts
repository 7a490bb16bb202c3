// Claude Code, live.
import { EXTRA } from "./live-claude.ts";
import { liveSuite } from "./live-suite.ts";

liveSuite("claude", EXTRA);
