import { tellsTheTruth } from "./truth.ts";

tellsTheTruth("opencode");
