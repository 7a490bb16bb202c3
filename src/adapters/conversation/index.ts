// The adapter for workspace conversations. README.md describes the store.
import type { Adapter } from "../adapter.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { reader } from "./reader.ts";
import { recognise } from "./recognise.ts";
import { tools } from "./tools.ts";

export const conversation: Adapter = {
  ...READ_ONLY,
  ...reader,
  holds: { ...PLAIN, models: "per_message" },
  recognise,
  tools,
};
