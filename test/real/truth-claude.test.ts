import { tellsTheTruth } from "./truth.ts";

/** Claude Code puts its own context into reminders, and tells of files and tools as the system. */
tellsTheTruth("claude", (text) => text.startsWith("<system-reminder>"));
