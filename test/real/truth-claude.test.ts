import { tellsTheTruth } from "./truth.ts";

/** Claude Code puts its own context into reminders, and fills the gap after a turn that was cut off. */
tellsTheTruth("claude", (text) => text.startsWith("<system-reminder>") || text === "No response requested.");
