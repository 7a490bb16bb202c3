import { carriesFrom } from "./carry.ts";

carriesFrom("codex");
