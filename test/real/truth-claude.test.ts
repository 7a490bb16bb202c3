import { tellsTheTruth } from "./truth.ts";

/** Claude Code puts its own context into reminders. */
tellsTheTruth("claude", (text) => text.startsWith("<system-reminder>"));
