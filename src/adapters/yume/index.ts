// The adapter for yume-cli. README.md describes the store.
import type { Adapter } from "../adapter.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { recognise } from "./paths.ts";
import { reader } from "./reader.ts";
import { tools } from "./tools.ts";

export const yume: Adapter = {
  ...READ_ONLY,
  ...reader,
  holds: { ...PLAIN, models: "per_session" },
  recognise,
  tools,
};
