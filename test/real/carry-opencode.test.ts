import { carriesFrom } from "./carry.ts";

carriesFrom("opencode");
