// Gemini CLI, live: the driver for any agent that speaks the Agent Client Protocol.
import { EXTRA } from "./live-gemini.ts";
import { liveSuite } from "./live-suite.ts";

liveSuite("gemini", EXTRA);
