// OpenCode, live.
import { EXTRA } from "./live-opencode.ts";
import { liveSuite } from "./live-suite.ts";

liveSuite("opencode", EXTRA);
