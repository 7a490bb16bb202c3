import { carriesFrom } from "./carry.ts";

carriesFrom("gemini");
