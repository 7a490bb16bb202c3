import { tellsTheTruth } from "./truth.ts";

tellsTheTruth("gemini");
