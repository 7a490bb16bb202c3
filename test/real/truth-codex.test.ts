import { tellsTheTruth } from "./truth.ts";

tellsTheTruth("codex");
