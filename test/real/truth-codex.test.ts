import { tellsTheTruth } from "./truth.ts";

tellsTheTruth("codex", (text) => text.startsWith("<environment_context>"));
