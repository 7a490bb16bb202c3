// The adapter for yume-cli. README.md describes the store.
import type { Adapter } from "../adapter.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { open, reading } from "./open.ts";
import { recognise } from "./paths.ts";
import { place } from "./place.ts";
import { fold } from "./read.ts";
import { tools } from "./tools.ts";

export const yume: Adapter = {
  ...READ_ONLY,
  ...place,
  provider: "yume",
  holds: { ...PLAIN, models: "per_session" },
  recognise,
  open,
  reading,
  fold,
  tools,
};
