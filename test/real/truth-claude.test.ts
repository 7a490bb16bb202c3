import { tellsTheTruth } from "./truth.ts";

tellsTheTruth("claude");
