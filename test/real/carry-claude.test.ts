import { carriesFrom } from "./carry.ts";

carriesFrom("claude");
